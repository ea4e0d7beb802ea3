"""Rows of classes that were traced, an architecture file each, with its evidence (docs/trace.md).

A file is named after its class, and after a case where a class has several (``-tied``);
``python -m tests.differential.traced_types TYPE CLASS`` finds the rows and writes it. Families read
them with ``symparam.descriptions.assembling.traced``.
"""
