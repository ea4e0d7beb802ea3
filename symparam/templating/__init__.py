"""Documents through templates: the package's own, and those of a user, in a sandbox."""
