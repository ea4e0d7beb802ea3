"""The catalogue and the components as documents, and as JSON."""

from __future__ import annotations

from typing import Any

from symparam import components
from symparam.component import Component
from symparam.descriptions import catalogue
from symparam.documents.common.view import View
from symparam.errors import UnknownName
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import grouped
from symparam.resolve import numbers
from symparam.writers.document import (
    Block,
    Code,
    Column,
    Document,
    Heading,
    Paragraph,
    Table,
    spans,
)


class ModelsView(View):
    """The published models in whose name or lineage a word stands, in every format."""

    def __init__(self, part: str = "", notation: Notation = PRESETS["paper"]) -> None:
        self.part, self.notation = part, notation

    def document(self) -> Document:
        """A table of them.

        Raises:
            UnknownName: there is none.
        """
        return models_document(self.part)

    def json(self) -> list[dict[str, Any]]:
        """Each of them.

        Raises:
            UnknownName: there is none.
        """
        return models_json(self.part)


class ComponentsView(View):
    """The components, in every format."""

    def __init__(self, notation: Notation = PRESETS["paper"]) -> None:
        self.notation = notation

    def document(self) -> Document:
        """The components, slot by slot."""
        return components_document()

    def json(self) -> list[dict[str, Any]]:
        """Each component."""
        return components_json()


def models_json(part: str = "") -> list[dict[str, Any]]:
    """Each published model: name, lineage, count, what its source prints, source, note.

    Args:
        part: only the models in whose name or lineage this stands.

    Raises:
        UnknownName: there is none.
    """
    found = []
    for lineage, names in catalogue.lineages():
        for name in names:
            if part.lower() not in name and part.lower() not in lineage:
                continue
            model = catalogue.published(name)
            count = int(model.ledger(numbers(model).values).total())
            found.append({"name": name, "lineage": lineage, "total": count, "part": model.part,
                          "claim": model.claim or None, "note": model.note or None,
                          "source": model.source})
    if not found:
        raise UnknownName("model", part, catalogue.names())
    return found


def models_document(part: str = "") -> Document:
    """A table of the published models, lineage by lineage.

    Args:
        part: only the models in whose name or lineage this stands.

    Raises:
        UnknownName: there is none.
    """
    found = models_json(part)
    rows = tuple((Code(m["name"]), grouped(m["total"]), m["claim"] or "",
                  "" if m["part"] == "all" else m["part"]) for m in found)
    columns = (Column("model"), Column("parameters", "right"), Column("as printed", "right"),
               Column("what is counted"))
    return Document(f"{len(rows)} published model{'s' * (len(rows) > 1)}", (
        Table(columns, rows),
        Paragraph(spans("Sources and notes: ", Code("symparam count MODEL"), " or ",
                        Code("symparam models --json"), "."))))


def _options(cls: type[Component]) -> dict[str, Any]:
    return {name: sorted(cls.bias_sites) if name == "bias" else default
            for name, default in cls.options().items()}


def components_json() -> list[dict[str, Any]]:
    """Each component: slot, name, title, dims, options with defaults, equations, source."""
    return [{"slot": cls.slot, "name": cls.name, "title": cls.title,
             "dims": [dim.name for dim in cls.dims], "options": _options(cls),
             "equations": [str(eq) for eq in cls.equations],
             "checks": [str(check) for check in cls.checks], "source": cls.source}
            for cls in components.everything()]


def components_document() -> Document:
    """The components, slot by slot."""
    blocks: list[Block] = []
    slots: dict[str, list[type[Component]]] = {}
    for cls in components.everything():
        slots.setdefault(cls.slot, []).append(cls)
    for slot, classes in slots.items():
        rows = tuple((Code(c.name), ", ".join(d.name for d in c.dims) or "none",
                      ", ".join(_option_text(c)) or "none", c.source) for c in classes)
        blocks += [Heading(spans(slot)), Table((Column("name"), Column("dims"), Column("options"),
                                                Column("source")), rows)]
    return Document("Components, by what they are a choice for", tuple(blocks))


def _option_text(cls: type[Component]) -> list[str]:
    return [f"bias at {' '.join(cls.bias_sites)}" if name == "bias" else name
            for name in cls.options()]
