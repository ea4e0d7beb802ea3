"""Certificates: what was derived as data that a checker reads which is none of this package's.

``pieces`` writes what all have in common; ``of_derivation``, ``of_diff``, ``of_sensitivity`` and
``of_solution`` are the four kinds; ``coq`` writes the first two for a proof assistant; ``folder``
puts them in a folder and looks at one that stands. ``check`` is a program of its own that stands
beside each certificate: it imports nothing from here.
"""
