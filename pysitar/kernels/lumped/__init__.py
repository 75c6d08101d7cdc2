"""One mass: against a barrier, against a wall."""
