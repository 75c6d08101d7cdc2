"""Playing sound on a device while it is rendered."""
