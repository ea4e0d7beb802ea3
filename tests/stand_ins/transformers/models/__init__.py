"""Models by their types."""
