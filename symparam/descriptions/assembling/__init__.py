"""What families share in putting a model together."""
