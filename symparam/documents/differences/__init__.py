"""Differences of two models as documents and data."""
