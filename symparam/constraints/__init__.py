"""Relations between dims, each with its reason; never applied silently.

An :class:`Equation` gives a dim from others (``d_head = d_model/n_heads``, "heads split the
width"). A :class:`Check` is what numbers must meet: :class:`Divides`, :class:`Sums`,
:class:`Differs` and others. All stand declared beside what they belong to, expressions as text of
the closed grammar.
"""

from __future__ import annotations

from symparam.constraints.check import Check
from symparam.constraints.checks import (
    SIGNS,
    AtMost,
    Compares,
    Differs,
    Divides,
    KnownFor,
    Sums,
)
from symparam.constraints.equation import FILLING, Equation, Standing

__all__ = ["FILLING", "SIGNS", "AtMost", "Check", "Compares", "Differs", "Divides", "Equation",
           "KnownFor", "Standing", "Sums"]
