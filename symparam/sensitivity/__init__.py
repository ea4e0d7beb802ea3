"""How a quantity changes with the dims: derivatives, elasticities, whole steps, crossovers.

What is held fixed is part of every answer: all others; or dims follow by the model's rules; or
its ratios are kept.
"""

from symparam.sensitivity.analysis import analyse
from symparam.sensitivity.answer import DimRow, Sensitivity
from symparam.sensitivity.held import Held

__all__ = ["DimRow", "Held", "Sensitivity", "analyse"]
