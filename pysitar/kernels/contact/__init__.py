"""Contact laws, their mean force and energy root, and the solver of one step's contact forces."""
