"""Models by their names on a hub: the local cache first, then the network."""
