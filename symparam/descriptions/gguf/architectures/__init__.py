"""What GGUF calls architectures, a file a lineage.

Each has ``ARCHITECTURES`` and ``configuration(keys)``, the keys of a ``config.json`` with a
``model_type`` that a family reads; it may have ``JOINED`` and ``NAMES`` (see
:func:`symparam.descriptions.gguf.names.entries_of`).
"""
