"""What a model is run with: tokens, sequences, and how what repeats is bounded.

The lists of a component know dims of the architecture alone. A quantity joins them with a
:class:`Setting`, whose numbers may be integers, symbols, arrays or trees like those of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias

from symparam import expression as ex
from symparam.arithmetic import least, over
from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.ledger import Matrix, Number, Product, State, Stream
from symparam.quantities.formats import FORMATS, Format, Groups
from symparam.quantities.inputs import USUAL, DataInputs
from symparam.run import RUN

#: Which pairs of query and key are counted.
Attention: TypeAlias = Literal["full", "causal", "all-pairs"]
#: What each of these ways counts, in words; every answer that depends on it says which it is.
COUNTED: dict[Attention, str] = {
    "full": "windows followed, pairs that a causal mask hides counted (full)",
    "causal": "windows followed, pairs that a causal mask hides not counted (causal)",
    "all-pairs": "every pair of query and key counted, windows or not (all-pairs)"}
#: Where a window stands to a sequence, when both are symbols, or that it is written down.
Regime: TypeAlias = Literal["exact", "within", "beyond", "written"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a model is run with.

    Attributes:
        run: numbers of the dims of :data:`symparam.run.RUN`, as far as there are any.
        attention: which pairs of query and key are counted: ``full`` follows windows and counts
            what a causal mask hides, ``causal`` does not count that, ``all-pairs`` multiplies
            every query with every key, as a masked product does.
        per_token: whether work is that of one token of a sequence, not of the batch.
        weights, cache: how weights and what is cached are stored.
        groups: scales of quantised weights; None where the format alone says all. Formats that
            are not quantised have none whatever stands here (see ``scales``).
        training_bytes: bytes a parameter in training, one of the schemes.
        data: what turns parameters into data.
        regime: ``exact`` compares numbers; symbols cannot be compared, and are taken as a
            sequence ``within`` every window, or ``beyond`` each of them. Trees can say which of
            two is the smaller without knowing it: ``written`` is ``min(s, window)``.
    """

    run: Mapping[str, Number] = field(default_factory=dict)
    attention: Attention = "full"
    per_token: bool = False
    weights: Format = FORMATS["bf16"]
    cache: Format = FORMATS["bf16"]
    groups: Groups | None = None
    training_bytes: int = 16
    data: DataInputs = USUAL
    regime: Regime = "exact"

    def __getitem__(self, name: str) -> Number:
        """What it is run with; where it does not say, the number that any model is run with.

        Raises:
            BadValue: there is none, and nobody gave one.

        >>> Setting(run={"s": 128})["s"], Setting()["b"]
        (128, 1)
        """
        value = self.run.get(name, RUN[name].alone)
        if value is None:
            raise BadValue(name, "not given", f"say how many {RUN[name].dim.meaning}")
        return value

    def at(self, **run: Number) -> Setting:
        """The same with other numbers of what it is run with; None leaves one out.

        >>> Setting().at(s=128, b=2).at(b=None).run
        {'s': 128}
        """
        numbers = {name: value for name, value in {**self.run, **run}.items() if value is not None}
        return replace(self, run=numbers)

    @property
    def scales(self) -> Groups | None:
        """The groups that share a scale, where the weights are stored in a format that has any."""
        return self.groups if self.weights.quantised else None

    def length(self, stream: Stream) -> Number:
        """How many there are of a stream in one sequence.

        Raises:
            BadValue: an encoder's tokens are needed and not known.
        """
        if stream == "sequence":
            return 1
        if stream == "token":
            return self["s"]
        return self["s_encoder"]

    def entries(self, state: State) -> Number:
        """How many entries of a state one sequence keeps."""
        return self._bounded(self._grouped(self.length(state.stream), state.every), state.window)

    def vectors(self, matrix: Matrix) -> tuple[Number, ...]:
        """How many vectors a matrix multiplies, as factors."""
        return (matrix.times, *self._asked(matrix.stream))

    def pairs(self, product: Product) -> tuple[Number, ...]:
        """Twice the pairs that a product multiplies, as factors: a pair is two operations.

        In ``full`` each token has s keys, or the w of its window: as many as one that is generated
        after s − 1 others. With ``causal`` attention a token sees half of its sequence, as
        everybody counts it: s²/2 pairs, where they are s·(s + 1)/2 one by one. Under a window of w
        tokens the pairs are s·w − w²/2, since the first w tokens see less.
        """
        asked = self._asked(product.stream)
        if product.over == "nothing":
            return (2, *asked)
        if product.over == "encoder":
            return (2, *asked, self.length("encoder"))
        length = self.length(product.stream)
        seen = self._grouped(length, product.every)
        if self.attention == "all-pairs":
            return (2, *asked, seen)
        bounded = self._bounded(seen, product.window)
        if self.attention == "full" or not product.causal:
            return (2, *asked, bounded)
        if bounded is seen:
            return (*asked, seen)
        if self.per_token:
            return (*asked, 2 * bounded - over(bounded**2, length))
        return (self["b"], 2 * length * bounded - bounded**2)

    def _asked(self, stream: Stream) -> tuple[Number, ...]:
        """How many vectors of a stream there are, as factors."""
        if not self.per_token:
            return (self["b"], self.length(stream))
        if stream == "encoder":
            raise BadValue("per token", "not defined", "an encoder works once a sequence: a token "
                           "of the decoder has no share of its own in that")
        return (1,) if stream == "token" else (over(1, self["s"]),)

    def _grouped(self, tokens: Number, every: Number) -> Number:
        """Entries that stand for so many tokens each; what is not whole is kept elsewhere."""
        if isinstance(every, int) and every == 1:
            return tokens
        if self.regime == "exact":
            return tokens // every
        groups = over(tokens, every)
        return ex.Whole(groups, "down") if self.regime == "written" else groups

    def _bounded(self, entries: Number, window: Number | None) -> Number:
        if window is None or self.regime == "within":
            return entries
        if self.regime == "written":
            return ex.Extreme("min", (ex.node(entries), ex.node(window)))
        return window if self.regime == "beyond" else least(entries, window)


def setting_in_words(setting: Setting, needs: Iterable[str]) -> Iterator[str]:
    """What of a setting a quantity was counted with, in words: formats, ways to count, ratios.

    Args:
        setting: what a model is run with.
        needs: the parts of it that the quantity depends on; tokens and the like are no words.

    >>> list(setting_in_words(Setting(), ("s", "cache")))
    ['a cached number takes 16 bits (bf16)']
    """
    yield from filter(None, (PARTS[need](setting) for need in needs if need in PARTS))


def _groups(setting: Setting) -> str:
    found = setting.scales
    return "" if found is None else (
        f"{found.size} inputs share a scale in {found.scale.name}; what is not quantised is in "
        f"{found.rest.name}")


#: The parts of a setting that a quantity may need, and what is said of each.
PARTS: dict[str, Callable[[Setting], str]] = {
    "weights": lambda s: f"a weight takes {s.weights.bits} bits ({s.weights.name})",
    "cache": lambda s: f"a cached number takes {s.cache.bits} bits ({s.cache.name})",
    "groups": _groups, "attention": lambda s: COUNTED[s.attention],
    "training_bytes": lambda s: f"{s.training_bytes} bytes a parameter in training",
    "data": lambda s: f"{s.data.tokens_per_parameter} tokens a parameter, "
                      f"{float(s.data.characters_per_token):g} characters a token"}
