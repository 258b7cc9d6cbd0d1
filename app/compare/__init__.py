"""Off against on: what is measured, what follows from it, and how it is told."""
