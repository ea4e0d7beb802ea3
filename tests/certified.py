"""Certificates for tests, and false ones: each a true one with one thing changed."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import Any

from symparam.certificate.of_derivation import derivation_certificate
from symparam.certificate.of_diff import diff_certificate
from symparam.certificate.of_sensitivity import sensitivity_certificate
from symparam.certificate.of_solution import solution_certificate
from symparam.derivation.plan import derive
from symparam.descriptions.decoder import plain_decoder
from symparam.descriptions.load import load
from symparam.diff.difference import compare
from symparam.sensitivity import analyse
from symparam.solve import solve

Data = dict[str, Any]

#: How many mutants are shown to the checker every day.
MUTANTS = 120

#: A fixed sample of each kind.
SAMPLE: dict[str, Callable[[], Data]] = {
    "derive gpt2": lambda: derivation_certificate(derive(load("gpt2"))),
    "derive decoder": lambda: derivation_certificate(derive(plain_decoder(), leading="d_model")),
    "leading llama": lambda: derivation_certificate(derive(
        load("llama-2-7b"), ["d_ff = 8/3*d_model"], "d_model")),
    "left out twice": lambda: derivation_certificate(derive(
        load("nemotron-h-8b"), ["d_state = 1/32*d_model", "d_ff = 21/4*d_model"], "d_model")),
    "mixture": lambda: derivation_certificate(derive(load("deepseek-v3"))),
    "albert": lambda: derivation_certificate(derive(load("albert-base"))),
    "t5": lambda: derivation_certificate(derive(load("t5-small"))),
    "mamba": lambda: derivation_certificate(derive(load("mamba-130m"))),
    "rounded": lambda: derivation_certificate(derive(
        plain_decoder(), ["d_ff = 8/3*d_model, up to 256"])),
    "windows": lambda: derivation_certificate(derive(load("gemma-3-27b"), quantity="kv_cache")),
    "flops": lambda: derivation_certificate(derive(load("gpt2"), quantity="flops")),
    "inside": lambda: derivation_certificate(derive(load("gpt2"), quantity="memory")),
    "paper": lambda: derivation_certificate(derive(load("gpt2"), quantity="train_kaplan")),
    "diff": lambda: diff_certificate(compare(load("gpt2"), load("llama-2-7b"))),
    "diff of caches": lambda: diff_certificate(compare(
        load("mixtral-8x7b"), load("llama-2-7b"), "kv_cache")),
    "sensitivity": lambda: sensitivity_certificate(analyse(load("llama-2-7b"))),
    "sensitivity of flops": lambda: sensitivity_certificate(analyse(
        load("gpt2"), quantity="flops")),
    "solve": lambda: solution_certificate(solve(
        plain_decoder(), 7 * 10**9, given={"L": 32}, limit=3)),
    "solve model": lambda: solution_certificate(solve(load("llama-2-7b"), 10**9, limit=2))}


@cache
def certificates() -> dict[str, Data]:
    """The sample, made once."""
    return {name: make() for name, make in SAMPLE.items()}


def value(formula: str, rng: random.Random) -> Any:
    """A formula at numbers without a pattern: what Python makes of it, and not what checks it."""
    rng = random.Random(rng.random())
    names = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", formula))
    at: Data = {name: Fraction(rng.randint(10**6, 10**7)) for name in names}
    at |= {"up": ceil, "down": floor, "nearest": lambda x: floor(x + Fraction(1, 2))}
    text = re.sub(r"(?<![\w*])(\d+)", r"Fraction(\1)", formula)
    return eval(text, {"Fraction": Fraction, "__builtins__": {}}, at)


def other(old: str, new: str) -> bool:
    """Whether two formulas are different ones."""
    return old != new and value(old, random.Random(1)) != value(new, random.Random(1))


def formulas(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The places of all formulas in a body: what is neither a key nor a word for people."""
    if isinstance(data, dict):
        for key, inner in data.items():
            if key not in {"about", "symbol", "unknown", "wrt", "leading", "given", "equation",
                           "dims", "layers"}:
                yield from formulas(inner, (*here, key))
    elif isinstance(data, list):
        for i, inner in enumerate(data):
            if not (here and here[-1] in {"roots", "equations"}):
                yield from formulas(inner, (*here, i))
    elif isinstance(data, str):
        yield here, data


def at(data: Any, where: tuple[Any, ...]) -> Any:
    """What stands at a place."""
    for key in where:
        data = data[key]
    return data


def put(data: Any, where: tuple[Any, ...], new: Any) -> None:
    """Put something else there."""
    at(data, where[:-1])[where[-1]] = new


def _coefficient(text: str, rng: random.Random) -> str:
    found = [m for m in re.finditer(r"(?<![\w*(/])(\d+)(?![\w)])", text) if text[m.end():] != ""]
    if not found:
        return f"2*({text})"
    at_ = rng.choice(found)
    return f"{text[:at_.start()]}{int(at_[1]) + 1}{text[at_.end():]}"


def _power(text: str, rng: random.Random) -> str:
    if "**2" in text:
        return text.replace("**2", "**3", 1)
    found = list(re.finditer(r"\b[A-Za-z_]\w*\b(?!\()", text))
    if not found:
        return text
    at_ = rng.choice(found)
    left, right = text[:at_.end()], text[at_.end():]
    return text if right.startswith("**") else f"{left}**2{right}"


def _symbol(text: str, rng: random.Random) -> str:
    found = sorted(set(re.findall(r"\b[A-Za-z_]\w*\b(?!\()", text)))
    return re.sub(rf"\b{rng.choice(found)}\b", "(V + 1)", text, count=1) if found else text


def _changed(data: Data, rng: random.Random) -> str:
    """One formula changed in place; what was done."""
    kind, change = rng.choice([("coefficient", _coefficient), ("power", _power),
                               ("symbol", _symbol)])
    where, text = rng.choice(list(formulas(data["body"])))
    new = change(text, rng)
    if "**(1/2)" in text or not other(text, new):
        return ""
    put(data["body"], where, new)
    return f"{kind} {where}: {text} -> {new}"


def _lines(data: Data) -> list[Data]:
    return list(data["body"].get("lines", []))


def _term(data: Data, rng: random.Random) -> str:
    lists = [row["terms"] for row in (*_lines(data), *data["body"].get("parts", ()),
                                      *data["body"].get("places", ())) if len(row["terms"]) > 1]
    if not lists:
        return ""
    terms = rng.choice(lists)
    gone = terms.pop(rng.randrange(len(terms)))
    return f"term {gone[0]}" if gone[0] != "0" else ""


def _copies(data: Data, rng: random.Random) -> str:
    stacks = [stack for part in data["body"].get("parts", ()) for stack in part["stacks"]]
    rows = [row for stack in stacks for row in stack["entries"].values() if "copies" in row]
    rows += [row for row in data["body"].get("entries", {}).values() if "copies" in row]
    if rng.random() < 0.5 and stacks:
        stack = rng.choice(stacks)
        stack["layers"] = f"{stack['layers']} + 1"
        return f"copies of layers {stack['layers']}"
    if not rows:
        return ""
    row = rng.choice(rows)
    row["copies"] = f"2*({row['copies']})"
    return f"copies {row['copies']}"


def _dim(data: Data, rng: random.Random) -> str:
    tables = [data["body"][key] for key in ("dims",) if data["body"].get(key)]
    tables += [row["dims"] for row in data["body"].get("configurations", ())]
    if not tables:
        return ""
    table = rng.choice(tables)
    name = rng.choice(sorted(table))
    table[name] += 1
    return f"dim {name} {table[name]}"


def _swapped(data: Data, rng: random.Random) -> str:
    lines = _lines(data)
    pairs = [i for i in range(len(lines) - 1) if lines[i]["given"] or lines[i + 1]["given"]]
    pairs = [i for i in pairs if other(lines[i]["line"], lines[i + 1]["line"])]
    if not pairs:
        return ""
    i = rng.choice(pairs)
    all_of_them = data["body"]["lines"]
    all_of_them[i], all_of_them[i + 1] = all_of_them[i + 1], all_of_them[i]
    return f"swapped {i}"


def _dropped(data: Data, rng: random.Random) -> str:
    lines = [line for line in _lines(data) if line["given"]]
    rows = [row for m in data["body"].get("measures", ()) for row in m["rows"] if row["follows"]]
    forms = [form for form in data["body"].get("forms", ())
             if form["equations"] and form["formulas"]]
    if lines:
        rng.choice(lines)["given"] = None
    elif forms:
        form = rng.choice(forms)
        form["equations"].pop()
    elif rows:
        row = rng.choice(rows)
        row["follows"] = []
        if row["about"]["held"] == "all others":
            return ""
    else:
        return ""
    return "dropped constraint"


def _number(data: Data, rng: random.Random) -> str:
    bound = any(form["roots"] for form in data["body"].get("forms", ()))  # a target, by its roots
    places = [(where, n) for where, n in _numbers(data["body"])
              if n is not None and (bound or where != ("target",))]
    if not places:
        return ""
    where, n = rng.choice(places)
    put(data["body"], where, str(Fraction(n) + 1) if isinstance(n, str) else n + 1)
    return f"number {where}"


def _numbers(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    rows = data.items() if isinstance(data, dict) else (
        enumerate(data) if isinstance(data, list) else ())
    for key, inner in rows:
        if key in {"value", "numel", "change", "here", "relative", "target"} and isinstance(
                inner, int | str):
            yield (*here, key), inner
        elif key not in {"about", "dims", "roots"}:
            yield from _numbers(inner, (*here, key))


def _left(data: Data, rng: random.Random) -> str:
    lines = [line for line in _lines(data) if line["left"]]
    if not lines:
        return ""
    line = rng.choice(lines)
    line["left"] = [x for x in line["left"] if x is not rng.choice(line["left"])][:-1]
    return "left out"


KINDS: tuple[Callable[[Data, random.Random], str], ...] = (
    _changed, _changed, _changed, _term, _copies, _dim, _swapped, _dropped, _number, _left)


def mutants(count: int, seed: int) -> Iterator[tuple[str, Data]]:
    """So many false certificates, with what was changed."""
    rng, made = random.Random(seed), 0
    found = list(certificates().items())
    while made < count:
        name, true = rng.choice(found)
        data = copy.deepcopy(true)
        said = rng.choice(KINDS)(data, rng)
        if said:
            made += 1
            yield f"{said} ({name})", data
