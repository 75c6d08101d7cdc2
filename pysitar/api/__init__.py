"""What `pysitar` exports of rendering: a score to files or to memory, and what is reported of it."""
