"""Three convolutions over time and frequency through which sound enters an encoder."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.arithmetic import Rounding
from symparam.component import Component, Dims
from symparam.components.audio_convolutions import N_MELS
from symparam.components.mamba import K_CONV
from symparam.constraints import Equation
from symparam.dims import D_MODEL, Dim
from symparam.expression import Sym
from symparam.ledger import Matrix

N_FILTERS = Dim("n_filters", r"n_{\text{filters}}", "channels of the convolutions of the sound", (
    "downsample_hidden_size", "subsampling_conv_channels"))
N_KEPT = Dim("n_kept", r"n_{\text{kept}}", "frequency bands that the convolutions leave")


class SoundPlanes(Component):
    """Three convolutions with biases, each of which halves time and bands, and a matrix to d_model.

    ``W_1`` is (n_filters, 1, k_conv, k_conv), ``W_2`` and ``W_3`` are (n_filters, n_filters,
    k_conv, k_conv); ``W_in`` is (d_model, n_filters·n_kept), from what they leave of a moment.
    """

    name = "planes"
    slot = "front-end"
    title = "convolutions of the sound"
    source = "transformers, models/qwen3_asr, Qwen3ASREncoder"
    in_block = False
    dims = (D_MODEL, N_MELS, N_FILTERS, N_KEPT, K_CONV)
    example = {"d_model": 5, "n_mels": 17, "n_filters": 13, "n_kept": 7, "k_conv": 3}
    equations = (Equation("n_kept", Sym("n_mels") / 8, "each convolution leaves half of the bands",
                          rounding=Rounding("up", 1)),)
    names = {"W_1": "conv2d1.weight", "b_1": "conv2d1.bias", "W_2": "conv2d2.weight",
             "b_2": "conv2d2.bias", "W_3": "conv2d3.weight", "b_3": "conv2d3.bias",
             "W_in": "conv_out.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The convolutions, each with its bias, and the matrix."""
        side = (d.k_conv, d.k_conv)
        yield Matrix("W_1", (d.n_filters, 1, *side), "first convolution", "convolution")
        yield Matrix("b_1", (d.n_filters,), "bias of the first", "bias")
        yield Matrix("W_2", (d.n_filters, d.n_filters, *side), "second convolution", "convolution")
        yield Matrix("b_2", (d.n_filters,), "bias of the second", "bias")
        yield Matrix("W_3", (d.n_filters, d.n_filters, *side), "third convolution", "convolution")
        yield Matrix("b_3", (d.n_filters,), "bias of the third", "bias")
        yield Matrix("W_in", (d.d_model, d.n_kept * d.n_filters), "what is left to the width")
