"""A sweep that shows itself in a notebook, where it is one that somebody can read."""

from __future__ import annotations

from dataclasses import fields

from symparam.documents.sweep import SweepView
from symparam.errors import BadValue
from symparam.sweep.sweep import Sweep


class Swept(Sweep):
    """A sweep with its table."""

    @classmethod
    def wrap(cls, found: Sweep) -> Swept:
        """A sweep with what a notebook asks for."""
        return cls(**{each.name: getattr(found, each.name) for each in fields(Sweep)})

    def _repr_html_(self) -> str | None:
        return self._shown("notebook")

    def _repr_markdown_(self) -> str | None:
        return self._shown("mkdocs")

    def _shown(self, kind: str) -> str | None:
        try:
            return SweepView(self).render(kind)
        except BadValue:  # more points than anybody reads: the line that Python has for it
            return None
