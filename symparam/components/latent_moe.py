"""A mixture whose routed experts work in a narrower width than the model."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.moe import D_EXPERT, D_SHARED, N_EXPERTS, TOP_K
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Index, Matrix

D_LATENT = Dim("d_latent", r"d_{\text{latent}}", "width in which routed experts work", (
    "moe_latent_size",))


class LatentMixture(Component):
    """k of E experts between a way down to d_latent and a way back, a shared one beside.

    ``W_router`` (n_experts, d_model) and the shared expert see the model's width; ``W_down``
    (d_latent, d_model) and ``W_up`` (d_model, d_latent) serve all routed experts, which are
    (d_expert, d_latent) and back, of two matrices or ``gated`` with three. What they give may be
    ``normed`` before the way back. The balancing vector is a buffer.
    """

    name = "latent-moe"
    slot = "ffn"
    title = "mixture of experts in a latent width"
    source = "NVIDIA 2025, arXiv:2512.20856, section on LatentMoE; transformers, models/nemotron_h"
    prefix = "mlp."
    dims = (D_MODEL, N_EXPERTS, TOP_K, D_EXPERT, D_SHARED, D_LATENT)
    example = {"d_model": 11, "n_experts": 7, "top_k": 3, "d_expert": 5, "d_shared": 13,
               "d_latent": 2}
    names = {"W_router": "gate.weight", "g_latent": "latent_norm.weight",
             "X_gate": "experts.*.gate_proj.weight", "S_gate": "shared_experts.gate_proj.weight",
             "balance": "gate.e_score_correction_bias",
             "W_down": "fc1_latent_proj.weight", "W_up": "fc2_latent_proj.weight",
             "X_up": "experts.*.up_proj.weight", "X_down": "experts.*.down_proj.weight",
             "S_up": "shared_experts.up_proj.weight", "S_down": "shared_experts.down_proj.weight"}

    gated: bool = False
    normed: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Router, ways down and back, routed experts, the shared one."""
        yield Matrix("W_router", (d.n_experts, d.d_model), "router")
        yield Matrix("balance", (d.n_experts,), "load balance", "bias", status="buffer")
        yield Matrix("W_down", (d.d_latent, d.d_model), "down to the experts")
        yield Matrix("W_up", (d.d_model, d.d_latent), "back from the experts")
        if self.normed:
            yield Matrix("g_latent", (d.d_latent,), "norm of what the experts give", "gain")
        of = (Index("expert", d.n_experts, d.top_k, d.top_k),)
        if self.gated:
            yield Matrix("X_gate", (d.d_expert, d.d_latent), "experts' gate", indices=of)
        yield Matrix("X_up", (d.d_expert, d.d_latent), "experts' up", indices=of)
        yield Matrix("X_down", (d.d_latent, d.d_expert), "experts' down", indices=of)
        if self.gated:
            yield Matrix("S_gate", (d.d_shared, d.d_model), "shared gate")
        yield Matrix("S_up", (d.d_shared, d.d_model), "shared up")
        yield Matrix("S_down", (d.d_model, d.d_shared), "shared down")
