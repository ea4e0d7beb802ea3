"""Solutions, and ladders of them, as documents."""
