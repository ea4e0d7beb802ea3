"""Lattices of a model that has its numbers: scaled with its ratios kept, or one dim searched."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from symparam import expression as ex
from symparam.arithmetic import Rounding
from symparam.constraints import Standing, Sums
from symparam.dims import COMMON
from symparam.errors import NotDerivable
from symparam.grammar import Rule
from symparam.model import Model
from symparam.resolve import Resolution, resolve
from symparam.solve.axes import rule_axis
from symparam.solve.lattice import (
    RATIO_HIGH,
    RATIO_LOW,
    depth_axis,
    shape_conditions,
    width_axis,
    width_step,
)
from symparam.solve.request import Choice, Plan, Request, choose_all, make_plan

WHY = "the lattice of a model that is scaled"

_FOLLOWING = (Standing.ASSUMED, Standing.DEFINITION, Standing.DEFAULT, Standing.INVERSE)


def single_plan(request: Request) -> Plan:
    """One dim searched, all others at the model's numbers or following from its rules."""
    model = _without_sum(request)
    values = {n: v for n, v in model.values.items() if n != request.unknown}

    def choose(dim: str) -> Choice | None:
        if dim in values:
            return Choice(values[dim])
        rule = _following(request, dim)
        return None if rule is None else Choice(rule_axis(dim, rule))

    lattice, assumed = choose_all(request, model, choose)
    return make_plan(model, lattice, lattice.rules, (str(request.unknown),), assumed)


def _following(request: Request, dim: str) -> Rule | None:
    equation = request.equation(dim, *_FOLLOWING)
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
    said = {part for part in check.parts if request.gives(part) or request.unknown == part}
    needed = any(check.whole in eq.inputs for eq in request.model.equations if eq.dim not in said)
    return bool(said) and not needed


@dataclass(frozen=True)
class _Scaling:
    """A model whose width and depth are varied.

    Attributes:
        request: what was asked.
        base: the model's own numbers.
    """

    request: Request
    base: Resolution

    def per_width(self, dim: str) -> Fraction:
        """A dim of the model over its d_model."""
        return Fraction(self.base.values[dim], self.base.values["d_model"])

    def scales(self, dim: str) -> bool:
        """Whether a dim goes with the width: it has a number that is not a matter of definition."""
        defined = self.request.equation(dim, Standing.DEFINITION) is not None
        return dim in _RATIOS and dim in self.base.values and not defined

    @property
    def head_width(self) -> int | None:
        """The head width, where it stays at one number."""
        if self.request.gives("d_head"):
            return self.request.numbers.get("d_head")
        return self.base.values.get("d_head")

    def heads(self) -> Rule:
        """n_heads: so many that heads cover the same multiple of the width."""
        if "d_head" not in self.base.values:
            return Rule(_scaled(self.per_width("n_heads"), ex.Sym("d_model")))
        covered = self.per_width("n_heads") * self.base.values["d_head"]
        return Rule(_scaled(covered, ex.Sym("d_model")) / ex.Sym("d_head"))

    def kv_heads(self) -> Rule:
        """n_kv: the model's share of n_heads."""
        share = Fraction(self.base.values["n_kv"], self.base.values["n_heads"])
        return Rule(_scaled(share, ex.Sym("n_heads")))

    def ffn(self) -> Rule:
        """d_ff: by the model's own rule, else its ratio, rounded to the model's multiple."""
        rule = self.base.rules.get("d_ff")
        if rule is not None:
            return Rule(rule.expr, rule.rounding)
        width = self.base.values["d_ff"]
        return Rule(_scaled(self.per_width("d_ff"), ex.Sym("d_model")),
                    Rounding("nearest", min(width & -width, 256)))

    def step(self) -> int:
        """The step of d_model: what keeps heads whole, on multiples of 64 or 128 where the
        model's own width is no smaller than such a step."""
        own = 1
        if not self.request.gives("n_heads") and "n_heads" in self.base.values:
            share = self.per_width("n_heads")
            if self.head_width and "d_head" in self.base.values:
                share = share * self.base.values["d_head"] / self.head_width
            own = share.denominator
            if not self.request.gives("n_kv") and self.scales("n_kv"):
                kv = Fraction(self.base.values["n_kv"], self.base.values["n_heads"])
                own = math.lcm(own, (share * kv).denominator)
        aligned = math.lcm(own, width_step(self.request))
        return aligned if aligned <= self.base.values["d_model"] else own

    def ratios(self) -> tuple[Fraction, Fraction]:
        """The range of d_model/L, which holds the model's own ratio."""
        if "L" not in self.base.values:
            return RATIO_LOW, RATIO_HIGH
        own = 1 / self.per_width("L")
        return min(RATIO_LOW, Fraction(math.floor(own))), max(RATIO_HIGH, Fraction(math.ceil(own)))


def scaled_plan(request: Request) -> Plan:
    """L and d_model searched, unless given, with the model's head width and ratios kept."""
    own = [name for name in request.model.dims
           if not name.startswith("L_") and name not in {d.name for d in COMMON}
           and name not in request.numbers and name not in request.rules]
    if own:
        raise NotDerivable(f"{request.model.name} has dims of its own, {', '.join(own)}, and how "
                           f"they scale is not known: give {' '.join(f'{n}=...' for n in own)}, or "
                           "search one dim with KEY=?")
    scaling, model = _Scaling(request, resolve(request.model)), _without_sum(request)
    shape = shape_conditions(request, *scaling.ratios())
    lattice, assumed = choose_all(request, model, lambda dim: _choose(scaling, dim), shape)
    searched = {axis.dim for axis in lattice.axes if axis.rule is None}
    sizes = tuple(dim for dim in ("L", "d_model") if dim in searched)
    return make_plan(model, lattice, lattice.rules, sizes, assumed)


def _choose(scaling: _Scaling, dim: str) -> Choice | None:
    request, base = scaling.request, scaling.base
    if dim == "d_model":
        return Choice(width_axis(request, scaling.step(), *scaling.ratios()), WHY)
    if dim == "L":
        return Choice(depth_axis(request, *scaling.ratios()), WHY)
    if dim == "d_head" and dim in base.values and not (
            request.gives("n_heads") and dim in base.rules):
        return Choice(base.values[dim], f"the head width of {request.model.name}")
    if scaling.scales(dim):
        return Choice(rule_axis(dim, _RATIOS[dim](scaling)), f"as in {request.model.name}")
    if dim in base.given:
        return Choice(base.values[dim])
    rule = _following(request, dim)
    return None if rule is None else Choice(rule_axis(dim, rule))


_RATIOS = {"n_heads": _Scaling.heads, "n_kv": _Scaling.kv_heads, "d_ff": _Scaling.ffn}


def _scaled(factor: Fraction, expr: ex.Expr) -> ex.Expr:
    """A multiple of an expression; the expression itself where the factor is 1."""
    return ex.Num(ex.whole(factor)) * expr

