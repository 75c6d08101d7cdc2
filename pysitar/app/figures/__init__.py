"""Pictures of sounds; matplotlib (extra `figures`) is imported only where something is drawn."""
