"""How random configurations of each family are drawn, one file a lineage.

A module has ``DRAWN``: model type to a function from a :class:`~tests.differential.draw.Draw` to
the keys of a configuration.
"""
