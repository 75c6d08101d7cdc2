"""No function for Python: what the kernels call."""
