"""The complete search of integers: lattices, and the rows that cannot meet a target."""
