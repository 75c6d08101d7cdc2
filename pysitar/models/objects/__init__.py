"""Objects that are struck, dropped on and rolled over."""
