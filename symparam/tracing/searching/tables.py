"""The table of a module's tensors: name to shape, status, tie and owner."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.ledger import Status
from symparam.traced.records import RowRole

#: A number in a name: between dots, or at the end of a word (``weight_ih_l0``).
NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Tensor:
    """A tensor of a state dict.

    Attributes:
        shape: its axes.
        status: trainable, frozen or a buffer.
        tied_to: the name that stands for the same numbers, listed before it.
        module: the class of the module that owns it.
        role: what that module does with it, where it is known (:mod:`symparam.traced.tables`).
    """

    shape: tuple[int, ...]
    status: Status = "trainable"
    tied_to: str | None = None
    module: str = ""
    role: RowRole = ""


Table: TypeAlias = dict[str, Tensor]
Index: TypeAlias = tuple[int, ...]
#: What has to be the same for two tables to hold the same tensors, whatever their sizes.
Signature: TypeAlias = frozenset[tuple[str, int, str, str | None]]


def signature(table: Table) -> Signature:
    """Names, ranks, statuses and ties."""
    return frozenset((name, len(t.shape), t.status, t.tied_to) for name, t in table.items())


def parameters(table: Table) -> int:
    """How many parameters there are, tied ones once, buffers aside.

    >>> parameters({"a": Tensor((2, 3)), "b": Tensor((2, 3), tied_to="a"), "c": Tensor((4,))})
    10
    """
    return sum(math.prod(t.shape) for t in table.values()
               if t.tied_to is None and t.status != "buffer")


def pattern_of(name: str) -> str:
    """A name with a star for each number.

    >>> pattern_of("layers.11.experts.3.fc1.weight")
    'layers.*.experts.*.fc*.weight'
    """
    return NUMBER.sub("*", name)


def index_of(name: str) -> Index:
    """The numbers in a name.

    >>> index_of("layers.11.experts.3.fc1.weight")
    (11, 3, 1)
    """
    return tuple(map(int, NUMBER.findall(name)))


def named(pattern: str, index: Index) -> str:
    """A pattern with its stars replaced by numbers."""
    numbers = iter(index)
    return re.sub(r"\*", lambda _: str(next(numbers)), pattern)


def read_table(built: Any) -> Table:
    """The table of a module, or of a mapping from names to shapes or to tensors of ours.

    Raises:
        BadValue: it is neither.
    """
    if isinstance(built, Mapping):
        return {str(n): t if isinstance(t, Tensor) else Tensor(tuple(map(int, t)))
                for n, t in built.items()}
    if not callable(getattr(built, "named_modules", None)):
        raise BadValue("the target", type(built).__name__, "builds no torch.nn.Module")
    return dict(_tensors(built))


def _tensors(module: Any) -> Iterator[tuple[str, Tensor]]:
    """Each tensor that a state dict has, in the order of modules; a shared one is tied."""
    seen: dict[int, str] = {}
    roles = _roles(module)
    for prefix, owner in module.named_modules(remove_duplicate=False):
        kind = type(owner).__name__
        start = prefix + "." if prefix else ""
        for name, value in owner._parameters.items():
            if value is not None:
                first = seen.setdefault(id(value), start + name)
                yield start + name, Tensor(
                    tuple(map(int, value.shape)), "trainable" if value.requires_grad else "frozen",
                    first if first != start + name else None, kind, roles(owner))
        for name, value in owner._buffers.items():
            if value is not None and name not in owner._non_persistent_buffers_set:
                yield start + name, Tensor(tuple(map(int, value.shape)), "buffer", None, kind)


def _roles(module: Any) -> Callable[[Any], RowRole]:
    """What a module inside does with its numbers: what it looks tokens up in and what gives
    scores of them, as a model of transformers says, and any other table."""
    nn: Any = getattr(sys.modules.get("torch"), "nn", None)
    tables = () if nn is None else (nn.Embedding, nn.EmbeddingBag)
    token, head = (_said(module, f"get_{side}_embeddings") for side in ("input", "output"))

    def role(owner: Any) -> RowRole:
        if owner is head and head is not token:
            return "head"
        if not isinstance(owner, tables):
            return ""
        return "token" if owner is token else "table"

    return role


def _said(module: Any, name: str) -> Any:
    """What a method of a model hands out; None where it has none, or does not know."""
    try:
        return getattr(module, name)()
    except Exception:  # (somebody's code: whatever it raises, it does not say)
        return None
