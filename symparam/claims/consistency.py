"""Whether the numbers of a model go together: relations, and rules of thumb."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from symparam.align import PARTS, alignment_checks
from symparam.dataclass import dataclass
from symparam.errors import ConstraintViolated, SymparamError
from symparam.model import Model
from symparam.resolve import numbers

Level: TypeAlias = Literal["error", "note", "guideline"]


@dataclass(frozen=True)
class Finding:
    """Something about a model's numbers.

    Attributes:
        level: an error makes it no model; a note is against what is usual of the architecture; a
            guideline is a rule of thumb that it does not follow.
        what: in words, with the arithmetic.
    """

    level: Level
    what: str


def findings(model: Model, dims: Mapping[str, int] | None = None) -> tuple[Finding, ...]:
    """What is to be said of a model's numbers, errors first.

    Args:
        model: the model.
        dims: its numbers, where they were worked out and checked already.

    >>> from symparam.descriptions.load import load
    >>> [f.what for f in findings(load("gpt3-13b")) if f.level == "note"]
    ['n_heads·d_head = 40·128 = 5,120, which is 20 less than d_model = 5,140']
    """
    try:
        known = numbers(model).values if dims is None else dims
    except SymparamError as error:
        return (Finding("error", str(error)), *_relations(model, dict(model.values)))
    return (*_split(known), *_guidelines(known))


def _relations(model: Model, values: Mapping[str, int]) -> Iterator[Finding]:
    """Further relations that numbers break; the first is said already."""
    first = True
    for check in model.all_checks():
        try:
            check.check(values)
        except ConstraintViolated as error:
            if not first:
                yield Finding("error", str(error))
            first = False


def _split(dims: Mapping[str, int]) -> Iterator[Finding]:
    """Whether the heads are as wide together as the model."""
    if not {"n_heads", "d_head", "d_model"} <= set(dims):
        return
    heads, width, model = dims["n_heads"], dims["d_head"], dims["d_model"]
    gap = heads * width - model
    if gap:
        word = "more" if gap > 0 else "less"
        yield Finding("note", f"n_heads·d_head = {heads}·{width} = {heads * width:,}, which is "
                              f"{abs(gap):,} {word} than d_model = {model:,}")


def _guidelines(dims: Mapping[str, int]) -> Iterator[Finding]:
    """Rules of thumb that the dims do not follow."""
    for check in alignment_checks({k: v for k, v in dims.items() if k in _ALIGNED}):
        if check.passed is False and "quantisation" not in check.name:
            yield Finding("guideline", f"{check.name}: no, {check.detail}")
    if {"L", "d_model"} <= set(dims):
        ratio = Fraction(dims["d_model"], dims["L"])
        if not 50 <= ratio <= 100:
            yield Finding("guideline", f"d_model/L from 50 to 100: no, {dims['d_model']}/"
                                       f"{dims['L']} = {float(ratio):.1f}")
    if {"d_ff", "d_model"} <= set(dims):
        ratio = Fraction(dims["d_ff"], dims["d_model"])
        if not Fraction(5, 2) <= ratio <= 4:
            yield Finding("guideline", f"d_ff/d_model from 2.5 to 4: no, {dims['d_ff']}/"
                                       f"{dims['d_model']} = {float(ratio):.2f}")


#: The dims whose alignment is looked at.
_ALIGNED = ("d_model", "d_ff", "d_head", "n_heads", "n_kv", *PARTS)
