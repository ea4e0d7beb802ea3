"""Several copies of the residual stream of which a layer works on one, and guesses the others."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.residuals import N_STREAMS
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Index, Matrix, Product

N_MORE = Dim("n_more", r"n_{\text{more}}", "number of residual streams beside the first")


class AlternatingUpdates(Component):
    """How a layer predicts all streams from its one, and corrects them.

    A router of (n_streams, d_model) with a norm gives n_streams numbers, once before the layer
    works and once after it, from which
    ``W_predict`` (n_streams², n_streams) and ``W_correct`` (n_streams, n_streams) make the
    weights of the streams; a gain of d_model scales the corrected one.
    """

    name = "altup"
    slot = "streams"
    title = "alternating updates"
    source = "Baykal et al. 2023, arXiv:2301.13310, section 3; transformers, models/gemma3n"
    prefix = "altup."
    dims = (D_MODEL, N_STREAMS)
    example = {"d_model": 5, "n_streams": 3}
    names = {"W_predict": "prediction_coefs.weight", "W_correct": "correction_coefs.weight",
             "W_modes": "modality_router.weight", "g_modes": "router_norm.weight",
             "g_correct": "correct_output_scale"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The router with its norm, the two sets of weights, the gain."""
        yield Matrix("W_modes", (d.n_streams, d.d_model), "router of the streams", times=2)
        yield Matrix("g_modes", (d.d_model,), "norm of the router's input", "gain")
        yield Matrix("W_predict", (d.n_streams * d.n_streams, d.n_streams), "prediction")
        yield Matrix("W_correct", (d.n_streams, d.n_streams), "correction")
        yield Matrix("g_correct", (d.d_model,), "gain of the corrected stream", "gain")

    def products(self, d: Dims) -> Iterator[Product]:
        """The streams mixed with the weights of the prediction."""
        yield Product("mixed", (d.n_streams, d.n_streams, d.d_model), "streams with their weights",
                      over="nothing")


class StreamProjections(Component):
    """A square matrix for each stream but the first: what it starts from, or ends as."""

    name = "stream-projections"
    slot = "streams"
    title = "projections of the streams"
    source = "transformers, models/gemma3n"
    in_block = False
    prefix = "altup_projections."
    dims = (D_MODEL, N_MORE)
    example = {"d_model": 5, "n_more": 3}
    names = {"W_stream": "*.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrices."""
        of = (Index("stream", d.n_more, d.n_more, d.n_more),)
        yield Matrix("W_stream", (d.d_model, d.d_model), "projection of a stream", indices=of)
