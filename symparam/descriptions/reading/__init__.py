"""Files as data: JSON, TOML, YAML, Python; within bounds, and nothing run."""
