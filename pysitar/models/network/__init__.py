"""Networks of modes, grids and contact rows: built, audited and run; values and gestures over
time."""
