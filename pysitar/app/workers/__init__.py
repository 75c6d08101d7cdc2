"""Supervised processes that compute items."""
