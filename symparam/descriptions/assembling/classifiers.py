"""A classifier behind an encoder: its scores, and how many classes a configuration tells apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.layout import Layout
from symparam.model import Model
from symparam.stack import Stack

#: Classes where nothing says how many: transformers' own default.
LABELS = 2


def labels_of(config: Config) -> int:
    """How many classes there are: as a number says, or else as many as have names.

    Raises:
        SpecError: none, or no number.
    """
    number, names = config.optional_count("num_labels"), config.raw("id2label", None)
    if number is not None or names is None:
        return LABELS if number is None else number
    if not isinstance(names, dict) or not names:
        raise config.error("id2label", "expected a table with the name of each class")
    return len(names)


def classified(model: Model, top: str, labels: int, width: str = "d_model", *,
               equations: Iterable[Equation] = (), declared: Iterable[Dim] = ()) -> Model:
    """An encoder under a name of its own, with scores behind it.

    Args:
        model: the encoder.
        top: what the names of its tensors begin with there.
        labels: how many classes there are.
        width: the dim that is the width of what is scored.
        equations, declared: the rule and the declaration of that dim, where it has one.
    """
    linear = slot("scores", "linear", "classifier.", {"d_model": width}, bias=True)
    scores = Stack("head", (linear,), causal=False)
    return replace(
        model, stacks=(*(replace(s, prefix=top + s.prefix) for s in model.stacks), scores),
        values={**model.values, "n_labels": labels}, equations=(*model.equations, *equations),
        declared=(*model.declared, *declared), part="encoder with classifier",
        layout=Layout(model.layout.name, tuple(
            e if e.tensor.startswith(".") else replace(e, tensor=top + e.tensor)
            for e in model.layout.entries)))
