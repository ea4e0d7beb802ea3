"""A few types that are hard to read."""
