"""What is asked of a solver: targets, ranges, preferences."""
