"""Two convolutions over time and frequency through which sound enters an encoder."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.arithmetic import Rounding
from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.constraints import Equation, Standing
from symparam.dims import D_MODEL, Dim
from symparam.expression import Num, Sym
from symparam.ledger import Matrix

N_FIRST = Dim("n_first", r"n_{\text{first}}", "channels of the first convolution of the sound")
N_SECOND = Dim("n_second", r"n_{\text{second}}", "channels of the second convolution of the sound")
N_BANDS = Dim("n_bands", r"n_{\text{bands}}", "frequency bands that both convolutions leave")


class SoundFolding(Component):
    """Two convolutions, each with a norm's gain, and a matrix from what they leave to d_model.

    Each halves time and frequency. The matrix takes n_bands·n_second numbers for each moment:
    a quarter of the bands is left, and transformers takes the first channels for their number.
    """

    name = "folding"
    slot = "front-end"
    title = "convolutions of the sound"
    source = "transformers, models/gemma4, Gemma4AudioSubSampleConvProjection"
    in_block = False
    dims = (D_MODEL, N_FIRST, N_SECOND, N_BANDS, K_CONV)
    example = {"d_model": 5, "n_first": 13, "n_second": 7, "n_bands": 11, "k_conv": 3}
    equations = (Equation("n_bands", Sym("n_first") / Num(4), "both convolutions halve them",
                          Standing.DEFAULT, rounding=Rounding("down", 1)),)
    names = {"W_1": "layer0.conv.weight", "g_1": "layer0.norm.weight",
             "W_2": "layer1.conv.weight", "g_2": "layer1.norm.weight",
             "W_in": "input_proj_linear.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Both convolutions with their gains, and the matrix."""
        yield Matrix("W_1", (d.n_first, 1, d.k_conv, d.k_conv), "first convolution", "convolution")
        yield Matrix("g_1", (d.n_first,), "gain after it", "gain")
        yield Matrix("W_2", (d.n_second, d.n_first, d.k_conv, d.k_conv), "second convolution",
                     "convolution")
        yield Matrix("g_2", (d.n_second,), "gain after it", "gain")
        yield Matrix("W_in", (d.d_model, d.n_bands * d.n_second), "what is left to the width")
