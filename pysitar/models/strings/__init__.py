"""Strings: simulated alone, played in an instrument, coupled by a body."""
