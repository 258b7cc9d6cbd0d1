"""Whether a pair fits into the devices' memory, how much of it would, and what makes it fit."""
