"""What an instrument file says: parameters, tables, readers, and the specifications that come of
them."""
