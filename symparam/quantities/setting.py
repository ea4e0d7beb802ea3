"""What a model is run with: tokens, sequences, and how what repeats is bounded.

The lists of a component know dims of the architecture alone. A quantity joins them with a
:class:`Setting`, whose numbers may be integers, symbols, arrays or trees like those of the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from symparam.arithmetic import least, over
from symparam.errors import BadValue
from symparam.ledger import Matrix, Number, Product, State, Stream
from symparam.quantities.formats import FORMATS, Format, Groups
from symparam.quantities.inputs import USUAL, DataInputs

#: How a query is paired with keys: with all of them, as a masked product computes it, or with
#: the half that causal attention leaves.
Attention: TypeAlias = Literal["full", "causal"]
#: Where a window stands to a sequence, when both are symbols.
Regime: TypeAlias = Literal["exact", "within", "beyond"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a model is run with.

    Attributes:
        tokens: tokens of a sequence, s.
        batch: sequences, b.
        encoder_tokens: tokens of a sequence that an encoder reads; None where nobody said.
        attention: whether masked pairs of query and key are counted.
        per_token: whether work is that of one token of a sequence, not of the batch.
        training_tokens: tokens that a model is trained on, D; None where one token is asked about.
        weights, cache: how weights and what is cached are stored.
        groups: scales of quantised weights; None where the format alone says all. Formats that
            are not quantised have none whatever stands here (see ``scales``).
        training_bytes: bytes a parameter in training, one of the schemes.
        devices: devices among which training is split.
        tensor_parallel: devices of a tensor-parallel group, t.
        data: what turns parameters into data.
        regime: ``exact`` compares numbers; symbols cannot be compared, and are taken as a
            sequence ``within`` every window, or ``beyond`` each of them.
    """

    tokens: Number = 1
    batch: Number = 1
    encoder_tokens: Number | None = None
    attention: Attention = "full"
    per_token: bool = False
    training_tokens: Number | None = None
    weights: Format = FORMATS["bf16"]
    cache: Format = FORMATS["bf16"]
    groups: Groups | None = None
    training_bytes: int = 16
    devices: Number = 1
    tensor_parallel: Number = 1
    data: DataInputs = USUAL
    regime: Regime = "exact"

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
            return self.tokens
        if self.encoder_tokens is None:
            raise BadValue("s_encoder", "not given", "the model has an encoder: say how many "
                           "tokens it reads")
        return self.encoder_tokens

    def entries(self, state: State) -> Number:
        """How many entries of a state one sequence keeps."""
        return self._bounded(self._grouped(self.length(state.stream), state.every), state.window)

    def vectors(self, matrix: Matrix) -> tuple[Number, ...]:
        """How many vectors a matrix multiplies, as factors."""
        return (matrix.times, *self._asked(matrix.stream))

    def pairs(self, product: Product) -> tuple[Number, ...]:
        """Twice the pairs that a product multiplies, as factors: a pair is two operations.

        With ``causal`` attention a token sees half of its sequence, as everybody counts it: s²/2
        pairs, where they are s·(s + 1)/2 one by one. Under a window of w tokens the pairs are
        s·w − w²/2, since the first w tokens see less.
        """
        asked = self._asked(product.stream)
        if product.over == "nothing":
            return (2, *asked)
        if product.over == "encoder":
            return (2, *asked, self.length("encoder"))
        length = self.length(product.stream)
        seen = self._grouped(length, product.every)
        if self.attention == "full":
            return (2, *asked, seen)
        bounded = self._bounded(seen, product.window)
        if not product.causal:
            return (2, *asked, bounded)
        if bounded is seen:
            return (*asked, seen)
        if self.per_token:
            return (*asked, 2 * bounded - over(bounded**2, length))
        return (self.batch, 2 * length * bounded - bounded**2)

    def _asked(self, stream: Stream) -> tuple[Number, ...]:
        """How many vectors of a stream there are, as factors."""
        if not self.per_token:
            return (self.batch, self.length(stream))
        if stream == "encoder":
            raise BadValue("per token", "not defined", "an encoder works once a sequence: a token "
                           "of the decoder has no share of its own in that")
        return (1,) if stream == "token" else (over(1, self.tokens),)

    def _grouped(self, tokens: Number, every: Number) -> Number:
        """Entries that stand for so many tokens each; what is not whole is kept elsewhere."""
        if isinstance(every, int) and every == 1:
            return tokens
        return tokens // every if self.regime == "exact" else over(tokens, every)

    def _bounded(self, entries: Number, window: Number | None) -> Number:
        if window is None or self.regime == "within":
            return entries
        return window if self.regime == "beyond" else least(entries, window)
