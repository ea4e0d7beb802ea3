"""Random configurations of every family, counted here and built by transformers itself."""
