"""Sampled instruments: the notes of an instrument as sound files, and the files that map them."""
