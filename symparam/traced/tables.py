"""Which rows are tables of tokens, a head over them, tables of positions: as it was recorded.

A trace records which modules are ``torch.nn.Embedding`` and which of them a model of transformers
names as its input and its output. Where a module names none, a table of as many rows as the
vocabulary has is the tokens'; where no table is, nobody knows, and counts without embeddings are
refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.dims import N_CTX, V
from symparam.errors import some
from symparam.traced.records import TracedRow

#: Tables that are named.
MAX_NAMES = 3
_POSITION = re.compile(r"pos|^wpe$", re.I)


@dataclass(frozen=True)
class Tables:
    """The patterns of rows by what they are.

    Attributes:
        token, head: what counts without embeddings leave out.
        positions: tables of positions, by their names or by the length that they have.
        untold: why it is not known which are the tokens'; empty where it is.
    """

    token: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    untold: str = ""

    def kind(self, pattern: str) -> str:
        """``token``, ``head`` or ``positions``; empty for any other row."""
        return next((name for name in ("token", "head", "positions")
                     if pattern in getattr(self, name)), "")

    def sentences(self) -> Iterator[str]:
        """What was taken for what."""
        if self.untold:
            yield f"{self.untold}: counts without embeddings are unset"
        named = [f"as {word} {some(found, MAX_NAMES)}" for word, found in (
            ("token embedding", self.token), ("head", self.head),
            ("positions, by name,", self.positions)) if found]
        if named:
            yield f"counted {'; '.join(named)}"


def tables_of(rows: Iterable[TracedRow]) -> Tables:
    """What tables there are.

    >>> d, v = ex.Sym("d_model"), ex.Sym("V")
    >>> tables_of([TracedRow("wte.weight", (v, d), role="table"),
    ...            TracedRow("out.weight", (v, d), module="Linear")]).head
    ('out.weight',)
    >>> tables_of([TracedRow("items.weight", (ex.Sym("frogs"), d), role="table")]).untold
    'which of items.weight is the token embedding was not recorded'
    """
    kept = [row for row in rows if row.status != "buffer"]
    token = [row.pattern for row in kept if row.role == "token" or (
        is_table(row) and row.role != "head" and _of_vocabulary(row))]
    head = [row.pattern for row in kept if row.pattern not in token and (
        row.role == "head" or (not is_table(row) and len(row.shape) <= 2 and _of_vocabulary(row))
        or (row.tied_to in token and len(row.shape) == 2))]
    others = [row for row in kept if row.pattern not in {*token, *head}]
    positions = [row.pattern for row in others if _of_positions(row)]
    return Tables(tuple(token), tuple(head), tuple(positions), _untold(
        kept, token, [row for row in others if row.pattern not in positions]))


def is_table(row: TracedRow) -> bool:
    """Whether the module that owns a row looks numbers up in it."""
    return row.role in {"table", "token"} or (not row.role and row.module == "Embedding")


def _untold(rows: list[TracedRow], token: list[str], others: list[TracedRow]) -> str:
    if not any(row.role or row.module for row in rows):
        return "which tensors are the token embedding and the head was not recorded"
    left = [row.pattern for row in others if is_table(row)]
    if token or not left:
        return ""
    return f"which of {some(left, MAX_NAMES)} is the token embedding was not recorded"


def _of_vocabulary(row: TracedRow) -> bool:
    """Whether its first axis is a vocabulary."""
    return bool(row.shape) and any(name.partition("_")[0] == V.name
                                   for name in ex.symbols_in(row.shape[0]))


def _of_positions(row: TracedRow) -> bool:
    *modules, leaf = row.pattern.split(".")
    if is_table(row):
        return bool(_POSITION.search(modules[-1] if modules else leaf)) or any(
            name.startswith(N_CTX.name) for name in ex.symbols_in(row.shape[0]))
    return bool(_POSITION.search(leaf)) and "emb" in leaf
