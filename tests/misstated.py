"""Certificates whose file for Coq says what is false: each a true one with one thing changed."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from symparam.certificate.coq import coq_of
from tests.certified import (
    Data,
    _coefficient,
    _copies,
    _dim,
    _dropped,
    _lines,
    _power,
    _swapped,
    _symbol,
    at,
    certificates,
    formulas,
    other,
    put,
)


def _said_in_coq(body: Data) -> list[tuple[Any, ...]]:
    """The places of the formulas that a file for Coq states: matrices, parts, lines, what is left
    out."""
    found: list[tuple[Any, ...]] = []
    for where, _ in formulas(body):
        inside = {"entries", "pairs"} & set(where)
        if inside or (where[-1] == "line" and where[0] in {"parts", "lines", "places", "line"}) or (
                where[0] == "lines" and "left" in where and where[-1] == 0):
            found.append(where)
    return [*found, *((("apart",),) if "apart" in body else ())]


def _statement(data: Data, rng: random.Random) -> str:
    """A coefficient, a power, a dim or a whole term of a formula that Coq reads."""
    where = rng.choice(_said_in_coq(data["body"]))
    text = at(data["body"], where)
    if "(1/2)" in text:
        return ""
    kind, change = rng.choice([("coefficient", _coefficient), ("power", _power),
                               ("dim", _symbol), ("term", _without_a_term)])
    new = change(text, rng)
    if not new or not other(text, new):
        return ""
    put(data["body"], where, new)
    return f"{kind} {where}: {text} -> {new}"


def _without_a_term(text: str, rng: random.Random) -> str:
    """A sum without one of its terms."""
    depth, starts = 0, [0]
    for i, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0 and text[i:i + 3] in {" + ", " - "}:
            starts.append(i)
    terms = [text[i:j] for i, j in zip(starts, [*starts[1:], len(text)], strict=True)]
    if len(terms) < 2:
        return ""
    terms.pop(rng.randrange(1, len(terms)))
    return "".join(terms)


def _given(data: Data, rng: random.Random) -> str:
    """Another right side of an equation."""
    lines = [line for line in _lines(data) if line["given"]]
    if not lines:
        return ""
    line = rng.choice(lines)
    name, _, right = line["given"].partition(" = ")
    line["given"] = f"{name} = 2*({right})"
    return f"equation {line['given']}"


STATEMENTS: tuple[Callable[[Data, random.Random], str], ...] = (
    _statement, _statement, _statement, _statement, _copies, _dim, _swapped, _dropped, _given)


def statement_mutants(count: int, seed: int) -> Iterator[tuple[str, Data]]:
    """So many false certificates whose file for Coq says what is false, with what was changed."""
    rng, made = random.Random(seed), 0
    found = [(name, data) for name, data in certificates().items()
             if data["kind"] in ("derive", "diff") and not data["body"].get("inside")]
    while made < count:
        name, true = rng.choice(found)
        data = copy.deepcopy(true)
        said = rng.choice(STATEMENTS)(data, rng)
        if said and _file(data) not in {"", coq_of(true)}:
            made += 1
            yield f"{said} ({name})", data


def _file(data: Data) -> str:
    """The file for Coq, which a dim of a convention alone does not change; none where a line now
    speaks of a dim without a number."""
    try:
        return coq_of(data)
    except KeyError:
        return ""
