"""Derivations as documents, data, numbers by name, and exercises."""
