"""RWKV-4: time mixing in place of attention, channel mixing in place of the FFN."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.dims import D_FF, D_MODEL, Dim
from symparam.ledger import Matrix, Product, State

D_ATT = Dim("d_att", r"d_{\text{att}}", "inner width of RWKV's time mixing", (
    "attention_hidden_size", "dim_att"))


class TimeMixing(Component):
    """RWKV-4's time mixing: an average over the past that decays channel by channel.

    ``W_R``, ``W_K``, ``W_V`` are (d_att, d_model), ``W_O`` is (d_model, d_att). Vectors of
    d_model blend each token with the one before; ``decay`` and ``first`` have d_att.
    """

    name = "rwkv"
    slot = "mixer"
    title = "RWKV time mixing"
    source = "Peng et al. 2023, arXiv:2305.13048, section 3.1"
    prefix = "attention."
    dims = (D_MODEL, D_ATT)
    example = {"d_model": 5, "d_att": 7}
    equations = (equation("d_att", "d_model", "time mixing is as wide as the model"),)
    names = {"decay": "time_decay", "first": "time_first", "mu_K": "time_mix_key",
             "mu_V": "time_mix_value", "mu_R": "time_mix_receptance", "W_K": "key.weight",
             "W_V": "value.weight", "W_R": "receptance.weight", "W_O": "output.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Decays, blends with the token before, and four matrices."""
        yield Matrix("decay", (d.d_att,), "decay of the past", "state")
        yield Matrix("first", (d.d_att,), "bonus of the present token", "state")
        parts = {"K": "keys", "V": "values", "R": "receptance"}
        for letter, what in parts.items():
            yield Matrix(f"mu_{letter}", (1, 1, d.d_model), f"blend of the {what}", "gain")
        for letter, what in parts.items():
            yield Matrix(f"W_{letter}", (d.d_att, d.d_model), what)
        yield Matrix("W_O", (d.d_model, d.d_att), "output")

    def state(self, d: Dims) -> Iterator[State]:
        """The token before, and the decayed sums over all that were, once a sequence."""
        yield State("before", (d.d_model,), "input of the token before", stream="sequence")
        yield State("sums", (3, d.d_att), "numerator, denominator and largest exponent",
                    stream="sequence")

    def products(self, d: Dims) -> Iterator[Product]:
        """Both sums, number by number: as they are and with the present token's bonus."""
        yield Product("scan", (4, d.d_att), "decayed sums and the output from them",
                      over="nothing", work="scan")


class ChannelMixing(Component):
    """RWKV-4's channel mixing: a two-matrix FFN under a gate of the full width.

    ``W_K`` is (d_ff, d_model), ``W_V`` (d_model, d_ff), the gate ``W_R`` (d_model, d_model).
    """

    name = "rwkv"
    slot = "ffn"
    title = "RWKV channel mixing"
    source = "Peng et al. 2023, arXiv:2305.13048, section 3.1"
    prefix = "feed_forward."
    dims = (D_MODEL, D_FF)
    example = {"d_model": 5, "d_ff": 7}
    equations = (equation("d_ff", "4*d_model", "the usual expansion of a two-matrix FFN"),)
    names = {"mu_K": "time_mix_key", "mu_R": "time_mix_receptance", "W_K": "key.weight",
             "W_R": "receptance.weight", "W_V": "value.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Blends with the token before, up, gate and down."""
        yield Matrix("mu_K", (1, 1, d.d_model), "blend of the keys", "gain")
        yield Matrix("mu_R", (1, 1, d.d_model), "blend of the receptance", "gain")
        yield Matrix("W_K", (d.d_ff, d.d_model), "keys: up")
        yield Matrix("W_R", (d.d_model, d.d_model), "receptance: gate")
        yield Matrix("W_V", (d.d_model, d.d_ff), "values: down")

    def state(self, d: Dims) -> Iterator[State]:
        """The token before, once a sequence."""
        yield State("before", (d.d_model,), "input of the token before", stream="sequence")
