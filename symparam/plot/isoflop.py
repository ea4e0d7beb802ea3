"""IsoFLOP profiles: what equal compute buys at each size, and which size is best by a fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from symparam.arithmetic import decimal
from symparam.dataclass import dataclass
from symparam.errors import BadValue, Contradiction
from symparam.grammar import Rule
from symparam.model import Model
from symparam.notation.numbers import power_of_ten
from symparam.plot.picture import Cell, Picture
from symparam.quantities import find
from symparam.quantities.setting import Setting
from symparam.resolve import with_overrides
from symparam.run import Taken
from symparam.solve.fits import Fit
from symparam.solve.problem import run_of
from symparam.solve.requests.request import Wishes
from symparam.solve.requests.targets import setting_for
from symparam.solve.solution import Configuration
from symparam.solve.suite import ladder

#: The sizes of a profile where nobody says them: four in each decade, this far around the size that
#: C = 6·N·D with D = 20·N makes.
A_DECADE, AROUND = 4, 6

#: How the FLOPs of training are counted where nobody says it: those of this very architecture.
CONVENTION = "train_full"

#: The compute of profiles, and the fit, where nobody says them.
COMPUTE, FIT = (10**19, 10**20, 10**21), "hoffmann-3"

#: Compute, and sizes, that are taken at most.
MOST, LARGEST = 12, 10**30

COLUMNS = ("C", "P", "L", "d_model", "d_ff", "FLOPs/token", "D", "D/P")


@dataclass(frozen=True)
class Asked:
    """What profiles are asked for.

    Attributes:
        compute: FLOPs of each profile.
        fit: by which one size is best.
        sizes: parameters of each; none for the usual.
        convention: a quantity of FLOPs for one token of training.
    """

    compute: tuple[int, ...]
    fit: Fit
    sizes: tuple[int, ...] = ()
    convention: str = CONVENTION

    def sizes_for(self, compute: int) -> list[int]:
        """The sizes of one profile: round numbers, four in a decade."""
        if self.sizes:
            return sorted(self.sizes)
        middle = math.isqrt(compute // 120)
        first = math.ceil(A_DECADE * math.log10(max(1, middle / AROUND)))
        last = math.floor(A_DECADE * math.log10(middle * AROUND))
        return [_round(10 ** (k / A_DECADE)) for k in range(first, last + 1)]


def _round(size: float) -> int:
    """A size with two digits.

    >>> _round(177827941.0)
    180000000
    """
    digits: int = 10 ** (int(math.log10(size)) - 1)
    return round(size / digits) * digits


def isoflop(model: Model, asked: Asked, given: Mapping[str, int | Rule] | None = None,
            setting: Setting | None = None) -> Picture:
    """At each compute a family of sizes, the tokens that it leaves each, and the best by a fit.

    Args:
        model: the architecture; its sizes are a family (:func:`symparam.solve.suite.ladder`).
        asked: the compute, the fit, the convention of FLOPs.
        given: dims as numbers or rules; ``s`` among them.
        setting: how FLOPs are counted besides.

    Raises:
        SymparamError: compute or a size that cannot be; as for a ladder.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> from symparam.solve.fits import fit
    >>> found = isoflop(plain_decoder(), Asked((10**19,), fit("hoffmann-3"), (10**8, 3 * 10**8)))
    >>> found.column("best"), found.column("P")
    (['', 'best'], [103098944, 302804544])
    """
    _check(asked)
    given = dict(given or {})
    run = run_of(given)
    if "D" in run or (setting is not None and "D" in setting.run):
        raise Contradiction("isoflop", "D=...", "its tokens follow from --compute and the size")
    dims = {name: value for name, value in given.items() if name not in run}
    targets = {size for compute in asked.compute for size in asked.sizes_for(compute)}
    family = ladder(model, sorted(targets), given=dims, wishes=Wishes())
    points = {s.target: _point(model, s.configurations[0], asked.convention, run, setting)
              for _, s in family.rows}
    first = family.rows[0][1].configurations[0].dims
    taken = setting_for(with_overrides(model, first), setting, run)[1]
    held = (*family.held, *(f"{name} = {first[name]}" for name in ("V", "n_ctx") if name in first))
    rows = [row for compute in asked.compute for row in _profile(
        compute, [points[size] for size in asked.sizes_for(compute)], asked.fit)]
    title = f"IsoFLOP profiles of {model.name}"
    return Picture("isoflop", title, (*COLUMNS, *(("loss",) if asked.fit.is_loss else ()), "best"),
                   tuple(rows), tuple(_remarks(asked, held, run, taken, _apart(points.values()))),
                   asked.fit.called)


def _check(asked: Asked) -> None:
    for name, numbers in (("--compute", asked.compute), ("--sizes", asked.sizes)):
        if len(set(numbers)) < len(numbers) or len(numbers) > MOST:
            raise BadValue(name, f"{len(numbers)} numbers", f"expected at most {MOST}, none twice")
    for compute in asked.compute:
        if not 10**12 <= compute <= LARGEST:
            raise BadValue("--compute", compute, "expected FLOPs, from 1e12 to 1e30")
    if not asked.compute:
        raise BadValue("--compute", "nothing", "expected FLOPs, for instance 1e19,1e20,1e21")
    if not asked.convention.startswith("train_") or find(asked.convention).unit != "FLOP":
        raise BadValue("quantity", asked.convention, "expected FLOPs of training for one token: "
                       "train_chinchilla, train_all, train_causal ...")


@dataclass(frozen=True)
class _Point:
    dims: Mapping[str, int]
    parameters: int
    flops: int | Fraction
    not_held: tuple[str, ...]


def _point(model: Model, found: Configuration, convention: str, run: Mapping[str, int],
           setting: Setting | None) -> _Point:
    """A configuration with its FLOPs for one token."""
    whole = with_overrides(model, found.dims)
    flops = find(convention).of(whole, setting_for(whole, setting, run)[0])
    return _Point(found.dims, found.total, flops, found.not_held)


def _apart(points: Iterable[_Point]) -> list[str]:
    """Which sizes do not hold a ratio of the family, a remark for each ratio."""
    sizes: dict[str, list[str]] = {}
    for point in points:
        for ratio in point.not_held:
            sizes.setdefault(ratio, []).append(f"{point.parameters:,}")
    return [f"{ratio} is not held by P = {'; '.join(each)}: the nearest to it at which the size is "
            "met" for ratio, each in sizes.items()]


def _profile(compute: int, points: Sequence[_Point], fit: Fit) -> list[tuple[Cell, ...]]:
    """The rows of one compute: the tokens that it is enough for, and which size is best."""
    tokens = [int(compute // point.flops) for point in points]
    if fit.is_loss:
        by = [fit.value(N=p.parameters, D=max(1, n)) for p, n in zip(points, tokens, strict=True)]
    else:
        wanted = math.log(fit.value(C=compute))
        by = [abs(math.log(p.parameters) - wanted) for p in points]
    best = by.index(min(by))
    rows: list[tuple[Cell, ...]] = []
    for i, (p, n) in enumerate(zip(points, tokens, strict=True)):
        shape = [p.dims.get(name, "–") for name in ("L", "d_model", "d_ff")]
        loss = (f"{by[i]:.4f}",) if fit.is_loss else ()
        rows.append((compute, p.parameters, *shape, p.flops, n, decimal(
            Fraction(n, p.parameters), 2), *loss,
                     "best" if i == best else ""))
    return rows


def _remarks(asked: Asked, held: Sequence[str], run: Mapping[str, int],
             taken: Mapping[str, Taken], apart: Sequence[str]) -> list[str]:
    quantity, fit = find(asked.convention), asked.fit
    said = f"loss = {fit.text}, N = P" if fit.is_loss else f"best: the size nearest to {fit.text}"
    tokens = "".join([*(f" at {name} = {value}" for name, value in run.items()),
                      *(f" at {name} = {each.value} ({each.why})" for name, each in taken.items()
                        if name in quantity.needs)])
    source = f"; {quantity.source}" if quantity.source else ""
    return [f"C: {', '.join(map(power_of_ten, asked.compute))} FLOP for training",
            f"FLOPs/token: {quantity.title} ({quantity.name}){tokens}: {quantity.convention}"
            f"{source}",
            "D: whole tokens that C is enough for; P: all parameters, tied ones once",
            f"the sizes have in common: {'; '.join(held)}", *apart,
            f"{said}; {fit.source}: a fit to others' runs, no count"]
