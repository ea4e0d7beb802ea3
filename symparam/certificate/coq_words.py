"""Formulas and names as Coq reads them, sign by sign, and what a formula divides by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from symparam.certificate import check
from symparam.errors import BadValue
from symparam.showable import line as one_line

#: Words that a dim may not be called in the file.
_TAKEN = frozenset("""as at cofix else end exists exists2 fix for forall fun if in let match mod
    Prop return Set then Type using where with by Q Z N R S O I E nil cons list total size entry
    Matrix Product rows columns copies left_out rounded_up up down nearest""".split()) | {""}

ROUNDED = {
    "up": "Definition up (x : Q) : Q := inject_Z (- ((- Qnum x) / Zpos (Qden x))).",
    "down": "Definition down (x : Q) : Q := inject_Z (Qnum x / Zpos (Qden x)).",
    "nearest": "Definition nearest (x : Q) : Q := "
               "inject_Z ((2 * Qnum x + Zpos (Qden x)) / (2 * Zpos (Qden x)))."}
_WIDTH = 96


def said(text: object) -> str:
    """Words in a comment."""
    return one_line(str(text)).replace("(*", "( *").replace("*)", "* )").replace('"', "''")


def name_of(text: str) -> str:
    """A name as Coq may have it; two dims never get the same.

    >>> name_of("layers[dense].ffn.W_up"), name_of("end"), name_of("end_"), name_of("d_")
    ('layers_dense_ffn_W_up', 'end_', 'end__', 'd_')
    """
    if not check.NAME.fullmatch(text):
        found = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
        text = found if check.NAME.fullmatch(found) else f"n_{found}"
    return f"{text}_" if text.rstrip("_") in _TAKEN else text


def formula(text: str) -> str:
    """A formula as Coq reads it.

    >>> formula("8/3*d_model**2 + up(V/2)")
    '(8#3)*d_model^2 + (up (V/2))'
    """
    words = check.WORD.findall(text)
    if "".join(words) != text.replace(" ", ""):
        raise BadValue("--format", "coq", f"a formula has what is not written for Coq: {text}")
    out, closing, depth, i = "", list[int](), 0, 0
    while i < len(words):
        word, after = words[i], words[i + 1:i + 3]
        if word.isdigit() and after[:1] == ["/"] and after[1:] and after[1].isdigit() and (
                words[i - 1] not in {"/", "**"} or i == 0) and words[i + 3:i + 4] != ["**"]:
            out, i = f"{out}({word}#{after[1]})", i + 2
        elif word in ROUNDED and after[:1] == ["("]:
            closing.append(depth)
            out += f"({word} "
        elif word in "()":
            depth += 1 if word == "(" else -1
            out += word
            if word == ")" and closing and closing[-1] == depth:
                closing.pop()
                out += ")"
        elif word == "**":
            out += "^"
        else:
            out += f" {word} " if word in "+-" and out and out[-1] not in "(^" else (
                word if not check.NAME.fullmatch(word) else name_of(word))
        i += 1
    return out.replace("  ", " ")


def wrapped(text: str, indent: str = "    ") -> str:
    """A long line broken at spaces."""
    bare = text.lstrip(" ")
    out, here = list[str](), " " * (len(text) - len(bare))
    for word in bare.split(" "):
        if here.strip() and len(here) + 1 + len(word) > _WIDTH:
            out.append(here)
            here = indent + word
        else:
            here = f"{here} {word}" if here.strip() else here + word
    return "\n".join([*out, here])


def fraction(text: str) -> Any:
    """A formula as a fraction of polynomials."""
    check.state.update(work=0, squares={}, read={}, own={})
    return check.read(text)  # type: ignore[no-untyped-call]


def denominators(text: str) -> Iterator[str]:
    """What a formula divides by, for Coq: names; of a sum the whole.

    >>> list(denominators("V*d_model/(n_heads*g) + L/16 + 1/(V + 1)"))
    ['g', 'n_heads', '(V + 1)']
    """
    words = check.WORD.findall(text)
    for i, word in enumerate(words):
        if word == "/" and check.NAME.fullmatch(words[i + 1]):
            yield name_of(words[i + 1])
        elif word == "/" and words[i + 1] == "(":
            end = next(j for j in range(i + 2, len(words) + 1)
                       if words[i + 1:j].count("(") == words[i + 1:j].count(")"))
            inside = "".join(words[i + 1:end])
            over, _ = fraction(inside)
            if len(over) == 1:
                yield from (name_of(name) for powers in over for name, _ in powers)
            else:
                yield f"({formula(inside[1:-1])})"
        elif word == "**" and words[i + 1:i + 3] == ["(", "-"]:
            yield name_of(words[i - 1])


def power(name: str, exponent: int) -> str:
    """A power as Coq reads it.

    >>> power("L", 1), power("L", 2), power("L", -1)
    ('L', 'L^2', 'L^(-1)')
    """
    return name if exponent == 1 else f"{name}^{exponent if exponent > 0 else f'({exponent})'}"
