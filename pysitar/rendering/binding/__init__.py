"""Bind a score to its instruments: resolve every name, check every value and convert it to SI."""
