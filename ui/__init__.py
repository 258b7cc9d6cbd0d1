"""Shows: the only package that imports PySide6."""
