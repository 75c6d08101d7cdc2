"""A single mass against a barrier or a wall."""
