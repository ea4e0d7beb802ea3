"""GGUF: the header of a file as a model, and its table of tensors to hold one against."""

#: What such a file's name ends with.
SUFFIX = ".gguf"
