"""From a number of parameters back to dims: closed forms, and a complete search of integers.

A real root is not a configuration. The closed form says what a width or a depth would have to
be; the search goes over a stated lattice of configurations and leaves no point of it out.
"""

from symparam.solve.requests.request import Wishes
from symparam.solve.requests.targets import Wanted
from symparam.solve.solution import Configuration, Solution
from symparam.solve.solver import solve

__all__ = ["Configuration", "Solution", "Wanted", "Wishes", "solve"]
