"""What changes from one architecture to another, matrix by matrix, each line proved."""
