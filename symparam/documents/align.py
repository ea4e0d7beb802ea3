"""Head configurations and alignment checks as a document, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.align import alignment_checks, head_configurations
from symparam.documents.common.view import View
from symparam.notation.notation import PRESETS, Notation
from symparam.writers.dims_in_words import with_dims
from symparam.writers.document import Block, Column, Document, Heading, Paragraph, Table, spans

_VERDICT = {True: "yes", False: "no", None: "does not apply"}


class AlignView(View):
    """Head configurations and alignment checks of some dims, in every format."""

    def __init__(self, name: str, dims: Mapping[str, int], split: bool = True,
                 notation: Notation = PRESETS["paper"]) -> None:
        self.name, self.dims, self.split, self.notation = name, dims, split, notation

    def document(self) -> Document:
        """The answer as two tables."""
        return align_document(self.name, self.dims, self.split)

    def json(self) -> dict[str, Any]:
        """The answer as data."""
        return align_json(self.name, self.dims, self.split)


def align_json(name: str, dims: Mapping[str, int], split: bool) -> dict[str, Any]:
    """The answer as data: splits of the width, where heads split it, and each check with its
    arithmetic."""
    heads = head_configurations(dims["d_model"]) if split and "d_model" in dims else []
    return {"model": name, "dims": dict(dims),
            "head_configurations": [{"n_heads": n, "d_head": d} for n, d in heads],
            "checks": [{"name": c.name, "passed": c.passed, "detail": c.detail, "value": c.value}
                       for c in alignment_checks(dims, split=split)]}


def align_document(name: str, dims: Mapping[str, int], split: bool = True) -> Document:
    """The answer as two tables."""
    blocks: list[Block] = []
    if split and "d_model" in dims:
        found = head_configurations(dims["d_model"])
        blocks.append(Heading(spans(f"Heads of 32 to 256 that split {dims['d_model']}: "
                                    f"{len(found)}")))
        if found:
            rows = tuple((str(n), str(d), "usual" if 64 <= d <= 128 else "") for n, d in found)
            blocks.append(Table((Column(with_dims("n_heads"), "right"),
                                 Column(with_dims("d_head"), "right"),
                                 Column(with_dims("d_head 64 to 128"))), rows))
    checks = alignment_checks(dims, split=split)
    if checks:
        failed = sum(check.passed is False for check in checks)
        blocks.append(Heading(spans(f"Alignment: {len(checks) - failed} of {len(checks)} checks "
                                    "pass")))
        told = tuple((_VERDICT[c.passed], with_dims(c.name), with_dims(c.detail)) for c in checks)
        blocks.append(Table((Column("passes"), Column("check"), Column("arithmetic")), told))
        blocks.append(Paragraph(spans("Rules of thumb, not constraints: GPT-2 XL breaks several "
                                      "of them and works.")))
    return Document(f"{name}: heads and alignment", tuple(blocks))
