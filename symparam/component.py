"""What a component is, and what it declares.

A component is a frozen dataclass in a file of its own under ``components/``. It declares the
dims it uses and lists its matrices with ``+`` and ``*`` alone; it never states a formula. What
decides whether a matrix exists at all is an option (a field), never a comparison of dims. In the
same way it lists what it keeps while a model runs (``state``) and the products that it makes
without a weight (``products``); most components have neither.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar, cast, dataclass_transform

from symparam.constraints import Check, Equation, Standing
from symparam.dataclass import dataclass
from symparam.dims import Dim, declare_own, register
from symparam.errors import BadValue, ContractError, LayoutError, UnknownName
from symparam.grammar import parse_expression
from symparam.ledger import Matrix, Number, Product, State
from symparam.renamed import moved
from symparam.strict import Listening

#: Components of the package's own stand here; a class from elsewhere gives way to them.
_OWN = "symparam.components."

__getattr__ = moved(__name__)  # (``variants`` and others are in symparam.contract)

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Dims:
    """The numbers that a component sees, as attributes; under other names where it is bound.

    A norm over the embedding's width is the norm component with ``d_model`` bound to
    ``d_embed``: it asks for ``d_model`` and is given ``d_embed``.
    """

    __slots__ = ("_allowed", "_bound", "_values")

    def __init__(self, values: Mapping[str, Number], bound: Mapping[str, str],
                 allowed: frozenset[str]) -> None:
        self._values, self._bound, self._allowed = values, bound, allowed

    def __getattr__(self, name: str) -> Number:
        if name not in self._allowed:
            raise LayoutError(f"dim {name} is used but not declared")
        return self._values[self._bound.get(name, name)]


def equation(dim: str, expr: str, reason: str,
             standing: Standing = Standing.DEFAULT) -> Equation:
    """An equation declared beside a component, from text of the closed grammar.

    Its names may be dims that the component is about to declare.
    """
    return Equation(dim, parse_expression(expr, set(_WORD.findall(expr))), reason, standing)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Component:
    """The base of all components.

    Class attributes to set:
        name: its name among the choices of its slot (``swiglu``).
        slot: what it is a choice for (``attention``, ``ffn``, ``norm``, ``positions`` ...).
        title: how it is named in text ("SwiGLU").
        source: paper and section, or the code, that defines it.
        dims: the dims it uses; those that it alone has are declared beside it.
        example: distinct primes for the dims, on which the contract is checked.
        names: its default layout: matrix name to name in a checkpoint, below the component.
        equations, checks: relations between its dims, with reasons.
        bias_sites: the sites at which ``bias`` may put one.
        in_block: whether it stands in every layer, or once in the model.
        prefix: what its names in a checkpoint begin with, under the layer's or model's own.
        rotated: the dim that rotary positions turn in pairs, for an attention.
        borrows: whether the keys and values that it looks at are those of another layer, for an
            attention.
        switched: dims that only an option uses, each with the option; giving the dim turns it on.

    Fields are options; each has a default.
    """

    name: ClassVar[str] = ""
    slot: ClassVar[str] = ""
    title: ClassVar[str] = ""
    source: ClassVar[str] = ""
    dims: ClassVar[tuple[Dim, ...]] = ()
    example: ClassVar[Mapping[str, int]] = {}
    names: ClassVar[Mapping[str, str]] = {}
    equations: ClassVar[tuple[Equation, ...]] = ()
    checks: ClassVar[tuple[Check, ...]] = ()
    bias_sites: ClassVar[tuple[str, ...]] = ()
    in_block: ClassVar[bool] = True
    prefix: ClassVar[str] = ""
    rotated: ClassVar[str] = "d_head"
    borrows: ClassVar[bool] = False
    switched: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, abstract: bool = False) -> None:
        # python -OO leaves out every docstring, so that none can be asked for there.
        documented = sys.flags.optimize > 1 or bool((cls.__dict__.get("__doc__") or "").strip())
        dataclass(frozen=True, kw_only=True)(cls)  # (it writes a docstring where there is none)
        if not abstract:
            if not cls.__module__.startswith(_OWN):  # the package's own are checked by its tests
                declare_own()  # so that a name of the package's own stays what it is
                from symparam.contract import check_contract

                check_contract(cls, documented)
            register(cls.dims)

    def matrices(self, d: Dims) -> Iterable[Matrix]:
        """The matrices of one copy, their paths relative to the component."""
        raise ContractError(type(self).__name__, "its matrices cannot be listed: it does not say "
                            "which they are")

    def state(self, d: Dims) -> Iterable[State]:
        """What one copy keeps of the past, paths relative to the component; nothing."""
        return ()

    def products(self, d: Dims) -> Iterable[Product]:
        """The products without a weight that one copy makes; nothing."""
        return ()

    @property
    def reads_encoder(self) -> bool:
        """Whether it reads what an encoder made."""
        return self.slot == "cross-attention"

    def list_matrices(self, values: Mapping[str, Number],
                      bound: Mapping[str, str] | None = None) -> tuple[Matrix, ...]:
        """The matrices over a namespace of dims; it sees only the dims that it declares."""
        return tuple(self.matrices(self._seen(values, bound)))

    def list_state(self, values: Mapping[str, Number],
                   bound: Mapping[str, str] | None = None) -> tuple[State, ...]:
        """What it keeps of the past, over a namespace of dims."""
        return tuple(self.state(self._seen(values, bound)))

    def list_products(self, values: Mapping[str, Number],
                      bound: Mapping[str, str] | None = None) -> tuple[Product, ...]:
        """Its products without a weight, over a namespace of dims."""
        return tuple(self.products(self._seen(values, bound)))

    def _seen(self, values: Mapping[str, Number], bound: Mapping[str, str] | None) -> Dims:
        return Dims(values, bound or {}, self._declared)

    @cached_property
    def _declared(self) -> frozenset[str]:
        return frozenset(dim.name for dim in self.dims)

    @cached_property
    def used(self) -> tuple[str, ...]:
        """The dims that its matrices ask for under these options; its checks, if it has none."""
        asked = self._asked(self.matrices)
        if not self.names:
            asked |= {name for check in self.checks for name in check.dims}
        return tuple(d.name for d in self.dims if d.name in asked)

    @cached_property
    def used_at_work(self) -> tuple[str, ...]:
        """The dims that its state and its products ask for under these options."""
        asked = self._asked(self.state) | self._asked(self.products)
        return tuple(d.name for d in self.dims if d.name in asked)

    def _asked(self, listing: Callable[[Dims], Iterable[object]]) -> set[str]:
        asked = Listening(self.example)
        for each in listing(cast(Dims, asked)):
            del each
        return asked.names

    def has_bias(self, site: str) -> bool:
        """Whether a bias stands at a site."""
        return site in getattr(self, "bias", frozenset())

    def changed(self, **options: Any) -> Component:
        """The same component with other options."""
        return type(self)(**{f.name: getattr(self, f.name) for f in fields(self)} | options)  # type: ignore[arg-type]

    @classmethod
    def options(cls) -> dict[str, Any]:
        """The options it takes, with their defaults."""
        return {f.name: f.default for f in fields(cls)}  # type: ignore[arg-type]

    @classmethod
    def make(cls, options: Mapping[str, Any]) -> Component:
        """An instance from plain data.

        Raises:
            UnknownName: an option that it does not take. BadValue: a value of the wrong kind.
        """
        taken = cls.options()
        for name in options:
            if name not in taken:
                raise UnknownName(f"option of {cls.slot} {cls.name}", name, taken)
        return cls(**{name: cls._option(name, value) for name, value in options.items()})

    @classmethod
    def _option(cls, name: str, value: Any) -> Any:
        if name == "bias":
            return bias_set(cls, value)
        default = cls.options()[name]
        if type(value) is not type(default):
            kind = {bool: "true or false", int: "a whole number", str: "a text"}
            raise BadValue(name, value, f"expected {kind.get(type(default), type(default))}")
        return value


def bias_set(cls: type[Component], value: Any) -> frozenset[str]:
    """The sites of a component at which biases stand, from true, false or a list of sites."""
    if isinstance(value, bool):
        return frozenset(cls.bias_sites if value else ())
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise BadValue("bias", value, f"expected true, false or a list of {_sites(cls)}")
    sites = list(value)
    for site in sites:
        if site not in cls.bias_sites:
            raise BadValue("bias", site, f"{cls.slot} {cls.name} has {_sites(cls)}")
    return frozenset(sites)


def _sites(cls: type[Component]) -> str:
    return "the sites " + ", ".join(cls.bias_sites) if cls.bias_sites else "no bias sites"
