"""A model as data, ``explore/1``: exact integers, expressions as text of the closed grammar."""

from __future__ import annotations

from typing import Any

from symparam import __version__
from symparam import expression as ex
from symparam.documents.common.foundation import resting_data
from symparam.documents.cost_data import number
from symparam.explore.components import components_json
from symparam.explore.described import dims_json
from symparam.explore.explored import Answer, Explored
from symparam.explore.keys import configuration_of
from symparam.explore.lines import lines_json
from symparam.explore.relations import checks_json, equations_json
from symparam.notation.notation import PRESETS, Notation
from symparam.quantities.setting import setting_in_words

#: What this is, and which of its versions: another number is not read by what reads this one.
SCHEMA = "explore/1"


def explored_json(explored: Explored, notation: Notation = PRESETS["paper"]) -> dict[str, Any]:
    """Everything that another program needs to count the model with other numbers.

    Args:
        explored: the model.
        notation: how dims are written in LaTeX and MathML.
    """
    model = explored.model
    found = configuration_of(model, explored.config)
    return {
        "schema": SCHEMA, "version": __version__,
        "model": model.name, "part": model.part,
        "command": None if explored.reference.words is None else {
            "words": explored.reference.words, "given": dict(explored.reference.given)},
        "source": model.source, "claim": model.claim, "note": model.note,
        "left_out": list(model.left_out), "beside": model.beside,
        "dims": dims_json(explored, notation, {} if found is None else found.keys),
        "needs": {"weights": list(model.dims), "work": list(model.dims_at_work)},
        "equations": equations_json(explored), "checks": checks_json(explored),
        "components": components_json(explored),
        "quantities": [_quantity(answer, explored) for answer in explored.answers],
        "lines": lines_json(explored.derivation, notation),
        "config": None if found is None else dict(found.data),
        **resting_data(model),
    }


def _quantity(answer: Answer, explored: Explored) -> dict[str, Any]:
    """A quantity: what it counts, and every share as factors."""
    q = answer.quantity
    return {
        "name": q.name, "title": q.title, "unit": q.unit, "convention": q.convention,
        "source": q.source, "work": q.at_work, "value": number(answer.value),
        "run": [name for name in explored.run if name in q.needs],
        "taken": list(setting_in_words(explored.at_work, q.needs)),
        "shares": [{"path": share.path, "factors": [str(ex.node(f)) for f in share.factors]}
                   for share in answer.shares]}
