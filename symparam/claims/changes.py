"""The smallest changes that make a claim true: how it is counted, one option, or one dim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice

from symparam.claims.along import Found, Line, Measure, solve
from symparam.claims.alternatives import Alternative, Kind, alternatives
from symparam.claims.claim import Claim
from symparam.claims.forms import counted
from symparam.claims.likely import called_after, likely, unlike
from symparam.claims.names import Names
from symparam.claims.usual import Usual, usual
from symparam.claims.verdict import Name, judge
from symparam.dataclass import dataclass
from symparam.descriptions.load import load
from symparam.descriptions.options import with_switched
from symparam.dims import TOTAL
from symparam.errors import SymparamError
from symparam.expression import Rational
from symparam.ledger import Ledger, Matrix
from symparam.model import Model
from symparam.quantities.counts import COUNTS, OTHERWISE, value, values
from symparam.resolve import numbers

#: How likely a change is by itself: the published model that a row is named after, and what goes
#: together in published models.
NAMED, USUAL = 2, 1
#: How many ways are named in which usual changes go together.
TOGETHER = 2
#: How many of them go together.
MANY = (2, 3)
#: Ways to count, and what they are in words.
CONVENTIONS = {
    "trainable": "frozen tables not counted",
    "with_buffers": "buffers counted",
    "without_input": "the token embedding not counted",
    "without_embeddings": "embedding and head not counted",
    "without_positions": "embedding, head and positions not counted",
    "active": "active parameters, those that a token meets",
    "active_without_input": "active parameters, the token embedding not counted",
    "active_without_embeddings": "active parameters, embedding and head not counted",
}
#: What else is left out by some, and what is kept then.
LEFT_OUT: dict[str, tuple[str, Callable[[Matrix], bool]]] = {
    "layers": ("the layers alone", lambda m: m.path.startswith(("layers", "encoder", "decoder"))),
    "matrices": ("biases and norms not counted", lambda m: m.role not in {"gain", "bias"}),
    "layer_matrices": ("the matrices of the layers alone", lambda m: m.role not in {
        "gain", "bias"} and m.path.startswith(("layers", "encoder", "decoder"))),
    "no_positions": ("the table of positions not counted",
                     lambda m: not (m.part == "positions" and m.role == "embedding")),
}


@dataclass(frozen=True)
class Mend:
    """One change under which a claim is true.

    Attributes:
        kind: how it is counted, an option, or a dim.
        what: in words. option: what to write on the command line, or the name of the count.
        total: the count under it.
        verdict: exact, rounds or truncates.
        found: for a dim, all its numbers under which the claim is true.
        usual: of these, the usual ones.
        old: the dim's number before.
        likely: whether it is likely by itself: NAMED, USUAL or 0.
    """

    kind: Kind
    what: str
    option: str
    total: int
    verdict: Name
    found: Found | None = None
    usual: tuple[Usual, ...] = ()
    old: int | None = None
    likely: int = 0

    @property
    def dim(self) -> str:
        """The dim that is changed, if one is."""
        return self.option.partition("=")[0] if self.kind == "dim" else ""

    def rank(self) -> tuple[int, int, int, float]:
        """Where it stands: the published model of its name, ways to count, usual architectures,
        published numbers, options, round numbers, others."""
        shape = max((u.shape for u in self.usual), default=0)
        near = 0.0
        if self.found is not None and self.old:
            near = abs(self.found.nearest - self.old) / max(self.found.nearest, self.old)
        if self.kind == "dim":
            place = 2 if shape else 4 if self.usual else 5
        elif self.likely:
            place = -1 if self.likely == NAMED else 1
        else:
            place = 0 if self.kind == "convention" else 3
        return place, -shape, 0 if self.verdict == "exact" else 1, near


def measure_of(claim: Claim) -> Measure | None:
    """What the claim counts of a ledger; None where it is no count of parameters."""
    text = str(claim.left)
    if claim.relation != "=":
        return None
    return _counted(text) if text in COUNTS else None


def _counted(name: str) -> Measure:
    return lambda ledger: int(value(ledger, name))


def mends(model: Model, claim: Claim, name: str = "") -> tuple[Mend, ...]:
    """Every single change under which a claim is true, the likeliest first.

    Where neither another way to count nor a usual change is one, usual changes are tried together.

    Args:
        model: the model as the claim has it; it may be one whose numbers do not fit.
        claim: what is claimed of it; only counts of parameters are looked into.
        name: what its row is called, perhaps after a published model.

    >>> from symparam.claims.claim import read_claim
    >>> from symparam.descriptions.load import load
    >>> [m.option for m in mends(load("gpt2"), read_claim("163037184"))][:1]
    ['--untied']
    """
    measure = measure_of(claim)
    if measure is None:
        return ()
    ways = ways_to_count(model, claim)
    found = [*_named(model, claim, measure, name), *ways]
    found += _tried(model, claim, measure, likely(model), USUAL)
    seen = {mend.total for mend in found if mend.likely or mend.option.startswith("-")}
    others = (each for each in alternatives(model) if each[0] != "convention")
    found += [mend for mend in _tried(model, claim, measure, others) if mend.total not in seen]
    if not any(mend.likely or mend.kind == "convention" for mend in found):
        found += _together(model, claim, measure)
    said = {mend.option for mend in found}
    found += [mend for mend in _dims(model, claim, measure) if mend.option not in said]
    return tuple(sorted(found, key=Mend.rank))


def ways_to_count(model: Model, claim: Claim) -> tuple[Mend, ...]:
    """The other ways to count under which a claim is true; on these alone its verdict rests.

    >>> from symparam.claims.claim import read_claim
    >>> from symparam.descriptions.load import load
    >>> [m.option for m in ways_to_count(load("gpt2"), read_claim("163037184"))]
    ['--untied']
    """
    measure = measure_of(claim)
    if measure is None:
        return ()
    names = Names(model)
    dims = _dims_of(names)
    ways = (each for each in alternatives(model) if each[0] == "convention" and not (
        dims and _ruled_out(counted(model, each, dims, str(claim.left)), claim)))
    return (*_other_counts(names, claim, _other_totals), *_tried(model, claim, measure, ways),
            *_other_counts(names, claim, _left_out))


def _dims_of(names: Names) -> dict[str, int]:
    """A model's dims; none where its numbers do not go together."""
    try:
        return names.dims
    except SymparamError:
        return {}


def _ruled_out(total: Rational | None, claim: Claim) -> bool:
    """Whether a formula says that a claim is not true in a way, so that it need not be tried."""
    return isinstance(total, int) and _judged(total, claim) is None


def renamed(model: Model, claim: Claim) -> tuple[Mend, ...]:
    """Ways to count the same model under which a size label is the rounded number.

    >>> from symparam.claims.claim import read_claim
    >>> from symparam.descriptions.load import load
    >>> [m.option for m in renamed(load("llama-2-7b"), read_claim("6.6B"))]
    ['without_input']
    """
    return tuple(mend for mend in _other_counts(Names(model), claim, _other_totals)
                 if mend.verdict in {"exact", "rounds"})


def all_copies(claim: Claim, one: int, copies: int) -> tuple[Mend, ...]:
    """Whether a claim that names one of several parts or matrices is true of them all.

    >>> from symparam.claims.claim import read_claim
    >>> [m.option for m in all_copies(read_claim("P_ffn=57M", {"P_ffn"}), 4722432, 12)]
    ['12*P_ffn']
    """
    verdict = _judged(copies * one, claim) if claim.relation == "=" else None
    if verdict is None:
        return ()
    return (Mend("convention", f"all {copies} together", f"{copies}*{claim.left}", copies * one,
                 verdict),)


def _judged(total: int, claim: Claim) -> Name | None:
    gap = abs(Fraction(total - claim.printed.value))
    if gap > claim.printed.resolution:
        return None  # nothing rounds or is cut so far
    name = judge(total, claim.printed).name
    return name if name in {"exact", "rounds", "truncates"} else None


def _other_counts(names: Names, claim: Claim,
                  ways: Callable[[Ledger], dict[str, int]]) -> Iterator[Mend]:
    if not claim.of_total:
        return
    try:
        ledger = names.ledger
    except SymparamError:
        return
    seen = {int(ledger.total())}
    for name, total in ways(ledger).items():
        verdict = _judged(total, claim)
        if verdict is not None and total not in seen:
            seen.add(total)
            what = CONVENTIONS.get(name) or LEFT_OUT[name][0]
            yield Mend("convention", what, name, total, verdict)


def _other_totals(ledger: Ledger) -> dict[str, int]:
    found = values(ledger)
    return {name: int(found[name]) for name in OTHERWISE if name in found}


def _left_out(ledger: Ledger) -> dict[str, int]:
    return {name: int(ledger.total(keep)) for name, (_, keep) in LEFT_OUT.items()}


def _named(model: Model, claim: Claim, measure: Measure, name: str) -> Iterator[Mend]:
    """The published model that a row is named after, where it is not the one that was counted."""
    known = None if name == model.name else called_after(name)
    other = None if known is None else load(known)
    words = unlike(model, other) if other is not None else ""
    total = _total(other, measure) if other is not None and words else None
    verdict = None if total is None else _judged(total, claim)
    if other is not None and total is not None and verdict is not None:
        yield Mend("option", f"as {other.name} is published ({words})", other.name, total, verdict,
                   likely=NAMED)


def _together(model: Model, claim: Claim, measure: Measure) -> list[Mend]:
    """The fewest usual changes that do together what none does alone."""
    ways = ([*islice(_tried(model, claim, measure, likely(model, many), USUAL), TOGETHER)]
            for many in MANY)
    return next(filter(None, ways), [])


def _tried(model: Model, claim: Claim, measure: Measure, ways: Iterable[Alternative],
           likely: int = 0) -> Iterator[Mend]:
    """The changes among some under which a claim is true, each count once."""
    seen = set[int]()
    for kind, what, option, make in ways:
        try:
            total = _total(make(), measure)
        except SymparamError:
            continue
        verdict = None if total is None or total in seen else _judged(total, claim)
        if total is not None and verdict is not None and total != _total(model, measure):
            seen.add(total)
            yield Mend(kind, what, option, total, verdict, likely=likely)


def _total(model: Model, measure: Measure) -> int | None:
    try:
        return int(measure(model.ledger(numbers(model).values)))
    except SymparamError:
        return None


def _dims(model: Model, claim: Claim, measure: Measure) -> Iterator[Mend]:
    low, high = claim.printed.window()
    own: dict[str, int] = dict(model.values)
    names = dict.fromkeys((*model.dims, *(n for eq in model.equations for n in eq.inputs)))
    for name in names:
        if name == TOTAL.name:
            continue
        line = Line(with_switched(model, [name]), name, measure)
        found = solve(line, low, high, claim.printed.value)
        if found is None or found.nearest == own.get(name):
            continue
        verdict = judge(found.total, claim.printed).name
        yield Mend("dim", model.describe(name).meaning, f"{name}={found.nearest}", found.total,
                   verdict, found, usual(line, found, own), _old(model, name))


def _old(model: Model, name: str) -> int | None:
    try:
        return numbers(model).values.get(name)
    except SymparamError:
        return model.values.get(name)
