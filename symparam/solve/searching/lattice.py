"""The default lattice: where configurations of an architecture without numbers are looked for.

Each function says what one dim may be when nobody gave it; what is given replaces it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction

from symparam.arithmetic import Rounding
from symparam.constraints import Equation, Standing
from symparam.descriptions.decoder import VOCABULARY
from symparam.expression import Quotient, Sym, symbols_in
from symparam.grammar import Rule
from symparam.points.axes import Axis, Divisors, Follows, Listed, Span
from symparam.points.ratios import Ratio
from symparam.solve.requests.request import Request, usual_ffn
from symparam.solve.searching.plan import Choice, Plan, choose_all

MAX_LAYERS = 200
SHAPE = Ratio("d_model", "L", Fraction(32), Fraction(256))
MAX_WIDTH = int(MAX_LAYERS * SHAPE.high)
HEAD_WIDTHS = (64, 128)
KV_LOW, KV_HIGH = 4, 16
FFN = Ratio("d_ff", "d_model", Fraction(1), Fraction(8))
EXPERT = Ratio("d_expert", "d_model", Fraction(1, 8), Fraction(4))
EXPERTS, USED = (8, 16, 32, 64, 128, 256), (1, 2, 4, 8)
MAX_VOCABULARY, CONTEXT = 1 << 18, 2048
WHY = "the default lattice"


def default_plan(request: Request) -> Plan:
    """The default lattice with what was given in place of its parts.

    Raises:
        MissingDims: a dim that the lattice does not know was not given.
    """
    lattice, assumed = choose_all(request, request.model, lambda dim: _choose(request, dim),
                                  usual_shape(request, SHAPE))
    open_dims = {axis.dim for axis in lattice.axes if axis.ranges}
    identities, sizes = lattice.rules, _sizes(request, open_dims)
    usual = usual_ffn(request)
    if usual is not None and "d_ff" in open_dims - set(sizes):
        identities["d_ff"] = Rule(usual.expr, usual.rounding)
    return Plan(request.model, lattice, identities, sizes, tuple(assumed))


def usual_shape(request: Request, shape: Ratio) -> list[Ratio]:
    """The range of d_model/L: not where both are given, or one is asked for."""
    both = request.gives("L") and request.gives("d_model")
    return [] if both or request.unknown in shape.dims else [shape]


def _sizes(request: Request, open_dims: Collection[str]) -> tuple[str, ...]:
    """The dims to solve for: what was asked for, depth and width; d_ff where those are given."""
    if request.asked:
        return request.asked
    sizes = tuple(dim for dim in ("L", "d_model") if dim in open_dims)
    return sizes or tuple(dim for dim in ("d_ff", "d_expert") if dim in open_dims)


def _choose(request: Request, dim: str) -> Choice | None:
    own = next((eq for eq in request.model.equations if eq.dim == dim), None)
    if dim == "L" and any("L" in eq.inputs for eq in request.model.equations):
        own = None  # the kinds of layer follow from their sum, not it from them
    fixed = own or request.equation(dim, Standing.DEFINITION)
    if fixed is not None:
        asked = fixed.standing is Standing.ASSUMED
        return Choice(Follows(dim, Rule(fixed.expr, fixed.rounding)), "" if asked else fixed.reason)
    if dim in _CHOICES:
        return _CHOICES[dim](request)
    default = request.equation(dim, Standing.DEFAULT)
    if default is None:
        return None
    return Choice(Follows(dim, Rule(default.expr, default.rounding)), default.reason)


def _vocabulary(request: Request) -> Choice:
    if "V" in request.asked:
        return Choice(Span("V", 64, high=MAX_VOCABULARY), WHY)
    return Choice(VOCABULARY, "no vocabulary was given")


def _context(request: Request) -> Choice | None:
    if "n_ctx" in request.asked:
        return None
    return Choice(CONTEXT, "learned positions need a length, and none was given")


def width_step(request: Request) -> int:
    """The step of widths: 128, and 64 below a billion parameters."""
    return 128 if request.large else 64


def _width(request: Request) -> Choice:
    return Choice(width_axis(request, width_step(request)), WHY)


def width_axis(request: Request, step: int) -> Axis:
    """Multiples of a step; where L was given as a number, its ratio to d_model bounds them."""
    bounded = "L" in request.numbers and request.unknown not in SHAPE.dims
    return Span("d_model", step, high=None if bounded else MAX_WIDTH)


def _layers(_: Request) -> Choice:
    return Choice(depth_axis("L"), WHY)


def depth_axis(dim: str) -> Axis:
    """Depths up to the largest."""
    return Span(dim, high=MAX_LAYERS)


def _head_width(request: Request) -> Choice:
    own = request.equation("d_head", Standing.DEFAULT)
    if own is not None and (request.gives("n_heads") or "n_heads" in request.asked):
        return Choice(Follows("d_head", Rule(own.expr, own.rounding)), own.reason)
    return Choice(Listed("d_head", HEAD_WIDTHS), WHY)


def _heads(request: Request) -> Choice:
    """As many as the architecture's own rule for the width of a head leaves room for."""
    own = request.equation("n_heads", Standing.DEFAULT, Standing.INVERSE) or _inverse(request)
    if own is not None:
        return Choice(Follows("n_heads", Rule(own.expr, own.rounding)), own.reason)
    return Choice(Follows("n_heads", Rule(Sym("d_model") / Sym("d_head"))), WHY)


def _inverse(request: Request) -> Equation | None:
    """The number of heads from their width, where that is something over the number."""
    own = request.equation("d_head", Standing.DEFAULT)
    match own:
        case Equation(expr=Quotient(top, Sym("n_heads"))) if "n_heads" not in symbols_in(top):
            return replace(own, dim="n_heads", expr=top / Sym("d_head"),
                           standing=Standing.INVERSE)
    return None


def _kv_heads(request: Request) -> Choice:
    given = request.numbers.get("n_heads")
    usual = Divisors("n_kv", "n_heads", KV_LOW, KV_HIGH)
    if given is not None and not usual.values({"n_heads": given}):
        return Choice(Divisors("n_kv", "n_heads"),
                      f"none of the divisors of {given} is from {KV_LOW} to {KV_HIGH}")
    return Choice(usual, WHY)


def _ffn(request: Request) -> Choice:
    step = 256 if request.large else 64
    usual = request.equation("d_ff", Standing.DEFAULT)
    if request.unknown is not None and usual is not None:
        rule = Rule(usual.expr, usual.rounding or Rounding("nearest", step))
        return Choice(Follows("d_ff", rule), usual.reason)
    return Choice(Span("d_ff", step, ratios=(FFN,)), WHY)


def _expert(request: Request) -> Choice | None:
    if request.unknown is not None:
        return None
    return Choice(Span("d_expert", width_step(request), ratios=(EXPERT,)), WHY)


def _experts(request: Request) -> Choice | None:
    return Choice(Listed("n_experts", EXPERTS), WHY) if request.unknown is None else None


def _used(request: Request) -> Choice | None:
    return Choice(Listed("top_k", USED), WHY) if request.unknown is None else None


_CHOICES = {"V": _vocabulary, "n_ctx": _context, "d_model": _width, "d_head": _head_width,
            "n_heads": _heads, "n_kv": _kv_heads, "d_ff": _ffn, "L": _layers,
            "d_expert": _expert, "n_experts": _experts, "top_k": _used}
