"""The default lattice: where configurations of an architecture without numbers are looked for.

Each function says what one dim may be when nobody gave it; what is given replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction

from symparam.arithmetic import Rounding
from symparam.constraints import Equation, Standing
from symparam.expression import Sym
from symparam.grammar import Rule
from symparam.solve.axes import Axis, Condition, divisors, multiples, rule_axis
from symparam.solve.request import Choice, Plan, Request, choose_all, make_plan, ratio_condition

MAX_LAYERS = 200
RATIO_LOW, RATIO_HIGH = Fraction(32), Fraction(256)
MAX_WIDTH = int(MAX_LAYERS * RATIO_HIGH)
HEAD_WIDTHS = (64, 128)
KV_LOW, KV_HIGH = 4, 16
FFN_LOW, FFN_HIGH = 1, 8
VOCABULARY, CONTEXT = 32_000, 2048
WHY = "the default lattice"


def default_plan(request: Request) -> Plan:
    """The default lattice with what was given in place of its parts.

    Raises:
        MissingDims: a dim that the lattice does not know was not given.
    """
    shape = shape_conditions(request, RATIO_LOW, RATIO_HIGH)
    lattice, assumed = choose_all(request, request.model, lambda dim: _choose(request, dim), shape)
    open_dims = {axis.dim for axis in lattice.axes if axis.ranges}
    identities, sizes = lattice.rules, _sizes(request.unknown, open_dims)
    usual = usual_ffn(request)
    if usual is not None and "d_ff" in open_dims - set(sizes):
        identities["d_ff"] = Rule(usual.expr)
        assumed.append((str(usual), f"{usual.reason}; in the closed form only"))
    return make_plan(request.model, lattice, identities, sizes, assumed)


def usual_ffn(request: Request) -> Equation | None:
    """The architecture's usual d_ff, where it states one."""
    return request.equation("d_ff", Standing.DEFAULT)


def _sizes(unknown: str | None, open_dims: Collection[str]) -> tuple[str, ...]:
    """The dims to solve for: what was asked for, depth and width; d_ff where those are given."""
    sizes = tuple(dim for dim in ("L", "d_model") if dim in open_dims)
    if unknown is not None:
        return (unknown, *sizes)
    return sizes or tuple(dim for dim in ("d_ff",) if dim in open_dims)


def shape_is_open(request: Request) -> bool:
    """Whether d_model/L is held to its range: not where both are given, or one is asked for."""
    both = request.gives("L") and request.gives("d_model")
    return not both and request.unknown not in {"L", "d_model"} and "L" in request.model.dims


def shape_conditions(request: Request, low: Fraction, high: Fraction) -> list[Condition]:
    """The range of d_model/L as a condition, where one of them is a rule and no axis sees to it."""
    ruled = {"L", "d_model"} & set(request.rules)
    return [ratio_condition(low, high)] if ruled and shape_is_open(request) else []


def _choose(request: Request, dim: str) -> Choice | None:
    own = next((eq for eq in request.model.equations if eq.dim == dim), None)
    if dim == "L" and any("L" in eq.inputs for eq in request.model.equations):
        own = None  # the kinds of layer follow from their sum, not it from them
    fixed = own or request.equation(dim, Standing.DEFINITION)
    if fixed is not None:
        asked = fixed.standing is Standing.ASSUMED
        return Choice(rule_axis(dim, Rule(fixed.expr, fixed.rounding)),
                      "" if asked else fixed.reason)
    if dim in _CHOICES:
        return _CHOICES[dim](request)
    default = request.equation(dim, Standing.DEFAULT)
    if default is None:
        return None
    return Choice(rule_axis(dim, Rule(default.expr, default.rounding)), default.reason)


def _vocabulary(_: Request) -> Choice:
    return Choice(VOCABULARY, "no vocabulary was given")


def _context(_: Request) -> Choice:
    return Choice(CONTEXT, "learned positions need a length, and none was given")


def width_step(request: Request) -> int:
    """The step of widths: 128, and 64 below a billion parameters."""
    return 128 if request.large else 64


def _width(request: Request) -> Choice:
    return Choice(width_axis(request, width_step(request), RATIO_LOW, RATIO_HIGH), WHY)


def width_axis(request: Request, step: int, low: Fraction, high: Fraction) -> Axis:
    """Multiples of a step; where L was given as a number, those that keep d_model/L in range."""
    text, found = f"up to {MAX_WIDTH}", multiples(step, 1, MAX_WIDTH)
    depth = request.numbers.get("L")
    if depth is not None and shape_is_open(request):
        text, found = f"{low} ≤ d_model/L ≤ {high}", multiples(step, low * depth, high * depth)
    return Axis("d_model", f"d_model: multiples of {step}, {text}", lambda _: found)


def _layers(request: Request) -> Choice:
    return Choice(depth_axis(request, RATIO_LOW, RATIO_HIGH), WHY)


def depth_axis(request: Request, low: Fraction, high: Fraction) -> Axis:
    """Depths up to the largest, with d_model/L in range unless it is left open."""
    every = range(1, MAX_LAYERS + 1)
    if not shape_is_open(request):
        return Axis("L", f"L: from 1 to {MAX_LAYERS}", lambda _: every)
    text = f"L: from 1 to {MAX_LAYERS}, {low} ≤ d_model/L ≤ {high}"
    if "d_model" in request.rules:  # it may be a rule in L, which then comes first
        return Axis("L", text, lambda _: every)
    return Axis("L", text, layers_between(low, high), frozenset({"d_model"}))


def layers_between(low: Fraction, high: Fraction) -> Callable[[Mapping[str, int]], Sequence[int]]:
    """The depths that keep d_model/L within a range."""
    return lambda dims: multiples(1, dims["d_model"] / high,
                                  min(Fraction(MAX_LAYERS), dims["d_model"] / low))


def _head_width(request: Request) -> Choice:
    if request.gives("n_heads") or request.unknown == "n_heads":
        return Choice(rule_axis("d_head", Rule(Sym("d_model") / Sym("n_heads"))),
                      "heads split the width")
    text = "d_head: " + " or ".join(map(str, HEAD_WIDTHS))
    return Choice(Axis("d_head", text, lambda _: HEAD_WIDTHS), WHY)


def _heads(_: Request) -> Choice:
    return Choice(rule_axis("n_heads", Rule(Sym("d_model") / Sym("d_head"))),
                  "heads split the width")


def _kv_heads(request: Request) -> Choice:
    text = f"n_kv: the divisors of n_heads from {KV_LOW} to {KV_HIGH}"
    given = request.numbers.get("n_heads")
    if given is not None and not _usual_kv({"n_heads": given}):
        text = f"n_kv: every divisor of n_heads, as none of {given} is from {KV_LOW} to {KV_HIGH}"
        every = divisors(given)
        return Choice(Axis("n_kv", text, lambda _: every), WHY)
    return Choice(Axis("n_kv", text, _usual_kv, frozenset({"n_heads"})), WHY)


def _usual_kv(dims: Mapping[str, int]) -> Sequence[int]:
    return tuple(k for k in range(KV_LOW, KV_HIGH + 1) if dims["n_heads"] % k == 0)


def _ffn(request: Request) -> Choice:
    step = 256 if request.large else 64
    usual = request.equation("d_ff", Standing.DEFAULT)
    if request.unknown is not None and usual is not None:
        rule = Rule(usual.expr, usual.rounding or Rounding("nearest", step))
        return Choice(rule_axis("d_ff", rule), usual.reason)
    text = f"d_ff: multiples of {step}, {FFN_LOW} ≤ d_ff/d_model ≤ {FFN_HIGH}"
    return Choice(Axis("d_ff", text, lambda dims: multiples(
        step, FFN_LOW * dims["d_model"], FFN_HIGH * dims["d_model"]), frozenset({"d_model"})), WHY)


_CHOICES = {"V": _vocabulary, "n_ctx": _context, "d_model": _width, "d_head": _head_width,
            "n_heads": _heads, "n_kv": _kv_heads, "d_ff": _ffn, "L": _layers}
