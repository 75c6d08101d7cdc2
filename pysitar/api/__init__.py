"""Rendering a score to files or to memory, and the report of a render."""
