"""What a traced module multiplies and keeps, read from the shapes of its forward passes.

A product's multiply-adds are a sum of products of dims, of b sequences, and of s tokens (or
s_encoder of them). What stands before these says how often a weight is used for each, and what a
pair of tokens costs. What is of no such form is not known, and said.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import NotDerivable, SymparamError
from symparam.ledger import Over, Stream
from symparam.polynomial import Polynomial
from symparam.traced.exact import Exact, Settled, divided
from symparam.traced.records import TracedRow, Work, WorkRow

#: What is put behind a tensor's name before the number of a product, and before that of one that
#: has no tensor.
TIMES, PRODUCT = "@", "product."
S, B, S_ENCODER = "s", "b", "s_encoder"
#: How often tokens stand in a product without a weight, and what that is one of.
_PAIRS: dict[tuple[int, int], tuple[Stream, Over]] = {
    (2, 0): ("token", "keys"), (1, 1): ("token", "encoder"), (1, 0): ("token", "nothing"),
    (0, 2): ("encoder", "keys"), (0, 1): ("encoder", "nothing"), (0, 0): ("sequence", "nothing")}
_STREAMS: dict[tuple[int, int], Stream] = {
    (1, 0): "token", (0, 1): "encoder", (0, 0): "sequence"}
#: Numbers of layers at which copies are held against each other.
_SAMPLES = (*range(1, 30), 61, 96)


@dataclass(frozen=True)
class Use:
    """How a tensor is used.

    Attributes:
        times: the vectors that it multiplies for each of its stream.
        stream: a token, a sequence, or a token of the encoder.
        active: of a bank of tensors, how many of these a token is multiplied with; None where
            every one of them is, or there is no bank.
        unknown: why nobody knows; empty where it is known.
    """

    times: ex.Expr = ex.Num(0)
    stream: Stream = "token"
    active: ex.Expr | None = None
    unknown: str = ""


@dataclass(frozen=True)
class Entry:
    """A product without a weight, or a state.

    Attributes:
        row: as it was found; its shape without tokens and sequences.
        stream, over: as :class:`~symparam.ledger.Product` has them.
        window: how many tokens are kept, or seen, at most; None for all.
        unknown: why nobody knows what it is one of; empty where it is known.
    """

    row: WorkRow
    stream: Stream = "token"
    over: Over = "nothing"
    window: ex.Expr | None = None
    unknown: str = ""


def of_tensors(work: WorkRow, rows: Iterable[TracedRow]) -> bool:
    """Whether a product is one with a tensor of some rows, or with one of its copies."""
    name = work.pattern.partition(TIMES)[0]
    return any(row.pattern == name or _any_copy(row).fullmatch(name) for row in rows)


def _any_copy(row: TracedRow) -> re.Pattern[str]:
    """What the names of a row's tensors are like."""
    return re.compile(re.escape(row.pattern).replace(r"\*", r"\d+"))


def uses_of(rows: Sequence[TracedRow], work: Work,
            settled: Settled | None = None) -> list[Use]:
    """How each row of a trace is used, in their order.

    Args:
        rows: what a trace found.
        work: what its forward passes showed.
        settled: what holds wherever these were made.
    """
    found: dict[str, list[WorkRow]] = defaultdict(list)
    for each in work.rows:
        if each.kind == "weight":
            found[each.pattern.partition(TIMES)[0]].append(each)
    patterns: dict[str, list[TracedRow]] = defaultdict(list)
    for row in rows:
        patterns[row.pattern].append(row)
    single = [*found, *work.used]
    return [_use(row, _of(row, found[row.pattern], len(patterns[row.pattern])),
                 row.pattern in work.used, single, settled or Settled()) for row in rows]


def _of(row: TracedRow, found: list[WorkRow], alike: int) -> list[WorkRow] | None:
    """The products of a row; None where kinds of layer have one pattern and cannot be told."""
    if alike == 1:
        return found
    own = [each for each in found if each.numbers == row.numbers
           and each.copies[:1] == row.copies[:1]]
    return own or (None if found else [])


def _use(row: TracedRow, found: list[WorkRow] | None, used: bool, single: Sequence[str],
         settled: Settled) -> Use:
    """How a row is used.

    Args:
        row: which one.
        found: its products; None where it is not known which are its.
        used: whether it goes into anything.
        single: the names of all that was used.
        settled: what holds wherever forward passes were made.
    """
    if found is None:
        return Use(unknown="layers of several kinds share its name")
    if not found and not used:
        return Use(unknown="its layers follow no rule that forward passes showed" if any(
            map(_any_copy(row).fullmatch, single)) else "no forward pass that was made uses this")
    if not found:
        return Use()
    exact = Exact(settled.even)
    shape, copies = (tuple(ex.substitute(extent, settled.dims) for extent in extents)
                     for extents in (row.shape, row.copies))
    try:
        total = sum((exact.product(ex.substitute(extent, settled.dims) for extent in (
            *each.shape, *each.copies)) for each in found), start=Polynomial({}))
        vectors = divided(total, exact.product((*shape, *copies)))
    except NotDerivable:
        vectors = None
    split = None if vectors is None else _tokens(vectors)
    if split is None or split[0] not in _STREAMS:
        return Use(unknown="the vectors that it multiplies are no number for each token")
    stream, times = _STREAMS[split[0]], split[1]
    for own, bank in zip((*row.copies[-1:], *row.shape[:1]), (*copies[-1:], *shape[:1]),
                         strict=True):
        if isinstance(own, ex.Sym) and _shared_by(bank, times):
            active = exact.expression(times * exact.polynomial(bank))
            return Use(ex.Num(1), stream, active)
    return Use(exact.expression(times), stream)


def _shared_by(bank: ex.Expr, times: Polynomial) -> bool:
    """Whether vectors are dealt out among as many tensors: each gets a share of them."""
    match bank:
        case ex.Sym(name):
            return any((name, -1) in powers for powers in times.terms)
        case ex.Num(number):
            shares = [Fraction(c) for c in times.terms.values()]
            return any(c.denominator > 1 for c in shares) and all(
                (c * number).denominator == 1 for c in shares)
    return False


def _tokens(found: Polynomial) -> tuple[tuple[int, int], Polynomial] | None:
    """How often s and s_encoder stand in a product with b, and what stands before them; None
    where terms differ in that."""
    ways = {tuple(int(dict(powers).get(name, 0)) for name in (B, S, S_ENCODER))
            for powers in found.terms}
    if len(ways) != 1:
        return None
    sequences, tokens, encoded = ways.pop()
    rest = found / (Polynomial.named(B) ** sequences * Polynomial.named(S) ** tokens
                    * Polynomial.named(S_ENCODER) ** encoded) if min(
                        sequences, tokens, encoded) >= 0 else found
    if sequences != 1 or {S, B, S_ENCODER} & rest.names:
        return None
    return (tokens, encoded), rest


# -- what has no weight --------------------------------------------------------------------------


def entries_of(work: Work) -> list[Entry]:
    """Products without a weight, and states, in their order; where a cache is bounded in some
    layers, the products of these layers apart."""
    states = [_state(row) for row in work.rows if row.kind == "state"]
    windows: dict[str, list[Entry]] = defaultdict(list)
    for state in states:
        if not state.unknown and state.stream == "token":
            windows[_module(state.row)].append(state)
    found: list[Entry] = []
    for row in work.rows:
        if row.kind == "product":
            found += _split(_product(row), windows.get(_module(row), []))
    return found + states


def _module(row: WorkRow) -> str:
    """The module that keeps something, or multiplies."""
    name = row.pattern.rpartition(PRODUCT)[0] if row.kind == "product" else (
        row.pattern.rpartition(".")[0])
    return name.rstrip(".")


def _product(row: WorkRow) -> Entry:
    exact = Exact()
    split = _tokens(exact.product(row.shape))
    if split is None or split[0] not in _PAIRS:
        return Entry(replace(row, shape=()), unknown="a product of what it computes is no number "
                     "of pairs of tokens")
    return Entry(replace(row, shape=exact.factors(split[1])), *_PAIRS[split[0]])


def _state(row: WorkRow) -> Entry:
    """A state: an entry a token, the last tokens, a token of the encoder, or one a sequence."""
    exact, window = Exact(), None
    found = exact.product(row.shape)
    for name, part in exact.parts.items():
        if isinstance(part, ex.Extreme) and part.mode == "min" and ex.Sym(S) in part.parts:
            window = _window(next(each for each in part.parts if each != ex.Sym(S)))
            found = found / Polynomial.named(name) * Polynomial.named(S)
    split = _tokens(found)
    if split is None or split[0] not in _STREAMS:
        return Entry(replace(row, shape=()), unknown="what is kept is no number for each token")
    return Entry(replace(row, shape=exact.factors(split[1])), _STREAMS[split[0]], window=window)


def _window(most: ex.Expr) -> ex.Expr:
    """The tokens that a query sees where so many are kept: one of w that keeps w - 1 sees itself
    too."""
    size = Exact().polynomial(most) + 1
    return ex.Sym(*size.names) if len(size.names) == 1 and size == Polynomial.named(
        *size.names) else most


def _split(product: Entry, states: list[Entry]) -> list[Entry]:
    """A product over keys, bounded where the keys that its module keeps are."""
    if product.unknown or product.over != "keys" or product.stream != "token" or not any(
            state.window for state in states):
        return [product]
    kinds = {(s.row.copies, s.row.numbers): s.window for s in states}
    if len(kinds) == 1:
        return [replace(product, window=next(iter(kinds.values())))]
    if not _all_of(product.row.copies, [copies for copies, _ in kinds]):
        return [replace(product, unknown="which of its layers have a window is not known")]
    return [replace(product, window=window, row=replace(
        product.row, copies=copies, numbers=numbers)) for (copies, numbers), window in
        kinds.items()]


def _all_of(whole: tuple[ex.Expr, ...], parts: list[tuple[ex.Expr, ...]]) -> bool:
    """Whether some numbers of layers are together all of them, for whatever number."""
    names = sorted({n for each in (whole, *parts) for e in each for n in ex.symbols_in(e)})
    for sample in _SAMPLES:
        values = {name: sample + 3 * place for place, name in enumerate(names)}
        try:
            counts = [ex.evaluate(ex.product_of(*each), values) for each in (whole, *parts)]
        except SymparamError:
            return False
        if counts[0] != sum(counts[1:]):
            return False
    return True

