"""A model that is explored, in every format; of HTML it is the page in which it is changed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from symparam.documents.common.view import View
from symparam.explore.data import explored_json
from symparam.explore.document import explored_document
from symparam.explore.explored import Explored
from symparam.notation.notation import PRESETS, Notation
from symparam.writers.document import Document

if TYPE_CHECKING:
    from symparam.documents.common.floating import Floats


class ExploreView(View):
    """A model as data, as tables of what can be changed, and as a page.

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

    def render(self, kind: str, floats: Floats | None = None) -> str:
        """The answer in a format; of HTML the page, which counts by itself."""
        if kind != "html":
            return super().render(kind, floats)
        from symparam.explore.page import page

        return page(self)
