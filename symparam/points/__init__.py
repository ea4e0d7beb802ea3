"""Points of a lattice or a grid: axes of dims, rows of points, what they meet."""
