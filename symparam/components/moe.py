"""Mixtures of experts: a router, routed experts of which a token uses a few, shared ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from symparam.component import Component, Dims, equation
from symparam.constraints import AtMost
from symparam.dims import D_MODEL, Dim
from symparam.ledger import BANK, Index, Matrix

N_EXPERTS = Dim("n_experts", r"n_{\text{experts}}", "number of routed experts in a layer", (
    "num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"))
TOP_K = Dim("top_k", r"k_{\text{top}}", "number of routed experts that a token uses", (
    "num_experts_per_tok", "experts_per_token", "moe_top_k"))
N_SHARED = Dim("n_shared", r"n_{\text{shared}}", "number of shared experts in a layer", (
    "n_shared_experts", "num_shared_experts"))
D_EXPERT = Dim("d_expert", r"d_{\text{expert}}", "inner width of one routed expert", (
    "moe_intermediate_size", "moe_d_ff"))
D_SHARED = Dim("d_shared", r"d_{\text{shared}}", "inner width of all shared experts together", (
    "shared_expert_intermediate_size",))


class MixtureOfExperts(Component):
    """k of E gated networks for a token, chosen by a router; shared ones serve every token.

    ``W_router`` is (n_experts, d_model); each expert is a SwiGLU of width d_expert. The shared
    experts are stored as one of width d_shared = n_shared·d_expert, and may be gated by a vector
    of d_model. A balancing vector of n_experts beside the router is not trained: it is a buffer
    of the checkpoint (DeepSeek-V3), and not counted as a parameter. With ``use_unknown`` nobody
    says how many experts a token uses: the total is known, the active count is not.
    """

    name = "moe"
    slot = "ffn"
    title = "mixture of experts"
    source = "Shazeer et al. 2017, arXiv:1701.06538; Dai et al. 2024, arXiv:2401.06066, section 3"
    prefix = "mlp."
    dims: ClassVar[tuple[Dim, ...]] = (D_MODEL, N_EXPERTS, TOP_K, D_EXPERT, N_SHARED, D_SHARED)
    switched = {"n_shared": "shared", "d_shared": "shared"}
    example = {"d_model": 11, "n_experts": 7, "top_k": 3, "d_expert": 5, "n_shared": 2,
               "d_shared": 13}
    equations = (equation("d_shared", "n_shared*d_expert", "shared experts stand side by side"),)
    checks = (AtMost("top_k", "n_experts", "a token uses some of the experts that there are"),)
    bias_sites = ("router", "experts")
    names = {"W_router": "gate.weight", "b_router": "gate.bias",
             "balance": "gate.e_score_correction_bias",
             "X_gate": "experts.*.gate_proj.weight", "X_up": "experts.*.up_proj.weight",
             "X_down": "experts.*.down_proj.weight", "c_gate": "experts.*.gate_proj.bias",
             "c_up": "experts.*.up_proj.bias", "c_down": "experts.*.down_proj.bias",
             "S_gate": "shared_experts.gate_proj.weight", "S_up": "shared_experts.up_proj.weight",
             "S_down": "shared_experts.down_proj.weight", "w_shared": "shared_expert_gate.weight"}

    bias: frozenset[str] = frozenset()
    gated: bool = True
    balance: bool = False
    shared: bool = False
    shared_gate: bool = False
    use_unknown: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The router, the routed experts, the shared ones."""
        yield Matrix("W_router", (d.n_experts, d.d_model), "router")
        if self.has_bias("router"):
            yield Matrix("b_router", (d.n_experts,), "bias of the router", "bias")
        if self.balance:
            yield Matrix("balance", (d.n_experts,), "load balance", "bias", status="buffer")
        of = (Index(BANK, d.n_experts, d.n_experts, d.n_experts) if self.use_unknown else
              Index("expert", d.n_experts, d.top_k, d.top_k),)
        parts = ("gate", "up") if self.gated else ("up",)
        for part in parts:
            yield Matrix(f"X_{part}", (d.d_expert, d.d_model), f"experts' {part}", indices=of)
        yield Matrix("X_down", (d.d_model, d.d_expert), "experts' down", indices=of)
        if self.has_bias("experts"):
            for part in parts:
                yield Matrix(f"c_{part}", (d.d_expert,), f"bias of {part}", "bias", indices=of)
            yield Matrix("c_down", (d.d_model,), "bias of down", "bias", indices=of)
        if self.shared:
            for part in parts:
                yield Matrix(f"S_{part}", (d.d_shared, d.d_model), f"shared {part}")
            yield Matrix("S_down", (d.d_model, d.d_shared), "shared down")
        if self.shared_gate:
            yield Matrix("w_shared", (1, d.d_model), "gate of the shared experts")
