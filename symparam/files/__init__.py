"""Files outside of the package: what opens them, and what writes them; nothing else does."""
