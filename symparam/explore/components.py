"""The components of a model: what the rows of a table and the parts of a bar are."""

from __future__ import annotations

from typing import Any

from symparam import expression as ex
from symparam.documents.count import row_title, words
from symparam.explore.explored import Explored
from symparam.quantities import parameters


def components_json(explored: Explored) -> list[dict[str, Any]]:
    """Each component with what its block is called, how often it stands, and its matrices."""
    rows = parameters.breakdown(explored.ledger)
    return [{"path": row.path, "title": row_title(explored.model, row),
             "block": block_of(explored, row.path), "copies": str(ex.node(row.copies)),
             "matrices": [matrix.name for matrix in row.matrices]} for row in rows]


def block_of(explored: Explored, path: str) -> str:
    """What the block of a component is called; empty where it stands alone."""
    name = path.rpartition(".")[0]
    repeated = any(stack.name == name and stack.repeat for stack in explored.model.stacks)
    kind = " ".join(words(name)).replace("_", " ")
    return f"{kind} block".strip() if repeated else ""
