"""Warnings about what is physically doubtful in a score, found before a sample is computed."""
