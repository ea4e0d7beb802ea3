"""The two convolutions through which sound enters an encoder."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.mamba import K_CONV
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

N_MELS = Dim("n_mels", r"n_{\text{mels}}", "number of frequency bands of the sound", (
    "num_mel_bins",))


class AudioConvolutions(Component):
    """Two convolutions with biases, from n_mels bands to d_model channels.

    ``W_1`` is (d_model, n_mels, k_conv); ``W_2`` is (d_model, d_model, k_conv) and halves the
    length (Whisper: k_conv = 3), so that the first runs twice for each token of the encoder.
    """

    name = "audio-convolutions"
    slot = "front-end"
    title = "convolutions of the sound"
    source = "Radford et al. 2022, arXiv:2212.04356, section 2.2; openai/whisper, whisper/model.py"
    in_block = False
    dims = (D_MODEL, N_MELS, K_CONV)
    example = {"d_model": 5, "n_mels": 7, "k_conv": 3}
    names = {"W_1": "conv1.weight", "b_1": "conv1.bias", "W_2": "conv2.weight",
             "b_2": "conv2.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Both convolutions, each with its bias."""
        yield Matrix("W_1", (d.d_model, d.n_mels, d.k_conv), "first convolution", "convolution",
                     times=2)
        yield Matrix("b_1", (d.d_model,), "bias of the first", "bias")
        yield Matrix("W_2", (d.d_model, d.d_model, d.k_conv), "second convolution", "convolution")
        yield Matrix("b_2", (d.d_model,), "bias of the second", "bias")
