"""The Python interface: load or describe a model, then count, derive, solve, evaluate it."""

from __future__ import annotations

from symparam.api.apart import bundle, check_table, compare, picture
from symparam.api.counted import Listing
from symparam.api.given import target
from symparam.api.models import Model, decoder, load, trace

__all__ = ["Listing", "Model", "bundle", "check_table", "compare", "decoder", "load", "picture",
           "target", "trace"]
