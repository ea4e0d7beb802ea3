"""Families: how a ``model_type`` and its keys become a model, one file a lineage.

A module here (or behind the entry-point group ``symparam.families``) has ``MODEL_TYPES`` and
``build(config, name) -> Model``. Defaults of missing keys are those of the family's own code.
"""
