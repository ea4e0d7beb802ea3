"""Names of dims in a line of words, as the symbols that they are."""

from __future__ import annotations

import re

from symparam import expression as ex
from symparam.dims import TOTAL, is_declared, known_dims
from symparam.grammar import parse_expression
from symparam.run import RUN
from symparam.writers.document import Math, Span

#: Names and numbers with signs of a product or of a sum between them, and none.
_RUN = re.compile(r"(?<![\w.:/*-])[A-Za-z0-9]\w*(?:(?: ?[·*/] ?| [+−-] )[A-Za-z0-9]\w*)*"
                  r"(?![\w.(]\w)", re.ASCII)
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
#: A product or a sum in which nothing but names and whole numbers stand, perhaps equal to one.
_ATOM = r"[A-Za-z0-9]\w*"
_SUM = rf"{_ATOM}(?:(?: ?[·*] ?| [+−-] ){_ATOM})+"
_FORMULA = re.compile(rf"(?<![\w.,:/*·^)=+−-])(?<![=+*·/−-] )(?:{_ATOM} = )?{_SUM}(?: = {_ATOM})?"
                      r"(?![\w*·/^(]|\.\w| [*·/+=−-])", re.ASCII)
#: What makes a symbol of a letter that stands alone.
_EQUALS = re.compile(r" ?[=≈≤≥] ?\d")


#: What counts the layers of a kind, whatever kinds there are.
_LAYERS = re.compile(r"L_\w+")
#: What a dim of a component may be called that nobody has asked for yet.
_LIKELY = re.compile(r"[dnkL]_\w+|\w+_rank|top_k")


def _is_symbol(name: str) -> bool:
    if is_declared(name) or name in (*RUN, TOTAL.name, "d") or _LAYERS.fullmatch(name):
        return True
    return _LIKELY.fullmatch(name) is not None and name in {dim.name for dim in known_dims()}


def with_dims(words: str) -> tuple[Span, ...]:
    """Words with each product, sum and equation of dims as mathematics, and each dim that stands
    elsewhere as a symbol: by a name that is no plain word, and letters in a formula,
    before a number that they equal, as what is explained, or alone.

    >>> with_dims("d_head from 64 to 128")
    (Math(left=Sym(name='d_head'), relation='', right=None), ' from 64 to 128')
    >>> with_dims("L and none_such, width, d_model.json")
    ('L and none_such, width, d_model.json',)
    >>> [each if isinstance(each, str) else str(each.left) for each in with_dims(
    ...     "64 ≤ d_model/L, and s = 4096")]
    ['64 ≤ ', 'd_model', '/', 'L', ', and ', 's', ' = 4096']
    >>> [each.left for each in with_dims("d/L") if each != "/"]
    [Sym(name='d'), Sym(name='L')]
    >>> [str(each.right) for each in with_dims("d_shared = n_shared*d_expert")]
    ['n_shared*d_expert']
    """
    found, at = list[Span](), 0
    for match in _FORMULA.finditer(words):
        formula = _read(match[0])
        if formula is not None:
            found += [*_symbols(words[at:match.start()]), formula]
            at = match.end()
    rest = words[at:]
    return tuple(span for span in (*found, *_symbols(rest)) if span != "") or (words,)


def _read(words: str) -> Math | None:
    """A formula, where every name in it is a dim and one of them is no plain word."""
    names = _NAME.findall(words)
    if not all(map(_is_symbol, names)) or not any("_" in name for name in names):
        return None
    left, *right = (parse_expression(side.replace("·", "*").replace("−", "-"), names)
                    for side in words.split(" = "))
    return Math(left, "=", right[0]) if len(right) == 1 else Math(left) if not right else None


def _symbols(words: str) -> list[Span]:
    """Words that hold no formula, with each dim as a symbol."""
    found, at = list[Span](), 0
    for run in _RUN.finditer(words):
        names = [name for name in _NAME.finditer(run[0]) if _is_symbol(name[0])]
        whole = len(names) == len(_NAME.findall(run[0])) and (
            any("_" in name[0] for name in names) or {*run[0]} & {*"/·−+"}
            or _EQUALS.match(words, run.end()) is not None
            or (len(run[0]) == 1 and (words.startswith(": ", run.end()) or run[0] == words)))
        for name in names:
            if whole or "_" in name[0]:
                start = run.start() + name.start()
                found += [words[at:start], Math(ex.Sym(name[0]))]
                at = start + len(name[0])
    return [*found, words[at:]]
