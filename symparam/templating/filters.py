"""Filters, tests and functions of templates of one's own: none of them makes much from little.

What Jinja2 has is taken over where its result is no longer than what goes in; what can make a
long text of a short one is written anew and measured before it is made (:mod:`.sandbox`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, cast

import jinja2
from jinja2.filters import FILTERS as SHIPPED
from jinja2.runtime import Context
from jinja2.sandbox import safe_range
from jinja2.tests import TESTS as TESTS_SHIPPED
from jinja2.utils import Cycler, Joiner, Namespace

from symparam.notation import numbers
from symparam.showable import escaped
from symparam.templating.sandbox import READ, account, printable

#: Decimal places and spaces of indentation; nobody needs more.
PLACES = 15
INDENT = 8


def _number(value: Any, what: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{what} must be a whole number from 0 to {most}")
    return value


def _attribute(context: Context, items: Iterable[Any], name: str | int | None) -> list[Any]:
    """Items, or an attribute of each."""
    if name is None:
        return list(items)
    return list(SHIPPED["map"](context, items, attribute=name))


@jinja2.pass_context
def join(context: Context, items: Iterable[Any], between: str = "",
         attribute: str | int | None = None) -> str:
    """The items' texts with something between them."""
    found = [printable(item) for item in _attribute(context, items, attribute)]
    account(context).pay(sum(map(len, found)) + len(printable(between)) * len(found))
    result: str = SHIPPED["join"](context.eval_ctx, found, between)
    return result


@jinja2.pass_context
def replace(context: Context, text: str, old: str, new: str) -> str:
    """A text with each ``old`` in it made ``new``."""
    text, old, new = printable(text), printable(old), printable(new)
    account(context).pay(len(text) + text.count(old) * len(new))
    return text.replace(old, new)


@jinja2.pass_context
def batch(context: Context, items: Iterable[Any], size: int) -> list[list[Any]]:
    """The items in lists of so many."""
    found = list(account(context).each(items))
    size = max(1, _number(size, "batch: the size", 10**6))
    return [found[i:i + size] for i in range(0, len(found), size)]


@jinja2.pass_context
def total(context: Context, items: Iterable[Any], attribute: str | int | None = None,
          start: float = 0) -> float:
    """The sum of numbers."""
    for item in _attribute(context, items, attribute):
        if not isinstance(item, (int, float)):
            raise TypeError("sum: the items must be numbers")
        start += item
    return start


def rounded(value: float, places: int = 0) -> float:
    """A number with so many decimal places."""
    return round(value, _number(places, "round: the places", PLACES))


@jinja2.pass_context
def tojson(context: Context, value: Any, indent: int | None = None) -> str:
    """A value as JSON."""
    spaces = None if indent is None else _number(indent, "tojson: the indentation", INDENT)
    parts = []
    for part in json.JSONEncoder(indent=spaces, ensure_ascii=False).iterencode(value):
        account(context).pay(len(part))
        parts.append(part)
    return escaped("".join(parts))


def _of_text(filter_: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that takes what can be written, and nothing whose text would have to be made."""

    @jinja2.pass_context
    def on_text(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        text = printable(value)
        account(context).pay(READ * len(text))
        return filter_(text, *args, **kwargs)

    return on_text


_LINEAR = (
    "abs count d default dictsort first float groupby int items last length list map max min "
    "reject rejectattr reverse select selectattr sort unique").split()
_TEXTUAL = "capitalize lower safe string title trim upper".split()

FILTERS: dict[str, Callable[..., Any]] = {
    **{name: SHIPPED[name] for name in _LINEAR},
    **{name: _of_text(SHIPPED[name]) for name in _TEXTUAL},
    "join": join, "replace": replace, "batch": batch, "sum": total, "round": rounded,
    "tojson": tojson, "grouped": numbers.grouped, "short": numbers.short,
    "percent": numbers.percent}

_TESTS = (
    "boolean defined divisibleby eq equalto even false float ge gt greaterthan in integer iterable "
    "le lessthan lower lt mapping ne none number odd sameas sequence string true undefined upper "
    "!= < <= == > >=").split()

TESTS: dict[str, Callable[..., Any]] = {name: cast(Any, TESTS_SHIPPED[name]) for name in _TESTS}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "range": safe_range, "dict": dict, "namespace": Namespace, "cycler": Cycler, "joiner": Joiner}
