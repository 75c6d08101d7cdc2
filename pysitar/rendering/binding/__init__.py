"""A score bound to its instruments: every name found, every value checked and in SI."""
