"""A target: what builds a module of numbers, and the numbers that it takes."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from types import ModuleType
from typing import Any

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.tracing.recording.terms import Path, Term, spelled
from symparam.tracing.searching.tables import Table, read_table

Build = Callable[[Mapping[Path, Any]], Any]


@contextlib.contextmanager
def _undrawn(init: Any) -> Iterator[None]:
    """Draw no weights: shapes do not follow them."""
    before = {name: call for name, call in vars(init).items()
              if name.endswith("_") and not name.startswith("_") and callable(call)}
    vars(init).update(dict.fromkeys(before, _untouched))
    try:
        yield
    finally:
        vars(init).update(before)


def _untouched(tensor: Any, *_args: Any, **_named: Any) -> Any:
    """Stands for the functions that draw first weights."""
    return tensor


def _nothing(_values: Mapping[Path, Any]) -> Mapping[Path, Any]:
    return {}


@dataclass
class Target:
    """Something that builds a module from named numbers.

    Attributes:
        text: as a person gives it, ``transformers:qwen3``.
        name: the name of the model.
        build: a module (or a mapping from names to shapes) of values for keys.
        base: the numbers that it takes, with where a trace begins.
        switches: what it takes that is no number.
        modules: modules in which ``int`` keeps proxies while they build.
        derived: the values that keys have where they are not given, of the others' values.
        opened: keys that have a rule of their own where they are not given.
        derives: a sentence that says so.
        packages: what the result depends on, by name, for its versions.
        notes: sentences about the target that every answer prints.
        strange: what is not as it is said to be, in sentences: no answer passes for right then.
        supposed: terms that a size may be though no code of Python computes them.
    """

    text: str
    name: str
    build: Build
    base: Mapping[Path, Any]
    switches: Mapping[Path, Any] = field(default_factory=dict)
    modules: tuple[ModuleType, ...] = ()
    derived: Callable[[Mapping[Path, Any]], Mapping[Path, Any]] = _nothing
    opened: frozenset[Path] = frozenset()
    packages: tuple[str, ...] = ("torch",)
    notes: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    supposed: tuple[Term, ...] = ()
    _meta: bool = True

    def table(self, values: Mapping[Path, Any]) -> Table:
        """The tensors at a point; built on the meta device, where there are no numbers.

        Raises:
            Exception: whatever the target raises for values that it refuses.
        """
        with self._on():
            return read_table(self.build(values))

    def at(self, base: Mapping[str, Any]) -> Target:
        """The same target with other numbers to begin with, by their own names.

        Raises:
            BadValue: a name that it does not have.
        """
        known = {spelled(path): path for path in self.base}
        changed = dict(self.base)
        for name, value in base.items():
            if name not in known:
                raise BadValue(name, value, f"is no key of {self.text}")
            changed[known[name]] = value
        return replace(self, base=changed)

    @contextlib.contextmanager
    def _on(self) -> Iterator[None]:
        """The device under which a module is built, once torch is there.

        No first weights are drawn, and what a constructor prints or warns of is not shown: it is
        built a hundred times.
        """
        torch: Any = sys.modules.get("torch")
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            if hasattr(torch, "device"):
                stack.enter_context(_undrawn(torch.nn.init))
                if self._meta:
                    stack.enter_context(torch.device("meta"))
            yield

    def on_cpu(self) -> None:
        """Build with real numbers: for constructors that read what they have made."""
        self._meta = False


def nested(values: Mapping[Path, Any]) -> dict[str, Any]:
    """Values by path as tables and lists.

    >>> nested({("text", "d"): 8, ("depths", 0): 2, ("depths", 1): 3})
    {'text': {'d': 8}, 'depths': [2, 3]}
    """
    tree: dict[Any, Any] = {}
    for path, value in values.items():
        at = tree
        for part in path[:-1]:
            at = at.setdefault(part, {})
        at[path[-1]] = value
    return {key: _lists(value) for key, value in tree.items()}


def _lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if node and all(isinstance(k, int) for k in node):
        return [_lists(node[i]) for i in sorted(node)]
    return {k: _lists(v) for k, v in node.items()}


def copied(value: Any) -> Any:
    """A value with lists and tables of its own: a constructor may take what it is given apart.

    >>> kept = {"block": [{"kind": "a"}]}
    >>> copied(kept)["block"][0].pop("kind"), kept
    ('a', {'block': [{'kind': 'a'}]})
    """
    if type(value) in (list, tuple, set):
        return type(value)(map(copied, value))
    return {k: copied(v) for k, v in value.items()} if isinstance(value, Mapping) else value


#: No list of numbers that describes a model's stages is longer.
MAX_LIST = 32


def leaves(path: Path, value: Any) -> tuple[dict[Path, Any], dict[Path, Any]]:
    """The numbers in a value by path, a list's by element, and what is no number.

    >>> leaves(("depths",), [2, 6])
    ({('depths', 0): 2, ('depths', 1): 6}, {})
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {path: value}, {}
    if isinstance(value, (list, tuple)) and 0 < len(value) <= MAX_LIST and _numeric(value):
        found: dict[Path, Any] = {}
        for i, each in enumerate(value):
            found |= leaves((*path, i), each)[0]
        return found, {}
    return {}, {path: value}


def _numeric(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(map(_numeric, value))
    return isinstance(value, (int, float)) and not isinstance(value, bool)
