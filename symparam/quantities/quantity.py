"""What a quantity is: a sum of shares, each with the path of what it comes from.

A quantity is written once, over any kind of number. Over integers it is an exact answer, over
SymPy symbols a formula that can be differentiated and solved (:mod:`symparam.count`), over trees
the lines of a derivation. A *view* reads the ledger's lists and knows no architecture; a
*literal* is a paper's formula as it stands, a function of a few dims.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias, get_args

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import BadValue, ContractError, MissingDims
from symparam.expression import whole
from symparam.ledger import Ledger, Number
from symparam.model import Model
from symparam.quantities.setting import Regime, Setting
from symparam.resolve import numbers, resolve
from symparam.run import RUN, RunDim

Kind: TypeAlias = Literal["view", "literal"]
Unit: TypeAlias = Literal["B", "FLOP", "numbers", "parameters", "tokens", "characters", "shards"]


class Share(NamedTuple):
    """What one matrix, state or product adds, as factors in the order in which they are written.

    Paths of one quantity are unique; the path of what a model lists may be followed by one word in
    brackets (``layers.ffn.W_up[scales]``), where that path ends in one too
    (``layers.attention.K[window][prefix]``).
    """

    path: str
    factors: tuple[Number, ...]

    @property
    def value(self) -> Number:
        """The product of the factors."""
        return math.prod(self.factors)

    @property
    def entry(self) -> str:
        """The path without the word that tells several shares of one entry apart.

        >>> Share("layers[dense].ffn.W_up[scales]", ()).entry
        'layers[dense].ffn.W_up'
        """
        return self.path.rpartition("[")[0] if self.path.endswith("]") else self.path


@dataclass(frozen=True)
class Subject:
    """What a quantity is asked about.

    Attributes:
        ledger: matrices, states and products over some kind of number.
        dims: the same numbers by the names of their dims.
        setting: what the model is run with.
        total: what stands for the number of parameters; None for their sum.
    """

    ledger: Ledger
    dims: Mapping[str, Number]
    setting: Setting = field(default_factory=Setting)
    total: Number | None = None

    @classmethod
    def of(cls, model: Model, setting: Setting | None = None, at_work: bool = True) -> Subject:
        """A model with integers for all its dims.

        Args:
            model: the model.
            setting: what it is run with.
            at_work: whether what it keeps and multiplies is asked for, and not its weights alone.

        Raises:
            MissingDims: a dim has no number. BadValue: more layers have a window than there are.
        """
        if not at_work:
            return cls.at(model, numbers(model).values, setting, at_work=False)
        found = resolve(model, model.dims_at_work)
        missing = [name for name in model.dims_at_work if name not in found.values]
        if missing:
            raise MissingDims(missing, model.name)
        return cls.at(model, found.values, setting)

    @classmethod
    def at(cls, model: Model, values: Mapping[str, int], setting: Setting | None = None,
           at_work: bool = True) -> Subject:
        """A model at numbers for all its dims, whatever its own are.

        Raises:
            BadValue: more layers have a window than there are.
        """
        ledger = model.ledger(values, at_work=at_work)
        for entry in (*ledger.states, *ledger.products):
            if entry.copies() < 0:
                raise BadValue("window", values.get("window"), "more layers of "
                               f"{entry.component} have a window than there are: give the number "
                               "of those that have one (L_window=...)")
        return cls(ledger, values, setting or Setting())

    @classmethod
    def over(cls, model: Model, number: Callable[[str], Number], regime: Regime = "beyond",
             setting: Setting | None = None, at_work: bool = True) -> Subject:
        """A model with another kind of number for every dim: symbols, or the nodes of a tree.

        Args:
            model: the model.
            number: the number of a name, for dims and for what the model is run with: all of
                that which always has a number, and what the setting has besides.
            regime: whether a sequence is taken as within its windows or beyond them.
            setting: what is not to be such a number: formats, bytes, ratios.
            at_work: as for :meth:`of`.
        """
        further = (name for name in ("L", "d_ff", "n_heads", "d_head") if name in model.values)
        names = {*(model.dims_at_work if at_work else model.dims), *further}
        values = {name: number(name) for name in names}
        base = setting or Setting()
        run = {name: number(name) for name, row in RUN.items()
               if name in base.run or row.usual(model.encodes)}
        return cls(model.ledger(values, at_work=at_work), values,
                   replace(base, run=run, regime=regime))


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A named quantity.

    Attributes:
        name: as it is asked for: ``kv_cache``.
        title: how it is named in text.
        unit: what it counts.
        convention: what is counted and what is not, in a sentence.
        source: paper and section, or code.
        kind: a view of the ledger, or a formula taken literally.
        shares: what it is the sum of.
        needs: what it depends on: names of what a model is run with, parts of a setting.
        run: rows for what it alone needs of what a model is run with.
        dims: the dims that a literal formula takes.
        symbol: what stands for it in formulas.
        at_work: whether it asks for what a model keeps, multiplies or is run with; a number of
            parameters asks for its matrices alone.
        parts: the quantities that it is the sum of, where it is one of others.

    Raises:
        ContractError: its unit is none that there is.
    """

    name: str
    title: str
    unit: Unit
    convention: str
    source: str
    shares: Callable[[Subject], Iterator[Share]]
    kind: Kind = "view"
    needs: tuple[str, ...] = ()
    run: tuple[RunDim, ...] = ()
    dims: tuple[str, ...] = ()
    symbol: str = "Q"
    at_work: bool = True
    parts: tuple[Quantity, ...] = ()

    def __post_init__(self) -> None:
        if self.unit not in get_args(Unit):
            raise ContractError(self.name, f"unit {self.unit!r} is none of "
                                f"{', '.join(get_args(Unit))}", "quantity")

    def of(self, model: Model, setting: Setting | None = None) -> Number:
        """The value for a model whose dims have numbers.

        Raises:
            MissingDims: a dim has no number. BadValue: as :meth:`value`.
        """
        return self.value(Subject.of(model, setting, self.at_work))

    def value(self, subject: Subject) -> Number:
        """The sum of the shares; over integers an ``int``, or a ``Fraction`` that is not whole.

        Raises:
            BadValue: the model lacks what it counts (see ``dims``), or the setting does.
        """
        self.check(subject)
        total: Number = 0
        for share in self.shares(subject):
            total = total + share.value
        return whole(total) if isinstance(total, (int, Fraction)) else total

    def formula(self) -> ex.Expr | None:
        """A literal as it is written, in dims, s, b and t; None for a view, which has no own."""
        if self.kind != "literal":
            return None
        run = {name: ex.Sym(name) for name, row in RUN.items() if row.usual(encoder=False)}
        subject = Subject(Ledger(()), {name: ex.Sym(name) for name in self.dims}, Setting(run=run))
        return ex.sum_of(*(ex.product_of(*map(ex.node, share.factors))
                           for share in self.shares(subject)))

    def check(self, subject: Subject) -> None:
        """Raise BadValue where a literal formula takes a dim that the model does not have, or a
        model does nobody knows what."""
        if self.kind == "literal":
            subject.ledger.at_work()
        absent = [name for name in self.dims if name not in subject.dims]
        if absent:
            raise BadValue(self.name, f"{', '.join(absent)} missing", "the formula is one of "
                           f"{', '.join(self.dims)}, and this model has no such dim")
