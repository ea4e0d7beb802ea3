"""Documents, and how their pieces are written in each format."""
