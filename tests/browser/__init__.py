"""Formulas in KaTeX, pages before a validator and in Chromium; ``install`` says what they need."""
