"""How a picture or a film enters an encoder: one vector for each patch of it."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

D_PATCH = Dim("d_patch", r"d_{\text{patch}}", "side of a patch, in pixels", ("patch_size",))
N_CHANNELS = Dim("n_channels", r"n_{\text{channels}}", "channels of what goes in", (
    "num_channels", "in_channels", "in_chans"))
N_FRAMES = Dim("n_frames", r"n_{\text{frames}}", "pictures of a film that one patch is of", (
    "temporal_patch_size",))


class PatchEmbedding(Component):
    """A matrix from the pixels of a patch to d_model, as a convolution whose stride is its side.

    ``W_patch`` is (d_model, n_channels, d_patch, d_patch). Of a film, ``frames``, a patch has
    n_frames pictures and the matrix an axis for them; ``flat``, all axes of a patch are one.
    """

    name = "patches"
    slot = "patches"
    title = "patch embedding"
    source = "Dosovitskiy et al. 2020, arXiv:2010.11929, section 3.1"
    in_block = False
    prefix = "patch_embedding."
    dims = (D_MODEL, N_CHANNELS, N_FRAMES, D_PATCH)
    example = {"d_model": 11, "n_channels": 3, "n_frames": 2, "d_patch": 5}
    bias_sites = ("patches",)
    names = {"W_patch": "weight", "b_patch": "bias"}

    bias: frozenset[str] = frozenset()
    frames: bool = False
    flat: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix, and its bias where asked for."""
        frames = (d.n_frames,) if self.frames else ()
        patch = (d.n_channels, *frames, d.d_patch, d.d_patch)
        if self.flat:
            pixels = d.d_patch * d.d_patch * d.n_channels
            patch = (pixels * d.n_frames,) if self.frames else (pixels,)
        yield Matrix("W_patch", (d.d_model, *patch), "pixels of a patch to the width")
        if self.has_bias("patches"):
            yield Matrix("b_patch", (d.d_model,), "bias of the patches", "bias")
