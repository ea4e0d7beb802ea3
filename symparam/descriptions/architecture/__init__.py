"""Architecture files of one's own, and those of traced models."""
