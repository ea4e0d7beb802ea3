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
         "given": False}
#: Of a dim, what stands elsewhere in the page.
TOLD = frozenset({"meaning", "unit", "group", "latex", "mathml", "aliases"})
#: So many matrices of a term are named.
NAMED = 6


def counting(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a model as the page's script reads it."""
    dims, bodies = data["dims"], Bodies(data)
    return {
        "dims": {name: {key: value for key, value in dim.items()
                        if key not in TOLD and USUAL.get(key, ...) != value}
                 for name, dim in dims.items()},
        "aliases": [(other, name) for name, dim in dims.items() for other in dim["aliases"]],
        "needs": _needs(**data["needs"]), "command": data["command"], "config": data["config"],
        "equations": [(eq["dim"], eq["expression"]) for eq in data["equations"]
                      if eq["followed"] and eq["dim"] in dims
                      and is_known(eq["expression"], dims)],
        "checks": [*_checks(data)],
        "quantities": [_quantity(each, bodies) for each in data["quantities"]],
        "bodies": bodies.texts, **_lines(data["lines"])}


def _needs(weights: list[str], work: list[str]) -> tuple[list[str], list[str]]:
    """What the weights need, and what a model at work needs besides."""
    return weights, [name for name in work if name not in weights]


def _checks(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The checks; and what definitions say of dims that are given nevertheless."""
    for check in data["checks"]:
        sides = [(each["left"], each["sign"], each["right"]) for each in check["relations"]]
        extra = {key: check[key] for key in ("unless", "work") if check[key]}
        yield {"text": check["text"], "reason": check["reason"], "dims": check["dims"],
               "relations": sides, **extra}
    for eq in data["equations"]:
        if eq["standing"] == Standing.DEFINITION.value and is_known(eq["expression"], data["dims"]):
            inputs = ex.symbols_in(parse_expression(eq["expression"], data["dims"]))
            yield {"text": f"{eq['dim']} = {eq['expression']}", "reason": eq["reason"],
                   "dims": [eq["dim"], *inputs],
                   "relations": [(eq["dim"], "=", eq["expression"])]}


def _quantity(quantity: Mapping[str, Any], bodies: Bodies) -> dict[str, Any]:
    """A quantity with what each component adds."""
    return {"name": quantity["name"], "label": label_of(quantity), "unit": quantity["unit"],
            "work": quantity["work"], "shares": bodies.shares(quantity)}


def _lines(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The lines, each with the equations that it holds under and its terms by their places in one
    list (text, LaTeX, matrices): most terms stand in several lines."""
    terms: dict[tuple[str, ...], int] = {}
    found = []
    for line in lines:
        kept = [(each["expression"], each["latex"], ", ".join(_named(each["matrices"])))
                for each in line["terms"]]
        found.append((line["under"], [terms.setdefault(term, len(terms)) for term in kept]))
    return {"terms": [*terms], "lines": found}


def _named(names: list[str]) -> list[str]:
    """The first of some matrices, and how many more there are.

    >>> _named(["W_Q", "W_K"]), _named([*"abcdefgh"])[-2:]
    (['W_Q', 'W_K'], ['f', '… and 2 more'])
    """
    more = len(names) - NAMED
    return names if more <= 0 else [*names[:NAMED], f"… and {more} more"]
