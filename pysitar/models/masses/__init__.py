"""A mass against a barrier or a wall."""
