"""Resonators by their geometry and material: bars, plates and membranes as frequencies, decay
rates, masses and mode shapes."""
