"""Dims that rows of a table do not say, and what is taken for them, each with what is said."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from functools import cache

from symparam import expression as ex
from symparam.arithmetic import Rounding
from symparam.claims.likely import called_after
from symparam.constraints import Equation, Standing
from symparam.dataclass import dataclass
from symparam.descriptions.decoder import PLAIN, VOCABULARY
from symparam.descriptions.load import load
from symparam.dims import D_FF, N_HEADS, N_KV, V
from symparam.grammar import Rule
from symparam.model import Model

#: To a multiple of which a width is brought up that its rule does not make whole.
STEP = Rounding("up", 256)


@dataclass(frozen=True)
class Taken:
    """What stands for dims that no row of one architecture says.

    Attributes:
        vocabulary: whether one is taken, since nothing says it.
        many: the name of the model whose key-value heads are as many as its query heads, where
            rows say the latter alone; empty where they do not.
        width: the rule of d_ff, where nothing else gives it.
    """

    vocabulary: bool = False
    many: str = ""
    width: Equation | None = None

    def of(self, known: Mapping[str, int | Rule]) -> dict[str, tuple[int | Rule, str]]:
        """The dims that are taken in a row, each with its number or rule and what is said of it.

        Args:
            known: the dims that the row says, and those that hold for all rows.
        """
        found: dict[str, tuple[int | Rule, str]] = {}
        if self.vocabulary:
            found[V.name] = VOCABULARY, f"V = {VOCABULARY} is taken: no column and no V=... says it"
        if self.many:
            found[N_KV.name] = known[N_HEADS.name], (
                f"n_kv = n_heads in each row, as in {self.many}: no column and no n_kv=... says it")
        if self.width is not None and _broken(self.width, known):
            rule = Rule(self.width.expr, STEP)
            found[D_FF.name] = rule, (f"d_ff = {rule} is taken where {self.width.expr} is not "
                                      "whole: no column and no d_ff=... says it")
        return found


def taken(model: Model, base: Model | None, said: Collection[str],
          columns: Collection[str]) -> Taken:
    """What is taken in rows of an architecture.

    Args:
        model: the architecture, with its options.
        base: the model that rows are of; None for the plain decoder.
        said: the dims that the rows say, or that hold for all rows.
        columns: those that have a column; nothing is taken for what only some rows do not say.
    """
    free = {*model.dims} - {*said, *columns}
    own = {} if base is None else base.values
    alike = N_KV.name in own and own[N_KV.name] == own.get(N_HEADS.name) and (
        N_KV.name in model.values)
    rules = (eq for eq in model.all_equations()
             if eq.dim == D_FF.name and eq.standing is Standing.DEFAULT)
    return Taken(
        base is None and V.name in free,
        base.name if base is not None and alike and N_KV.name in free and (
            N_HEADS.name in columns and N_HEADS.name in said) else "",
        next(rules, None) if D_FF.name in free - {*model.values} else None)


def plain_options(said: Collection[str]) -> Iterator[str]:
    """What is taken of the plain decoder where nothing else is said, as it is written.

    >>> list(plain_options({"ffn", "norm", "bias"}))
    ['--attention mha', '--positions rope', '--untied']
    """
    yield from (f"--{option} {name}" for option, name in PLAIN.items() if option not in said)
    yield from ("--untied",) * ("tied" not in said)
    yield from ("--bias none",) * ("bias" not in said)


def network_taken(name: str) -> str:
    """What is said of a row of which nothing says which network it has, and of the published model
    that it is named after; nothing, where that has the network that is taken.

    >>> network_taken("ours"), network_taken("GPT-2")
    ('with --ffn mlp, as nothing says which network it has', '')
    """
    known = called_after(name)
    own = None if known is None else _networks(known)
    if own == PLAIN["ffn"]:
        return ""
    tail = "" if own is None else f"; in the catalogue {known} has {own}"
    return f"with --ffn {PLAIN['ffn']}, as nothing says which network it has{tail}"


@cache
def _networks(name: str) -> str:
    """The kinds of feed-forward network of a published model."""
    return ", ".join(dict.fromkeys(slot.component.name for _, slot in load(name).slots()
                                   if slot.component.slot == "ffn"))


def _broken(rule: Equation, known: Mapping[str, int | Rule]) -> bool:
    """Whether a rule without a rounding gives no whole number."""
    values = {name: known[name] for name in rule.inputs if name in known}
    if rule.rounds or len(values) < len(rule.inputs):
        return False
    numbers = {name: value for name, value in values.items() if isinstance(value, int)}
    return len(numbers) == len(values) and isinstance(ex.evaluate(rule.expr, numbers), Fraction)
