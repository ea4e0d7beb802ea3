"""What the documents of all answers share."""
