"""The graphics cards and the memory of this computer, and what other programs hold of them."""
