"""A model against what is stored or built: the tensors of a checkpoint or of a module."""
