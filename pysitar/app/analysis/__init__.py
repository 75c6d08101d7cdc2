"""Sounds and instruments measured, drawn, compared and described."""
