"""Lattices of a model that has its numbers: scaled with its ratios kept, or some dims searched."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from symparam import expression as ex
from symparam.arithmetic import Rounding
from symparam.constraints import FILLING, Standing, Sums
from symparam.dataclass import dataclass
from symparam.grammar import Rule
from symparam.model import Model
from symparam.points.axes import Axis, Follows, Span
from symparam.points.ratios import Ratio
from symparam.resolve import Resolution, resolve
from symparam.solve.requests.request import Request
from symparam.solve.searching.lattice import SHAPE, depth_axis, usual_shape, width_axis, width_step
from symparam.solve.searching.plan import Choice, Plan, choose_all
from symparam.solve.searching.roles import Roles, roles

WHY = "the lattice of a model that is scaled"

#: A dim that is asked for besides others is searched from a quarter of the model's own to four
#: times it; a width in multiples of the largest power of two in its own, up to this.
AROUND, LARGEST_STEP = 4, 256



def depth_of(request: Request) -> str:
    """The dim that counts a model's layers, or those of its first stack."""
    sums = {check.whole for check in request.model.checks if isinstance(check, Sums)}
    if request.uses("L") or "L" in sums:
        return "L"
    return next((d for d in request.model.dims if d.startswith("L_")), "L")


def own_step(width: int) -> int:
    """The step of an inner width: the largest power of two in it, up to a limit.

    >>> own_step(11008), own_step(3072)
    (256, 256)
    """
    return min(width & -width, LARGEST_STEP)


def kept_plan(request: Request) -> Plan:
    """Some dims searched, all others at the model's numbers or following from its rules."""
    model = _without_sum(request)
    values = {n: v for n, v in model.values.items() if n not in request.asked}
    own = resolve(request.model).values

    def choose(dim: str) -> Choice | None:
        if dim in values and not (request.equation(dim, Standing.DEFINITION) and dim in model.dims):
            return Choice(values[dim])
        if dim in request.asked and dim in own:
            return Choice(_around(dim, own[dim]), f"around {request.model.name}'s {own[dim]}")
        rule = _following(request, dim)
        return None if rule is None else Choice(Follows(dim, rule))

    lattice, assumed = choose_all(request, model, choose)
    return Plan(model, lattice, lattice.rules, request.asked, tuple(assumed))


def _around(dim: str, own: int) -> Axis:
    step = own_step(own) if dim.startswith("d_") else 1
    return Span(dim, step, max(1, own // AROUND), own * AROUND)


def _following(request: Request, dim: str) -> Rule | None:
    equation = request.equation(dim, *FILLING)
    return None if equation is None else Rule(equation.expr, equation.rounding)


def _without_sum(request: Request) -> Model:
    """The model, its number of layers left open where layers of one kind are given or asked for.

    Where a rule needs the sum it stays, and what does not add up to it is refused.
    """
    model = request.model
    for check in model.checks:
        if isinstance(check, Sums) and _is_open(request, check):
            values = {n: v for n, v in model.values.items() if n != check.whole}
            model = replace(model, values=values)
    return model


def _is_open(request: Request, check: Sums) -> bool:
    said = {part for part in check.parts if request.gives(part) or part in request.asked}
    needed = any(check.whole in eq.inputs for eq in request.model.equations if eq.dim not in said)
    return bool(said) and not needed


@dataclass(frozen=True)
class _Scaling:
    """A model whose width and depth are varied.

    Attributes:
        request: what was asked.
        base: the model's own numbers.
        roles: which of its dims are inner widths, and which are numbers of heads.
    """

    request: Request
    base: Resolution
    roles: Roles

    @property
    def name(self) -> str:
        return self.request.model.name

    @cached_property
    def depth(self) -> str:
        """The dim that counts its layers."""
        return depth_of(self.request)

    def per_width(self, dim: str) -> Fraction:
        """A dim of the model over its d_model."""
        return Fraction(self.base.values[dim], self.base.values["d_model"])

    def defined(self, dim: str) -> bool:
        """Whether it is a matter of definition (n_kv = n_heads)."""
        return self.request.equation(dim, Standing.DEFINITION) is not None

    @property
    def head_width(self) -> int | None:
        """The head width, where it stays at one number."""
        if self.request.gives("d_head"):
            return self.request.numbers.get("d_head")
        return self.base.values.get("d_head")

    def heads(self) -> Rule:
        """n_heads: so many that heads cover the same multiple of the width."""
        if "d_head" not in self.base.values:
            return Rule(_multiple(self.per_width("n_heads"), ex.Sym("d_model")))
        covered = self.per_width("n_heads") * self.base.values["d_head"]
        return Rule(_multiple(covered, ex.Sym("d_model")) / ex.Sym("d_head"))

    def share(self, dim: str, of: str) -> Rule:
        """A dim as the model's share of another."""
        return Rule(_multiple(Fraction(self.base.values[dim], self.base.values[of]), ex.Sym(of)))

    def width(self, dim: str) -> Rule:
        """An inner width: the model's ratio, rounded to the model's own multiple."""
        own = self.base.values[dim]
        return Rule(_multiple(self.per_width(dim), ex.Sym("d_model")),
                    Rounding("nearest", own_step(own)))

    def step(self) -> int:
        """The step of d_model: what keeps heads whole, and a power of two up to 64 or 128 that the
        model's own width is a multiple of."""
        own = 1
        if not self.request.gives("n_heads") and "n_heads" in self.base.values:
            share = self.per_width("n_heads")
            if self.head_width and "d_head" in self.base.values:
                share = share * self.base.values["d_head"] / self.head_width
            own = share.denominator
            if not self.request.gives("n_kv") and "n_kv" in self.base.values and (
                    not self.defined("n_kv")):
                kv = Fraction(self.base.values["n_kv"], self.base.values["n_heads"])
                own = math.lcm(own, (share * kv).denominator)
        own = math.lcm(own, *(self.per_width(dim).denominator for dim in self.roles.heads))
        width = self.base.values["d_model"]
        aligned = math.lcm(own, min(width & -width, width_step(self.request)))
        return aligned if aligned <= width else own

    def shape(self) -> Ratio:
        """The range of d_model over depth, which holds the model's own ratio."""
        low, high = SHAPE.low, SHAPE.high
        if self.depth in self.base.values and "d_model" in self.base.values:
            own = 1 / self.per_width(self.depth)
            low, high = min(low, Fraction(math.floor(own))), max(high, Fraction(math.ceil(own)))
        return Ratio("d_model", self.depth, max(low, Fraction(1)), high)

    @cached_property
    def layers(self) -> Mapping[str, Rule]:
        """Kinds of layer in terms of their sum; decoder layers in terms of encoder layers."""
        found: dict[str, Rule] = {}
        for check in self.request.model.checks:
            if isinstance(check, Sums) and check.whole == self.depth:
                found |= self._kinds(check)
        for dim in self.request.model.dims:
            if dim.startswith("L_") and dim != self.depth and dim in self.base.given and (
                    self.depth.startswith("L_")):
                found[dim] = self.share(dim, self.depth)
        return found

    def _kinds(self, check: Sums) -> dict[str, Rule]:
        """Kinds of layer by the model's own rules, a pattern among them; where it has none, all
        but the largest kind keep their numbers, and that is what is left."""
        own = {part: self.base.rules[part] for part in check.parts if part in self.base.rules}
        found = {part: Rule(own[part].expr, own[part].rounding) if part in own else
                 Rule(ex.Num(self.base.values[part])) for part in check.parts}
        if not own:
            largest = max(check.parts, key=lambda part: self.base.values[part])
            left: ex.Expr = ex.Sym(check.whole)
            for part in check.parts:
                left = left if part == largest else left - ex.Sym(part)
            found[largest] = Rule(left)
        return found


def scaled_plan(request: Request, entering: frozenset[str]) -> Plan:
    """Depth and d_model searched, unless given, with the model's head width and ratios kept.

    Args:
        request: what was asked.
        entering: the dims that the count depends on; others keep their numbers.
    """
    model = _without_sum(request)
    scaling = _Scaling(request, resolve(request.model), roles(request.model))
    lattice, assumed = choose_all(request, model, lambda dim: _choose(scaling, dim, entering),
                                  usual_shape(request, scaling.shape()))
    searched = {axis.dim for axis in lattice.axes if axis.ranges}
    sizes = tuple(dim for dim in (scaling.depth, "d_model") if dim in searched)
    return Plan(model, lattice, lattice.rules, sizes, tuple(assumed))


def _choose(scaling: _Scaling, dim: str, entering: frozenset[str]) -> Choice | None:
    request, base = scaling.request, scaling.base
    why = f"as in {scaling.name}"
    if dim == "d_model" and dim in base.values:
        return Choice(width_axis(request, scaling.step()), WHY)
    if dim == scaling.depth and (dim in entering or dim not in request.model.dims):
        return Choice(depth_axis(dim), WHY)
    if dim in scaling.layers:
        rule = scaling.layers[dim]
        own = isinstance(rule.expr, ex.Num)
        return Choice(base.values[dim] if own else Follows(dim, rule), why)
    if dim == "d_head" and dim in base.values and not (
            request.gives("n_heads") and dim in base.rules):
        return Choice(base.values[dim], f"the head width of {scaling.name}")
    scaled = _scaled_dim(scaling, dim)
    if scaled is not None:
        return Choice(Follows(dim, scaled), why)
    if dim in base.given and not scaling.defined(dim):
        return Choice(base.values[dim], "" if dim in {"V", "n_ctx"} else why)
    followed = _following(request, dim)
    return None if followed is None else Choice(Follows(dim, followed))


def _scaled_dim(scaling: _Scaling, dim: str) -> Rule | None:
    """How a dim goes with the width; None where it does not, or by a rule of its own."""
    base = scaling.base
    if dim not in base.values or scaling.defined(dim):
        return None
    if dim == "n_heads":
        return scaling.heads()
    if dim.startswith("n_kv") and "n_heads" in base.values:
        return scaling.share(dim, "n_heads")
    own = base.rules.get(dim)
    if own is not None:
        return Rule(own.expr, own.rounding)
    if "d_model" not in base.values:
        return None
    if dim in scaling.roles.covering:
        return Rule(scaling.roles.covering[dim])
    if dim in scaling.roles.heads:
        return scaling.share(dim, "d_model")
    return scaling.width(dim) if dim in scaling.roles.inner else None


def _multiple(factor: Fraction, expr: ex.Expr) -> ex.Expr:
    """A multiple of an expression; the expression itself where the factor is 1."""
    return ex.Num(ex.whole(factor)) * expr
