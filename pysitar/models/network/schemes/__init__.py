"""The numerical schemes: one descriptor each, beside what builds its network."""
