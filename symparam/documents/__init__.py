"""What is said of each answer, as a document, as JSON data, and as numbers by name."""
