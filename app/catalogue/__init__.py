"""The catalogue of matched pairs."""
