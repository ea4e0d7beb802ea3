"""Builds at points: what moves with which key, and what refutes a rule."""
