"""Sensitivities as documents, data and numbers by name."""
