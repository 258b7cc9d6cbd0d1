"""Sets up .venv and starts the program in it. Standard library only: it runs before anything is installed."""
