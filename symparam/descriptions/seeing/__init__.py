"""How many positions of the language model a picture takes, by the kind of whole."""
