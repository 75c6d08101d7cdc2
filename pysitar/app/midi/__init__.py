"""MIDI files to scores."""
