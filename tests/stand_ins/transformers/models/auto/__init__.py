"""Which classes belong to a type."""
