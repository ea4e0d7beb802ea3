"""The values that templates see: what can be asked of each, and what is said of a wrong one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import jinja2
from jinja2.runtime import BlockReference, LoopContext, TemplateReference, Undefined
from jinja2.utils import Cycler, missing

from symparam.errors import nearest, short, some
from symparam.writers.base import Format
from symparam.writers.text import TextFormat

#: What every template sees; and what may be its ``out``.
SEEN, OUT = ("document", "out", "data"), (Format, TextFormat)
_OF_TEXT = frozenset(
    "startswith endswith split rsplit splitlines strip lstrip rstrip lower upper title capitalize "
    "removeprefix removesuffix partition rpartition find count isdigit isalpha isalnum".split())
#: Attributes that can be had of each kind of value; of all others, none.
ATTRIBUTES: tuple[tuple[type, frozenset[str]], ...] = (
    (str, _OF_TEXT), (dict, frozenset({"items", "keys", "values", "get"})),
    (list, frozenset({"index", "count"})),
    (LoopContext, frozenset({"index", "index0", "revindex", "revindex0", "first", "last", "length",
                             "depth", "depth0", "previtem", "nextitem", "cycle", "changed"})),
    (Cycler, frozenset({"next", "current", "reset"})), (BlockReference, frozenset({"super"})),
    (TemplateReference, frozenset()), (Undefined, frozenset()))


class Missing(jinja2.StrictUndefined):
    """What is not defined: it raises whatever is done with it, and offers what is near."""

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint
        name, of = self._undefined_name, self._undefined_obj
        if isinstance(name, int) and isinstance(of, (str, list, tuple)):
            return f"{kind_of(of)} of {len(of)} has no element {name}"
        if of is missing and name in SEEN:
            return f"{name!r} is not seen without the context: import it 'with context'"
        known = SEEN if of is missing else [each for each in names_of(of) if type(each) is str]
        said = "{1} is undefined" if of is missing else "{0} has no {1}"
        return said.format(kind_of(of), f"'{short(name)}'") + there(str(name), known)


def there(name: str, known: Collection[str]) -> str:
    """What there is in place of a wrong name, as an error goes on."""
    near = nearest(name, known)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; there is {some(sorted(known), 12)}" if known else ""


def name_of(value: Any) -> str:
    """The name of a template."""
    if isinstance(value, (str, Undefined)):
        return str(value)  # which raises where it is undefined
    raise TypeError(f"a template is named by a text, not by {kind_of(value)}")


def names_of(value: Any) -> Iterable[Any]:
    """What a template can ask a value for by name."""
    if isinstance(value, Mapping):
        return value
    if is_dataclass(value) and not isinstance(value, OUT):
        return [field.name for field in fields(value)]
    listed = next((names for kind, names in ATTRIBUTES if isinstance(value, kind)), None)
    return sorted(listed) if listed is not None else getattr(value, "_fields", ()) or (
        [name for name in dir(value) if not name.startswith("_")])


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    kinds = ((str, "a text"), (bool, "true or false"), ((int, float), "a number"),
             ((list, tuple), "a list"), (dict, "a table"), (LoopContext, "loop"), (OUT, "out"),
             (type(None), "none"))
    return next((word for kind, word in kinds if isinstance(value, kind)), type(value).__name__)
