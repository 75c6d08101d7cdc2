"""Measures of a sound, and instruments fitted to recordings."""
