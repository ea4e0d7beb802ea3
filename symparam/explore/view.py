"""A model that is explored, in every format."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from symparam.documents.common.view import View
from symparam.explore.data import explored_json
from symparam.explore.document import explored_document
from symparam.explore.explored import Explored
from symparam.notation.notation import PRESETS, Notation
from symparam.writers.document import Document


class ExploreView(View):
    """A model as data, and as tables of what can be changed.

    Attributes:
        explored: the model.
    """

    def __init__(self, explored: Explored, notation: Notation = PRESETS["paper"]) -> None:
        self.explored, self.notation = explored, notation

    @cached_property
    def _data(self) -> dict[str, Any]:
        return explored_json(self.explored, self.notation)

    def document(self) -> Document:
        """Its dims, what they give, its equations and checks."""
        return explored_document(self.explored, self._data)

    def json(self) -> dict[str, Any]:
        """The model as data, ``explore/1`` (docs/explore.md)."""
        return self._data
