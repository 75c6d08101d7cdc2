"""Instruments tuned: how far what lies under a string sharpens it, measured by rendering, and taken
back; tomlkit (extra `tune`) writes."""
