"""Numbers that remember what is computed of them."""
