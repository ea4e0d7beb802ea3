"""From what a user has (options, a file, a name, a config.json) to a Model."""
