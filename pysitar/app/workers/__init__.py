"""Processes that compute items, supervised."""
