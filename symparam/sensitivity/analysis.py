"""The sensitivity of a quantity: every dim under every convention, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from symparam import expression as ex
from symparam.derivation.plan import Derivation
from symparam.dims import TOTAL
from symparam.errors import BadValue
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.setting import Setting
from symparam.sensitivity.amount import Amount
from symparam.sensitivity.answer import DimRow, Measured, Sensitivity
from symparam.sensitivity.compared import Doubling, doubling, slopes
from symparam.sensitivity.crossover import Crossover, crossover
from symparam.sensitivity.held import ALONE, KEPT, RULED, Held
from symparam.sensitivity.points import steps
from symparam.sensitivity.proved import Derivative, derivative
from symparam.sensitivity.subject import Subject
from symparam.symbols import symbol

#: The shares under which the embeddings are looked for.
SHARES = (Fraction(1, 20), Fraction(1, 10))

#: The dims that are looked at unless others are named; numbers of layers come before them.
USUAL = ("d_model", "d_ff", "d_expert", "d_shared", "V", "n_kv", "n_experts", "top_k")

#: Every dim of the model.
ALL = "all"


def analyse(model: Model, wrt: Iterable[str] = (), own_steps: Mapping[str, Sequence[int]] = {},
            shares: Iterable[Fraction] | None = None, assume: Iterable[str] = (), *,
            quantity: str = TOTAL.name, setting: Setting | None = None) -> Sensitivity:
    """How a quantity of a model changes with its dims, and with what the model is run with.

    Args:
        model: an architecture, with or without numbers.
        wrt: the dims to look at, :data:`ALL` for every one. Where none is named: of the number of
            parameters the usual ones, of any other quantity all that it depends on. Doublings,
            slopes and crossovers are of these.
        own_steps: dim to the whole steps to count. Of the number of parameters the usual ones are
            counted where none are named, of any other quantity none.
        shares: of the embeddings, each between 0 and 1; :data:`SHARES` where none are named and
            the embeddings are a part of the quantity.
        assume: relations for where ratios are kept, in place of the model's own for those dims;
            ``none`` drops the others.
        quantity: its name (:func:`symparam.quantities.everything`).
        setting: formats, ratios and ways to count.

    Raises:
        UnknownName: no such quantity. BadValue: a dim that it does not depend on, a share or a
            step that cannot be, shares of a quantity that the embeddings are no part of.
        NotDerivable: it is 0 here, or no polynomial; an assumption that the numbers are far from.

    >>> from symparam.descriptions.load import load
    >>> row = analyse(load("llama-2-7b")).row("d_model", "ratios kept")
    >>> print(row.derivative.expr, row.here, sep="; ")
    L*(193/8*d_model + 2) + 2*V + 1; 3226177
    >>> found = analyse(load("llama-2-7b"), ["n_kv"], quantity="kv_per_token")
    >>> print(found.rows[0].derivative.expr, found.rows[0].here)
    4*L*d_head 16384
    """
    subject = Subject(model, find(quantity), setting or Setting(), tuple(assume))
    asked = {subject.known(name): tuple(map(whole_step, deltas))
             for name, deltas in own_steps.items()}
    names = _names(subject, list(wrt), asked)
    measures = tuple(_measured(subject, amount, names, asked) for amount in subject.amounts)
    depths, widths, run = ([(held, derivative(subject.amount.expr, held)) for held in found]
                           for found in (_depths(subject), _widths(subject), _run(subject)))
    return Sensitivity(
        subject, measures,
        tuple(_doublings(subject, (*depths, *widths, *run), names)),
        tuple(slope for slope in slopes(depths, widths, subject.numbers())
              if {slope.depth.wrt, slope.width.wrt} & set(names)),
        tuple(_crossovers(subject, _shares(subject.amount, shares), names)),
        {name: times for name, times in subject.shared() if name in names})


def _doublings(subject: Subject, found: Iterable[tuple[Held, Derivative]],
               names: Sequence[str]) -> Iterator[Doubling]:
    """What twice a dim multiplies the quantity by, where it depends on that."""
    for held, slope in found:
        if held.wrt in names and slope.expr != ex.Num(0):
            yield doubling(subject.amount, slope, held, subject.place(held))


def depends(d: Derivation, assume: Sequence[str] = ()) -> Sensitivity:
    """What a derivation's quantity depends on, with relations for where ratios are kept."""
    return analyse(d.model, assume=assume, quantity=d.quantity.name, setting=d.setting)


def whole_step(delta: int) -> int:
    """A step that can be counted.

    Raises:
        BadValue: it is none, or 0.
    """
    if isinstance(delta, bool) or not isinstance(delta, int) or delta == 0:
        raise BadValue("step", delta, "must be a whole number, not 0")
    return delta


def _shares(amount: Amount, asked: Iterable[Fraction] | None) -> list[Fraction]:
    """The shares that are looked for: none where the embeddings are nothing of it, or all."""
    means = amount.embedded != 0 and (amount.embedded - amount.expr).expand() != 0
    if asked is None:
        return list(SHARES) if means else []
    found = list(map(_share, asked))
    if found and not means:
        part = "no part of" if amount.embedded == 0 else "all of"
        raise BadValue("share", found[0], f"token embedding and head are {part} "
                       f"{amount.quantity.name} of {amount.model.name}: it has no crossover")
    return found


def _share(share: Fraction) -> Fraction:
    if not 0 < share < 1:
        raise BadValue("share", share, "must lie between 0 and 1")
    return Fraction(share)


def _names(subject: Subject, wrt: list[str], asked: Mapping[str, tuple[int, ...]]) -> list[str]:
    """The dims to look at: those named, or the usual ones that it depends on."""
    if ALL in wrt:
        return subject.reachable
    named = [*dict.fromkeys([*map(subject.known, wrt), *asked])]
    if not named and not subject.of_parameters:
        return subject.reachable
    reachable = subject.reachable
    own = [name for name in reachable if name.partition("_")[0] in USUAL or any(
        name.startswith(f"{usual}_") for usual in USUAL)] if subject.model.trace else []
    width = [] if subject.width is None else [subject.width]
    return named or [name for name in dict.fromkeys((*subject.depths, *width, *USUAL, *own))
                     if name in reachable]


def _measured(subject: Subject, amount: Amount, names: list[str],
              asked: Mapping[str, tuple[int, ...]]) -> Measured:
    """A quantity with its rows; a dim that it does not have is left to the other count."""
    rows = [_row(subject, amount, held, asked.get(wrt, ())) for wrt in names
            for held in subject.held(wrt)]
    moving = {row.wrt for row in rows if row.derivative.expr != ex.Num(0)}
    if not subject.of_parameters:
        rows = [row for row in rows if row.derivative.expr != ex.Num(0)]
    elif amount is not subject.amount:
        rows = [row for row in rows if row.wrt in moving]
    else:
        rows = [row for row in rows if row.wrt in moving or not _elsewhere(subject, row.wrt)]
    return Measured(amount.quantity, amount.formula, amount.value, tuple(rows))


def _elsewhere(subject: Subject, wrt: str) -> bool:
    """Whether only another count than the total has a dim."""
    return any(symbol(wrt) in amount.expr.free_symbols for amount in subject.amounts[1:])


def _row(subject: Subject, amount: Amount, held: Held, asked: tuple[int, ...]) -> DimRow:
    found = derivative(amount.expr, held)
    place, value = subject.place(held), amount.value
    if place is None or value is None:
        return DimRow(held, found)
    here = ex.whole(Fraction(ex.evaluate(found.expr, place.values)))
    taken = steps(place, amount.at, asked) if asked or subject.of_parameters else []
    return DimRow(held, found, here, Fraction(place.values[held.wrt] * here) / value, tuple(taken))


def _depths(subject: Subject) -> Iterator[Held]:
    """Numbers of layers: kinds of layer go by their rule, all else stays."""
    for name in subject.free_depths():
        by_name = {held.name: held for held in subject.held(name)}
        if name not in subject.present and not {RULED, KEPT} & set(by_name):
            continue
        yield by_name.get(RULED) or by_name.get(ALONE) or by_name[KEPT]


def _widths(subject: Subject) -> list[Held]:
    return [] if subject.width is None else subject.held(subject.width)


def _run(subject: Subject) -> list[Held]:
    return [held for name in subject.run for held in subject.held(name)]


def _crossovers(subject: Subject, shares: list[Fraction],
                names: list[str]) -> Iterator[Crossover]:
    """Where embeddings fall under shares: as the width grows with ratios kept, and as layers do."""
    if subject.untold:
        return
    for held in (*_widths(subject)[-1:], *_depths(subject)):
        for share in shares if held.wrt in names else ():
            yield crossover(subject.amount, share, held, subject.place(held))
