"""A command a file: read arguments, one call, print."""
