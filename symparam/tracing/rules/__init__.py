"""Rules for sizes and copies, fitted to what was seen at points."""
