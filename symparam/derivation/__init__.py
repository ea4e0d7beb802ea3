"""Derivations: from the list of matrices to a formula, each line proved before it exists."""
