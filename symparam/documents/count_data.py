"""A model's count, and the same as JSON: what a document of it is made from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from symparam.dataclass import dataclass
from symparam.documents.common.foundation import resting_data
from symparam.documents.common.view import View
from symparam.errors import SymparamError
from symparam.layout import Tensor
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.notation.notation import PRESETS, Notation
from symparam.quantities import counts, parameters
from symparam.quantities.parameters import CountRow
from symparam.resolve import Resolution, numbers

if TYPE_CHECKING:
    from symparam.writers.document import Document


@dataclass(frozen=True)
class CountResult:
    """A model's exact count and its breakdown."""

    model: Model
    resolution: Resolution
    ledger: Ledger
    rows: tuple[CountRow, ...]
    tensors: tuple[Tensor, ...]
    base: Resolution | None = None

    @property
    def parts(self) -> dict[str, int]:
        """The parameters of each part of a model that is made of several; else none."""
        stacks = {stack.name: stack.part for stack in self.model.stacks}
        found = dict.fromkeys(self.model.parts, 0)
        for row in self.rows if len(found) > 1 else ():
            found[stacks[row.path.rpartition(".")[0]]] += int(row.numel)
        return found if len(found) > 1 else {}

    @property
    def total(self) -> int:
        """Every parameter, tied ones once."""
        return int(self.ledger.total())


def count_model(model: Model, base: Model | None = None) -> CountResult:
    """Count a model whose dims all have numbers.

    Args:
        model: the model.
        base: what it was before the user changed its dims, to tell what followed.

    Raises:
        MissingDims: a dim has no number.
    """
    resolution = numbers(model)
    ledger = model.ledger(resolution.values)
    return CountResult(model, resolution, ledger, tuple(parameters.breakdown(ledger)),
                       tuple(model.layout.tensors(ledger)),
                       _known(base))


def _known(base: Model | None) -> Resolution | None:
    """The numbers of a model as it was, where it had them all."""
    try:
        return numbers(base) if base is not None else None
    except SymparamError:
        return None


class CountView(View):
    """A count that can be written in every format.

    Attributes:
        result: the count.
        tensors: whether the tensors are listed, in place of the tree.
    """

    def __init__(self, result: CountResult, tensors: bool = False,
                 notation: Notation = PRESETS["paper"]) -> None:
        self.result, self.tensors, self.notation = result, tensors, notation

    def document(self) -> Document:
        """The count as a tree with shares, or as the list of tensors."""
        from symparam.documents.count import count_document

        return count_document(self.result, self.tensors)

    def json(self) -> dict[str, Any]:
        """The count as data."""
        return count_json(self.result, self.tensors)


def _defaults(model: Model) -> dict[str, Any]:
    """The defaults that were taken, and where those are from that say so."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for text in model.defaulted:
        key, _, value = text.partition(" = ")
        values[key], end = json.JSONDecoder().raw_decode(value)
        if end < len(value):
            origins[key] = value[end:].strip()[1:-1]
    return {"defaulted": values} | ({"defaulted_from": origins} if origins else {})


def count_json(result: CountResult, tensors: bool) -> dict[str, Any]:
    """The count as data: exact integers; a share is for display."""
    total = result.total
    data: dict[str, Any] = {
        "model": result.model.name, "part": result.model.part, "total": total,
        "trainable": counts.value(result.ledger, "trainable"),
        "with_buffers": counts.value(result.ledger, "with_buffers"),
        "non_embedding": counts.non_embedding(result.ledger),
        "active": counts.active(result.ledger),
        "components": [{"path": row.path, "copies": row.copies, "per_copy": row.per_copy,
                        "numel": row.numel, "share": row.numel / total if total else 0.0}
                       for row in result.rows],
        **({"parts": result.parts} if result.parts else {}),
        "dims": result.resolution.values,
        "assumed": {dim: str(eq.expr) + (f", {eq.rounding}" if eq.rounding else "")
                    for dim, eq in result.resolution.rules.items()},
        **_defaults(result.model),
        "left_out": list(result.model.left_out),
        **resting_data(result.model),
    }
    if tensors:
        data["tensors"] = [{"name": t.name, "shape": list(t.shape), "copies": t.copies,
                            "numel": t.numel} for t in result.tensors]
    return data
