"""Hand-enumerated answers to compare symparam with; nothing here may import it."""
