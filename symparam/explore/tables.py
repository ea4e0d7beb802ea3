"""The tables and rows of the page as they stand in it before its script runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.documents.cost_data import number
from symparam.errors import SymparamError
from symparam.explore.explored import Answer, Explored
from symparam.grammar import parse_rule
from symparam.notation.numbers import grouped, percent
from symparam.quantities import parameters

#: What columns are called; of any other quantity its title.
LABELS = {"P": "parameters", "active": "active", "kv_per_token": "cache a token",
          "kv_cache": "cache", "state": "recurrent state", "flops_per_token": "FLOPs a token",
          "flops": "FLOPs"}
#: Components that are less than this of every quantity stand in one row.
SMALL = Fraction(1, 500)
#: No table has columns for these: they have places of their own above it.
APART = frozenset({"kv_cache", "state"})
COLOURS = 9


class Tables:
    """What the template is given.

    Args:
        explored: the model.
        data: the same as data.
    """

    def __init__(self, explored: Explored, data: Mapping[str, Any]) -> None:
        self.explored, self.data = explored, data
        self.answers = {answer.quantity.name: answer for answer in explored.answers}
        self.shown = [name for name, answer in self.answers.items() if answer.shares]
        self.columns = [name for name in self.shown if name not in APART]
        self.numbers = {name: dim["value"] for name, dim in data["dims"].items()}
        self.sums = self._sums()

    def values(self) -> dict[str, Any]:
        """Everything by its name in the template."""
        parts = [*self._parts()]
        return {
            "quantities": [*self._quantities()], "groups": [*self._groups()], "parts": parts,
            "whole": self._part(range(len(self.data["components"]))) | {"rows": r"\d+"},
            "columns": self.columns, "shown": self.shown,
            "labels": {name: self._label(name) for name in self.answers},
            "notes": [*self._notes()],
            "bars": [("P", "of what is stored"),
                     *([("active", "of what a token uses")] if "active" in self.answers else [])]}

    def _label(self, name: str) -> str:
        return next(label_of(each) for each in self.data["quantities"] if each["name"] == name)

    def _quantities(self) -> Iterator[dict[str, Any]]:
        for name, answer in self.answers.items():
            value = answer.value
            shown = grouped(value) if name == "P" else brief(value, answer.quantity.unit)
            yield {"name": name, "value": number(value), "shown": shown,
                   "label": self._label(name), "shares": answer.shares, **self._run(answer)}

    def _run(self, answer: Answer) -> dict[str, Any]:
        """At how many tokens it is: what the model is run with, as far as it enters."""
        inside = {name for share in answer.shares for factor in share.factors
                  for name in ex.symbols_in(ex.node(factor))}
        run = [name for name in self.explored.run if name in inside]
        return {"run": run, "at": ", ".join(f"{name} = {grouped(self.numbers[name])}"
                                            for name in run)}

    def _notes(self) -> Iterator[str]:
        """In which formats and by which convention the columns are counted, each once."""
        found: dict[str, list[str]] = {}
        for each in self.data["quantities"]:
            if each["name"] in self.shown and each["taken"]:
                found.setdefault("; ".join(each["taken"]), []).append(self._label(each["name"]))
        for taken, names in found.items():
            yield f"{', '.join(names)}: {taken}."
        if any(each["unit"] == "FLOP" for each in self.data["quantities"]):
            yield "A product and its sum are two FLOPs."

    # --- dims -----------------------------------------------------------------------------------

    def _groups(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The rows of the form by their headings."""
        found: dict[str, list[dict[str, Any]]] = {}
        for name, dim in self.data["dims"].items():
            found.setdefault(dim["group"], []).append(
                {"name": name, **dim, **_slider(dim, self._divided(name)),
                 **self._rules(name, dim), "spelt": _is_spelt(name, dim["mathml"])})
        return iter(found.items())

    def _divided(self, name: str) -> int:
        """The largest number that a dim has to divide (of n_kv the query heads); 0 where none."""
        sides = [each["right"] for check in self.data["checks"] for each in check["relations"]
                 if (each["left"], each["sign"]) == (name, "divides")]
        return max((self.numbers.get(side, 0) for side in sides), default=0)

    def _rules(self, name: str, dim: Mapping[str, Any]) -> dict[str, Any]:
        """What a dim may follow, and what it follows or not as published."""
        known = {eq["expression"]: eq for eq in reversed(self.data["equations"])
                 if eq["dim"] == name and is_known(eq["expression"], self.numbers)}
        used = [_ruled(eq) for eq in known.values() if eq["used"]]
        others = [(text, _ruled(eq)) for text, eq in known.items() if not eq["used"]]
        hand = [] if dim["given"] else [(str(dim["value"]), "by hand")]
        return {"own": (used or ["by hand"])[0], "rules": [*hand, *others] if known else []}

    # --- components -----------------------------------------------------------------------------

    def _sums(self) -> dict[str, list[Fraction]]:
        """Every quantity by component."""
        paths = [row["path"] for row in self.data["components"]]
        found = {name: [Fraction(0)] * len(paths) for name in self.answers}
        for name, answer in self.answers.items():
            for share in answer.shares:
                place = parameters.place(share.path) if share.path.count(".") else share.path
                value = ex.evaluate(ex.product_of(*map(ex.node, share.factors)), self.numbers)
                if place in paths:
                    found[name][paths.index(place)] += Fraction(value)
        return found

    def _parts(self) -> Iterator[dict[str, Any]]:
        """The rows of the table: components, and in the last one those that are next to nothing."""
        rows = range(len(self.data["components"]))
        small = [row for row in rows if all(self.sums[name][row] < SMALL * self.answers[name].value
                                            for name in self.columns)]
        small = small if len(small) > 1 else []
        for place, row in enumerate(row for row in rows if row not in small):
            data = self.data["components"][row]
            yield {**self._part([row]), "key": f"c{place % COLOURS}", "title": data["title"],
                   "block": data["block"], "short": _short(data)}
        if small:
            names = dict.fromkeys(_short(self.data["components"][row]) for row in small)
            yield {**self._part(small), "key": "c8", "title": f"the rest: {', '.join(names)}",
                   "block": "", "short": "the rest"}

    def _part(self, rows: Any) -> dict[str, Any]:
        """Some components, by a pattern of their places, as cells and as shares of bars."""
        sums = {name: sum((self.sums[name][row] for row in rows), Fraction(0))
                for name in self.columns}
        total = self.answers["P"].value
        cells = [brief(sums[name], self.answers[name].quantity.unit) if sums[name] else ""
                 for name in self.columns]
        shares = {name: float(sums[name] / (self.answers[name].value or 1)) for name in sums}
        return {"rows": "|".join(map(str, rows)),
                "share": {name: f"{share:.4f}" for name, share in shares.items()},
                "cells": [cells[0], percent(int(sums["P"]), int(total)), *cells[1:]]}


def is_known(text: str, names: Mapping[str, Any]) -> bool:
    """Whether all names in a rule are among some.

    >>> is_known("8/3*d_model, up to 256", {"d_model": 1}), is_known("4*d_ff", {"d_model": 1})
    (True, False)
    """
    try:
        return set(ex.symbols_in(parse_rule(text, names).expr)) <= set(names)
    except SymparamError:
        return False


def label_of(quantity: Mapping[str, Any]) -> str:
    """What a column of a quantity is called."""
    return LABELS.get(quantity["name"], str(quantity["title"]))


def _short(component: Mapping[str, Any]) -> str:
    return str(component["title"]).partition(" (")[0]


def _ruled(equation: Mapping[str, Any]) -> str:
    return f"= {equation['expression']}: {equation['reason']}"


def _is_spelt(name: str, mathml: str) -> bool:
    """Whether the letters of a dim are those of its name: not of q_rank, which is written r_q.

    >>> _is_spelt("d_ff", "<msub><mi>d</mi><mi>ff</mi></msub>"), _is_spelt("top_k", "<mi>k</mi>")
    (True, False)
    """
    return re.sub(r"<[^>]*>|[ ,]", "", mathml) == name.replace("_", "")


def _slider(dim: Mapping[str, Any], reach: int = 0) -> dict[str, int]:
    """From where to where a slider goes, at least as far as ``reach``, in which steps, and where
    it stands."""
    value, step = dim["value"], dim["step"]
    if dim["scale"] == "doubling":
        high = max(20, math.ceil(math.log2(max(value, 1))) + 2)
        return {"low": 0, "high": high, "step": 1, "position": round(math.log2(max(value, 1)))}
    return {"low": value % step or step, "high": max(2 * value, 8 * step, reach), "step": step,
            "position": value}


def brief(value: Fraction | int, unit: str) -> str:
    """A number in three places or so.

    >>> brief(6738415616, "parameters"), brief(524288, "B"), brief(0, "FLOP")
    ('6.74 B', '524.29 kB', '0 FLOP')
    >>> brief(10**19, "FLOP")
    '10000.00 PFLOP'
    """
    step = 0
    while step < 5 and abs(value) >= 1000 ** (step + 1):
        step += 1
    counts = unit == "parameters"
    shown = decimal(Fraction(value) / 1000**step, 2 if step else 0)
    prefix = ("", *("kMBTP" if counts else "kMGTP"))[step]
    return f"{shown} {prefix}{'' if counts else unit}".strip()
