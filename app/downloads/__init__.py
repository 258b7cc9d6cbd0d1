"""From a hub to the disk: bytes, checks, a queue."""
