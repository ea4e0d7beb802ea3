"""A family of sizes: one shape at every size, as far as whole numbers allow.

Sizes have in common d_model/L within one layer, d_ff/d_model within one step of d_ff, one d_head,
and what else shapes a layer: query heads to a key-value head, experts and their width. Where no
configuration of that shape is near enough to a size, the width of the FFN is loosened step by step,
then the depth; what a size does not hold is said of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.constraints import Standing
from symparam.dataclass import dataclass
from symparam.errors import Contradiction, NotDerivable
from symparam.grammar import Rule
from symparam.model import Model
from symparam.points.axes import Span
from symparam.points.ratios import Ratio, shown
from symparam.resolve import resolve
from symparam.solve.requests.preferences import usual_ratio
from symparam.solve.requests.request import Request, Wishes, read_request
from symparam.solve.searching.lattice import HEAD_WIDTHS
from symparam.solve.searching.model_lattice import depth_of, own_step
from symparam.solve.solution import Solution
from symparam.solve.solver import solve

#: d_model/L unless it is said or the model has its own (GPT-3 175B has 128, LLaMA 7B too).
ASPECT = Fraction(128)

#: How far from a size a configuration may be: depths and widths of one shape come in steps.
TOLERANCE = Fraction(1, 20)

#: Within how many steps the width of an FFN is held, and the depth; a wider step where nothing that
#: is within a tighter one is near enough.
FFN_STEPS, LAYER_STEPS = (1, 2, 4, 8), (1, 2, 4, 8)

#: What else shapes a layer, where nobody says it: as one published model has it.
NUMBERS = {"n_experts": 8, "top_k": 2}
SHARES = {("n_kv", "n_heads"): Fraction(1, 4), ("d_expert", "d_model"): Fraction(7, 2)}
WHOSE = "as in mixtral-8x7b"


@dataclass(frozen=True)
class Family:
    """A shape, and all that is given besides.

    Attributes:
        model: what is sized.
        given: dims as numbers or rules.
        wishes: ranges, multiples, weights, and ratios that are held within steps.
        aspect: d_model over the depth; None where one of them is given.
        held: what all sizes have in common, in words.
    """

    model: Model
    given: Mapping[str, int | Rule]
    wishes: Wishes
    aspect: Ratio | None = None
    held: tuple[str, ...] = ()

    def sizes(self, targets: Sequence[int], tolerance: Fraction, limit: int) -> list[Solution]:
        """The configurations of each size, smallest first; none is narrower or shallower than the
        one before."""
        found: list[Solution] = []
        wishes = self.wishes
        for target in sorted(targets):
            solved = solve(self.model, target, given=self.given, wishes=wishes,
                           tolerance=tolerance, limit=limit, formulas=False)
            found.append(solved)
            if self.aspect:
                dims = solved.configurations[0].dims
                wishes = replace(wishes, least={dim: dims[dim] for dim in self.aspect.dims})
        return found

    def holding(self, words: str, **changes: Any) -> Family:
        """With one thing more in common."""
        return replace(self, held=(*self.held, words), **changes)

    def within(self, ratio: Ratio, steps: tuple[int, ...], words: str) -> Family:
        """With one ratio more that is held within steps."""
        wishes = replace(self.wishes, ratios=(*self.wishes.ratios, replace(ratio, steps=steps)))
        return self.holding(f"{ratio} {words}", wishes=wishes)


def is_off(solution: Solution) -> bool:
    """Whether a size is not within the tolerance, or does not hold the shape."""
    return not solution.met or bool(solution.configurations[0].not_held)


def family(model: Model, targets: Sequence[int], given: Mapping[str, int | Rule],
           wishes: Wishes, aspect: Fraction | None, tolerance: Fraction,
           limit: int) -> tuple[Family, list[Solution]]:
    """A shape that sizes of a model have in common, and the sizes.

    Args:
        model: what is sized.
        targets: the sizes.
        given, wishes: what was said; it goes before what is usual.
        aspect: d_model over the depth; None for the model's own, or the usual one.
        tolerance, limit: as for :func:`symparam.solve.solver.solve`.

    Raises:
        SymparamError: as for :func:`symparam.solve.solver.solve`; an aspect ratio beside a depth
            or a width.
    """
    request = read_request(model, max(targets), given, wishes)
    found = resolve(model)
    own = {} if found.missing else found.values
    start = _with_aspect(Family(model, given, wishes), request, own, aspect)
    start = _with_ffn(start, request, own)
    shapes = [_with_own(start, request, own)] if own else _with_heads(
        _with_usual(start, request), request)
    tried = []
    for shaped in shapes:
        tried.append((shaped, shaped.sizes(targets, tolerance, limit)))
        if not any(map(is_off, tried[-1][1])):
            break
    return min(tried, key=lambda each: sum(map(is_off, each[1])))


def _with_aspect(made: Family, request: Request, own: Mapping[str, int],
                 aspect: Fraction | None) -> Family:
    """With d_model over the depth, unless one of them is given."""
    depth = depth_of(request)
    said = next((dim for dim in (depth, "d_model") if dim in made.given), None)
    if said is not None:
        if aspect is not None:
            raise Contradiction("--aspect", f"{said}={made.given[said]}", "leave out one of them")
        return made
    if not {depth, "d_model"} <= {*request.model.dims, *request.model.values}:
        raise NotDerivable(f"{request.model.name} has no {depth} and d_model of which a ladder "
                           "could keep the ratio")
    if aspect is None:
        aspect = Fraction(own["d_model"], own[depth]) if {depth, "d_model"} <= set(own) else ASPECT
    ratio = Ratio("d_model", depth, aspect, aspect)
    return replace(made.within(ratio, LAYER_STEPS, "within one layer"), aspect=ratio)


def _with_ffn(made: Family, request: Request, own: Mapping[str, int]) -> Family:
    """With the usual d_ff/d_model, or the model's own, unless something is said of it."""
    ratio, step = usual_ratio(request), None
    if request.gives("d_ff") or request.ratio("d_ff", "d_model"):
        return made
    if "d_ff" in request.model.dims and "d_model" in own:
        ratio, step = Fraction(own["d_ff"], own["d_model"]), own_step(own["d_ff"])
    if ratio is None:
        return made
    if step is not None:
        ranges = {**made.wishes.ranges, "d_ff": Span("d_ff", step)}
        made = replace(made, wishes=replace(made.wishes, ranges=ranges))
    return made.within(Ratio("d_ff", "d_model", ratio, ratio), FFN_STEPS, "within one step of d_ff")


def _with_own(made: Family, request: Request, own: Mapping[str, int]) -> Family:
    """With the model's own heads, which are kept as it is scaled."""
    for dim in ("d_head", "n_kv"):
        if dim in own and not request.gives(dim) and dim in request.model.names:
            made = made.holding(f"d_head = {own[dim]}" if dim == "d_head" else
                                f"n_heads/n_kv = {shown(Fraction(own['n_heads'], own['n_kv']))}")
    return made


def _with_heads(made: Family, request: Request) -> list[Family]:
    """With one width of a head; with each that is usual, the larger first for large sizes."""
    if not _is_open(request, "d_head") or request.gives("n_heads"):
        return [made]
    heads = HEAD_WIDTHS[::-1] if request.large else HEAD_WIDTHS
    return [made.holding(f"d_head = {head}", given={**made.given, "d_head": head})
            for head in heads]


def _with_usual(made: Family, request: Request) -> Family:
    """With what else shapes a layer and nobody said, as a published model has it."""
    for dim, number in NUMBERS.items():
        if _is_open(request, dim):
            made = made.holding(f"{dim} = {number} ({WHOSE})", given={**made.given, dim: number})
    for (top, bottom), share in SHARES.items():
        if _is_open(request, top):
            made = _sharing(made, top, bottom, share)
    return made


def _is_open(request: Request, dim: str) -> bool:
    """Whether the architecture leaves a dim open, and nobody said it."""
    return dim in request.model.dims and dim not in request.model.values and (
        not request.gives(dim)
        and request.equation(dim, Standing.DEFINITION, Standing.ASSUMED) is None)


def _sharing(made: Family, top: str, bottom: str, share: Fraction) -> Family:
    """With heads as a share of others; with an inner width within a step of its share."""
    if bottom == "d_model":
        return made.within(Ratio(top, bottom, share, share), FFN_STEPS,
                           f"within one step of {top} ({WHOSE})")
    rule = Rule(ex.Num(ex.whole(share)) * ex.Sym(bottom))
    return made.holding(f"{bottom}/{top} = {shown(1 / share)} ({WHOSE})",
                        given={**made.given, top: rule})
