"""Closed forms: a dim as a formula in what is wanted and the other dims."""
