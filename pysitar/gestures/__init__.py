"""Gestures: what each verb of the score language does."""
