"""How what is found is written: symbols, numbers, and the notations of communities."""
