"""The figures and tables of the papers, computed with the public functions and compared with the
papers."""
