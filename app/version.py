"""The program's version; a test keeps it equal to the one in pyproject.toml."""

VERSION = "0.1.0"
