"""From a model's numbers to the data that it wants, each line from the one before.

Parameters come from their derivation, which is proved; tokens, characters, shards and disk follow
by ratios that somebody chose, and are worked out exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.derivation.at_numbers import Numbers
from symparam.derivation.plan import Derivation, derive
from symparam.errors import FalseStep, the
from symparam.model import Model
from symparam.quantities.data import Data, data_of
from symparam.quantities.formats import Format
from symparam.quantities.inputs import DataInputs

#: Tokens for each parameter, and FLOPs for each of both.
HOFFMANN = "Hoffmann et al. 2022, arXiv:2203.15556"


@dataclass(frozen=True)
class Link:
    """One line of the chain: symbolic, numbers put in, result.

    Attributes:
        symbol: what it gives: ``P``, ``D`` ...
        numbers: the line.
        unit: of the result.
        why: what it rests on.
        source: of what it rests on; empty for what follows or was chosen.
        status: ``proved`` for the count, ``checked`` for exact arithmetic with chosen ratios.
    """

    symbol: str
    numbers: Numbers
    unit: str
    why: str
    status: str = "checked"
    source: str = ""

    def __post_init__(self) -> None:
        found = ex.evaluate(self.numbers.substituted, {})
        if found != self.numbers.result:
            raise FalseStep(f"{self.symbol} = {self.numbers.result}", f"{found}")


def pipeline(model: Model, inputs: DataInputs, stored: Format) -> tuple[Link, ...]:
    """Specifications to parameters to tokens to text to files, and what training costs.

    Args:
        model: all of whose dims have numbers.
        inputs: the ratios.
        stored: how weights are stored.

    Raises:
        MissingDims: a dim has no number. BadValue: fewer shards than are needed.

    >>> from symparam.quantities.formats import FORMATS
    >>> from symparam.descriptions.load import load
    >>> for link in pipeline(load("nanochat-d20"), DataInputs(shards=240), FORMATS["fp16"]):
    ...     print(link.symbol, link.numbers.result)
    P 560988160
    M_weights 1121976320
    D 11219763200
    n_chars 53854863360
    n_shards 216
    n_taken 240
    M_disk 24000000000
    C 37764925879222272000
    """
    derived = derive(model)
    numbers = derived.numbers
    if numbers is None:
        from symparam.resolve import numbers as resolved

        resolved(model)
    numbers = the(Numbers, numbers)  # a model whose dims have numbers has a count
    chosen = any(index.name == "expert" for m in derived.ledger for index in m.indices)
    experts = ", every expert counted" if chosen else ""
    words = "every parameter, tied ones once" + experts
    data = data_of(int(numbers.result), inputs)
    return (Link("P", numbers, "parameters", words, "proved"),
            *_chain(data, inputs, stored, experts), *_training(derived, data))


def _training(derived: Derivation, data: Data) -> Iterator[Link]:
    """What training costs: six for each token and each parameter that it touches."""
    if derived.model.ledger(derived.values).unsent:
        return  # nobody knows which these are
    counted, which, of = "P", "parameter", ""
    values: dict[str, ex.Rational] = {"P": data.parameters}
    active = next((c for c in derived.conventions if c.name == "active"), None)
    if active is not None:
        known = {**derived.values, "P": data.parameters}
        link = _link("P_active", active.term.shown, known, "parameters",
                     "parameters that a token touches: of the experts those that it is sent to",
                     "proved")
        if link.numbers.result != active.value:
            raise FalseStep(f"P_active = {link.numbers.result}", f"{active.value}")
        yield link
        counted, values = link.symbol, {link.symbol: link.numbers.result}
        which, of = "active parameter", "; D is of all parameters"
    yield _link("C", ex.Num(6) * ex.Sym(counted) * ex.Sym("D"), {**values, "D": data.tokens},
                "FLOP", f"6 for each {which} and token{of}", source=HOFFMANN)


def _chain(data: Data, inputs: DataInputs, stored: Format, experts: str) -> Iterator[Link]:
    parameters, tokens, text, shards = map(ex.Sym, ("P", "D", "n_chars", "n_shards"))
    yield _link("M_weights", ex.Num(stored.bytes) * parameters, {"P": data.parameters}, "B",
                f"{stored.name}: {stored.bits} bits a parameter")
    yield _link("D", ex.Num(inputs.tokens_per_parameter) * parameters, {"P": data.parameters},
                "tokens", f"{inputs.tokens_per_parameter} tokens a parameter{experts}",
                source=HOFFMANN)
    yield _link("n_chars", ex.Num(inputs.characters_per_token) * tokens, {"D": data.tokens},
                "characters", f"{float(inputs.characters_per_token):g} characters a token")
    yield _link("n_shards", ex.Whole(text / ex.Num(inputs.characters_per_shard), "up"),
                {"n_chars": data.characters}, "shards", "whole files of "
                f"{int(inputs.characters_per_shard):,} characters")
    needed, taken = {"n_shards": data.shards_needed}, shards
    if margin := data.shards - data.shards_needed:
        yield _link("n_taken", shards + ex.Num(margin), needed, "shards", "a margin that was asked "
                    "for")
        needed, taken = {"n_taken": data.shards}, ex.Sym("n_taken")
    yield _link("M_disk", ex.Num(inputs.bytes_per_shard) * taken, needed, "B",
                f"{int(inputs.bytes_per_shard):,} bytes a shard")


def _link(symbol: str, expr: ex.Expr, values: Mapping[str, ex.Rational], unit: str,
          why: str, status: str = "checked", source: str = "") -> Link:
    put_in = ex.substitute(expr, {name: ex.Num(value) for name, value in values.items()})
    return Link(symbol, Numbers(expr, put_in, ex.evaluate(expr, values)), unit, why, status,
                source)
