"""What the script of the page counts with: the model's data, less what it has no use for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symparam import expression as ex
from symparam.constraints import Standing
from symparam.explore.bodies import Bodies
from symparam.explore.tables import is_known, label_of
from symparam.grammar import parse_expression
from symparam.resolve import MAX_DIM

#: What every dim has unless it is said otherwise.
USUAL = {"scale": "linear", "least": 1, "most": MAX_DIM, "key": None, "defaults": [],
         "given": False, "need": 0}
#: Of a dim, what stands elsewhere in the page.
TOLD = frozenset({"meaning", "unit", "group", "mathml", "aliases"})
#: So many matrices of a term are named.
NAMED = 6


def counting(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a model as the page's script reads it."""
    dims, bodies = data["dims"], Bodies(data)
    return {
        "dims": {name: _dim(name, dim, **data["needs"]) for name, dim in dims.items()},
        "aliases": [(other, name) for name, dim in dims.items() for other in dim["aliases"]
                    if other.isidentifier()],
        "command": data["command"], "config": data["config"],
        "equations": [(eq["dim"], eq["expression"]) for eq in data["equations"]
                      if eq["followed"] and eq["dim"] in dims
                      and is_known(eq["expression"], dims)],
        "checks": [*_checks(data)],
        "quantities": [_quantity(each, bodies) for each in data["quantities"]],
        "bodies": bodies.texts, **_lines(data["lines"])}


def _dim(name: str, dim: Mapping[str, Any], weights: list[str], work: list[str]) -> dict[str, Any]:
    """A dim, less what is usual, and what needs it: the weights (0), a model at work (1) or
    nothing (2)."""
    need = 0 if name in weights else 1 if name in work else 2
    return {key: value for key, value in {**dim, "need": need}.items() if key not in TOLD
            and value != (name if key == "latex" else USUAL.get(key, ...))}


def _checks(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The checks; and what definitions say of dims that are given nevertheless. What is said of
    one is its relations, unless it is said in other words."""
    for check in data["checks"]:
        relations = [" ".join(each.values()) for each in check["relations"]]
        extra = {key: check[key] for key in ("unless", "work") if check[key]}
        if check["text"] != " and ".join(relations):
            extra["text"] = check["text"]
        yield {"relations": relations, "reason": check["reason"], "dims": check["dims"], **extra}
    for eq in data["equations"]:
        if eq["standing"] == Standing.DEFINITION.value and is_known(eq["expression"], data["dims"]):
            inputs = ex.symbols_in(parse_expression(eq["expression"], data["dims"]))
            yield {"relations": [f"{eq['dim']} = {eq['expression']}"], "reason": eq["reason"],
                   "dims": [eq["dim"], *inputs]}


def _quantity(quantity: Mapping[str, Any], bodies: Bodies) -> dict[str, Any]:
    """A quantity with what each component adds."""
    return {"name": quantity["name"], "label": label_of(quantity), "unit": quantity["unit"],
            "work": quantity["work"], "shares": bodies.shares(quantity)}


def _lines(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The lines, each with the equations that it holds under and its terms by their places in one
    list (text, matrices): most terms stand in several lines."""
    terms: dict[tuple[str, str], int] = {}
    found = []
    for line in lines:
        kept = [(each["expression"], ", ".join(_named(each["matrices"]))) for each in line["terms"]]
        found.append((line["under"], [terms.setdefault(each, len(terms)) for each in kept]))
    return {"terms": [*terms], "lines": found}


def _named(names: list[str]) -> list[str]:
    """The first of some matrices, and how many more there are.

    >>> _named(["W_Q", "W_K"]), _named([*"abcdefgh"])[-2:]
    (['W_Q', 'W_K'], ['f', '… and 2 more'])
    """
    more = len(names) - NAMED
    return names if more <= 0 else [*names[:NAMED], f"… and {more} more"]
