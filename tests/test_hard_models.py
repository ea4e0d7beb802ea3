"""The design held against models that strain it, with components of its own, as a package
outside would bring them: latent attention, mixtures of experts, shared layers, projections.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import sympy as sp

from symparam import expression as ex
from symparam.component import Component, Dims
from symparam.components import everything, find
from symparam.constraints import Differs, Divides, Equation, Sums
from symparam.count import count
from symparam.descriptions.catalogue import published
from symparam.descriptions.decoder import embedding_stack, head_stack, layer_stack
from symparam.descriptions.options import final_norm_stack, norm_slots
from symparam.dims import D_MODEL, N_HEADS, describe
from symparam.errors import ConstraintViolated
from symparam.layout import Layout, entry
from symparam.ledger import Index, Matrix
from symparam.model import Model
from symparam.quantities import counts, parameters
from symparam.resolve import numbers, with_overrides
from symparam.stack import Repeat, Slot, Stack
from symparam.symbols import symbol
from tests.helpers import Rows, ledger, message, recorded, registry_kept, rows, truth

RECORDS: dict[str, dict[str, Any]] = {record["id"]: record for record in truth()}

everything()  # a dim that the package itself declares is taken from there
Q_RANK, KV_RANK, D_NOPE, D_ROPE, D_V, N_EXPERTS, TOP_K, N_SHARED, D_EXPERT, D_EMBED = map(
    describe, ("q_rank", "kv_rank", "d_nope", "d_rope", "d_v", "n_experts", "top_k",
               "n_shared", "d_expert", "d_embed"))

with registry_kept():

    class LatentAttention(Component):
        """Queries and key-values go through a low rank; part of each head is rotated."""

        name = "latent"
        slot = "attention"
        title = "multi-head latent attention"
        source = "DeepSeek-AI 2024, arXiv:2405.04434, section 2.1"
        prefix = "self_attn."
        dims = (D_MODEL, N_HEADS, Q_RANK, KV_RANK, D_NOPE, D_ROPE, D_V)
        example = {"d_model": 17, "n_heads": 3, "q_rank": 5, "kv_rank": 7, "d_nope": 11,
                   "d_rope": 2, "d_v": 13}
        checks = (Divides(2, "d_rope", "rotary positions turn pairs of coordinates"),)
        names = {"W_DQ": "q_a_proj.weight", "g_Q": "q_a_layernorm.weight",
                 "W_UQ": "q_b_proj.weight", "W_DKV": "kv_a_proj_with_mqa.weight",
                 "g_KV": "kv_a_layernorm.weight", "W_UKV": "kv_b_proj.weight",
                 "W_O": "o_proj.weight"}

        def matrices(self, d: Dims) -> Iterator[Matrix]:
            """Down and up again, for queries and for keys with values."""
            yield Matrix("W_DQ", (d.q_rank, d.d_model), "queries down")
            yield Matrix("g_Q", (d.q_rank,), "norm of the queries", "gain")
            yield Matrix("W_UQ", (d.n_heads * (d.d_nope + d.d_rope), d.q_rank), "queries up")
            yield Matrix("W_DKV", (d.kv_rank + d.d_rope, d.d_model), "keys and values down")
            yield Matrix("g_KV", (d.kv_rank,), "norm of the keys and values", "gain")
            yield Matrix("W_UKV", (d.n_heads * (d.d_nope + d.d_v), d.kv_rank),
                         "keys and values up")
            yield Matrix("W_O", (d.d_model, d.n_heads * d.d_v), "output")

    class Experts(Component):
        """k of E gated networks for a token, shared ones for all, and a router."""

        name = "experts"
        slot = "ffn"
        title = "mixture of experts"
        source = "DeepSeek-AI 2024, arXiv:2412.19437, section 2.1.2"
        prefix = "mlp."
        dims = (D_MODEL, N_EXPERTS, TOP_K, N_SHARED, D_EXPERT)
        example = {"d_model": 11, "n_experts": 7, "top_k": 3, "n_shared": 2, "d_expert": 5}
        names = {"W_router": "gate.weight", "balance": "gate.e_score_correction_bias",
                 "X_gate": "experts.*.gate_proj.weight", "X_up": "experts.*.up_proj.weight",
                 "X_down": "experts.*.down_proj.weight",
                 "S_gate": "shared_experts.gate_proj.weight",
                 "S_up": "shared_experts.up_proj.weight",
                 "S_down": "shared_experts.down_proj.weight"}

        def matrices(self, d: Dims) -> Iterator[Matrix]:
            """The router with its buffer, the routed experts, the shared ones."""
            of = (Index("expert", d.n_experts, d.top_k, d.top_k),)
            shared = d.n_shared * d.d_expert
            yield Matrix("W_router", (d.n_experts, d.d_model), "router")
            yield Matrix("balance", (d.n_experts,), "load balance", "bias", status="buffer")
            yield Matrix("X_gate", (d.d_expert, d.d_model), "gate", indices=of)
            yield Matrix("X_up", (d.d_expert, d.d_model), "up", indices=of)
            yield Matrix("X_down", (d.d_model, d.d_expert), "down", indices=of)
            yield Matrix("S_gate", (shared, d.d_model), "shared gate")
            yield Matrix("S_up", (shared, d.d_model), "shared up")
            yield Matrix("S_down", (d.d_model, shared), "shared down")

    class EmbeddingProjection(Component):
        """From the embedding's width to the model's; it stands only where the two differ."""

        name = "projected"
        slot = "projection"
        title = "embedding projection"
        source = "Lan et al. 2019, arXiv:1909.11942, section 3.1"
        in_block = False
        dims = (D_MODEL, D_EMBED)
        example = {"d_model": 7, "d_embed": 3}
        checks = (Differs("d_embed", "d_model", "a projection stands between two widths"),)
        names = {"W": "weight", "b": "bias"}

        def matrices(self, d: Dims) -> Iterator[Matrix]:
            """The matrix and its bias."""
            yield Matrix("W", (d.d_model, d.d_embed), "projection")
            yield Matrix("b", (d.d_model,), "bias of the projection", "bias")


def deepseek() -> Model:
    """DeepSeek-V3: 3 dense layers, then 58 of 256 experts, 8 for a token and 1 shared."""
    attention, norm = Slot("attention", LatentAttention()), find("norm", "rmsnorm")()
    dense = Slot("ffn", find("ffn", "swiglu")(), bound={"d_ff": "d_dense"})
    sparse = Slot("ffn", Experts())
    L_dense, L_sparse = ex.Sym("L_dense"), ex.Sym("L_sparse")
    experts = "model.layers.*.mlp.experts."
    return Model(
        "deepseek", (
            embedding_stack(),
            layer_stack((attention, dense, *norm_slots(norm, 2)), Repeat.times(L_dense), "dense"),
            layer_stack((attention, sparse, *norm_slots(norm, 2)), Repeat.times(L_sparse),
                        "sparse"),
            final_norm_stack(norm), head_stack(find("head", "lm")())),
        {"V": 129280, "L": 61, "L_dense": 3, "d_model": 7168, "n_heads": 128, "q_rank": 1536,
         "kv_rank": 512, "d_nope": 128, "d_rope": 64, "d_v": 128, "d_dense": 18432,
         "n_experts": 256, "top_k": 8, "n_shared": 1, "d_expert": 2048},
        (Equation("L_sparse", ex.Sym("L") - L_dense, "the rest"),),
        (Sums(("L_dense", "L_sparse"), "L", "every layer is of one kind"),),
        Layout("experts stacked", (
            entry("layers.ffn", "X_gate X_up", f"{experts}gate_up_proj"),
            entry("layers.ffn", "X_down", f"{experts}down_proj"))))


def encoder(name: str, values: dict[str, int], repeat: Repeat, layer: str, places: dict[str, str],
            projection: str, pooler: bool) -> Model:
    """ALBERT or ELECTRA: BERT over a narrower embedding, projected where the widths differ."""
    norm, narrow = find("norm", "layernorm")(), {"d_model": "d_embed"}
    make = {"bias": True}
    embedding = [Slot("token", find("token", "token")(), bound=narrow),
                 Slot("positions", find("positions", "learned")(), bound=narrow),
                 Slot("segments", find("segments", "segments")(), bound=narrow),
                 Slot("norm", norm, bound=narrow)]
    if values["d_embed"] != values["d_model"]:
        embedding.append(Slot("projection", EmbeddingProjection()))
    block = (Slot("attention", find("attention", "mha").make(make)),
             Slot("ffn", find("ffn", "mlp").make(make)), *norm_slots(norm, 2))
    stacks = [Stack("embedding", tuple(embedding)), layer_stack(block, repeat)]
    if pooler:
        stacks.append(Stack("pooler", (Slot("pooler", find("pooler", "pooler")()),)))
    norms = {"embedding.norm": "embeddings.LayerNorm",
             "layers.norms.attention": f"{layer}attention{places['norm']}LayerNorm",
             "layers.norms.ffn": f"{layer}{places['last_norm']}"}
    weights = {"embedding.projection.W|b": projection, "pooler.pooler.W|b": "pooler",
               "layers.ffn.W_up|b_up": f"{layer}{places['up']}",
               "layers.ffn.W_down|b_down": f"{layer}{places['down']}",
               "layers.attention.W_O|b_O": f"{layer}attention{places['out']}dense"}
    weights |= {f"layers.attention.W_{k}|b_{k}": f"{layer}attention{places['in']}{word}"
                for k, word in (("Q", "query"), ("K", "key"), ("V", "value"))}
    weights |= {f"{path}.gain|shift": stored for path, stored in norms.items()}
    entries = [entry(f"embedding.{kind}", f"W_{letter}", f"embeddings.{word}_embeddings.weight")
               for kind, letter, word in (("token", "E", "word"), ("positions", "P", "position"),
                                          ("segments", "S", "token_type"))]
    for path, stored in weights.items():
        component, _, pair = path.rpartition(".")
        first, second = pair.split("|")
        entries += [entry(component, first, f"{stored}.weight"),
                    entry(component, second, f"{stored}.bias")]
    return Model(name, tuple(stacks), values, layout=Layout(name, tuple(entries)))


def albert() -> Model:
    """ALBERT: one layer stored, applied L times."""
    one, L = ex.Num(1), ex.Sym("L")
    places = {"norm": ".", "last_norm": "full_layer_layer_norm", "up": "ffn",
              "down": "ffn_output", "out": ".", "in": "."}
    return encoder("albert", {"V": 30000, "L": 12, "d_model": 4096, "d_embed": 128, "d_ff": 16384,
                              "n_heads": 64, "n_ctx": 512, "n_types": 2}, Repeat(one, L, one),
                   "encoder.albert_layer_groups.*.albert_layers.*.", places,
                   "encoder.embedding_hidden_mapping_in", True)


def electra(d_embed: int = 128) -> Model:
    """ELECTRA small, or one whose embedding is as wide as the model."""
    places = {"norm": ".output.", "last_norm": "output.LayerNorm", "up": "intermediate.dense",
              "down": "output.dense", "out": ".output.", "in": ".self."}
    return encoder("electra", {"V": 30522, "L": 12, "d_model": 256, "d_embed": d_embed,
                               "d_ff": 1024, "n_heads": 4, "n_ctx": 512, "n_types": 2},
                   Repeat.times(ex.Sym("L")), "encoder.layer.*.", places,
                   "embeddings_project", False)


@dataclass(frozen=True)
class Case:
    """A model with the record that it has to match."""

    model: Model
    record: dict[str, Any]

    @property
    def wanted(self) -> Rows:
        """The recorded tensors."""
        return recorded(self.record["tensors"])


CASES = {
    "deepseek": Case(deepseek(), RECORDS["hf-causal-deepseek_v3"]),
    "albert": Case(albert(), RECORDS["hf-base-albert"]),
    "electra": Case(electra(), RECORDS["pub-electra-small-discriminator-model"]),
    "gpt2": Case(published("gpt2"), RECORDS["hf-causal-gpt2"]),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def test_names_shapes_and_copies(case: Case) -> None:
    assert rows(case.model) == case.wanted


def test_totals(case: Case) -> None:
    made = ledger(case.model)
    assert made.total() == case.record["total"]
    assert counts.value(made, "trainable") == case.record["trainable"]
    assert counts.value(made, "with_buffers") == case.record["total"] + (
        case.record["persistent_buffers"] or 0)
    assert sum(row.numel for row in parameters.breakdown(made)) == case.record["total"]


def test_the_formula_at_the_models_integers(case: Case) -> None:
    at = {symbol(name): sp.Integer(n) for name, n in numbers(case.model).values.items()}
    assert count(case.model).plain().xreplace(at) == case.record["total"]


def test_deepseek_active_and_buffers() -> None:
    made = ledger(deepseek())
    assert made.total() == 671_026_404_352
    assert counts.value(made, "with_buffers") == 671_026_419_200
    assert counts.active(made) == {
        "all": 37_552_282_624, "without_input": 36_625_603_584,
        "without_embeddings": 35_698_924_544}
    assert CASES["deepseek"].record["active"] == 37_552_282_624


def test_deepseek_experts_one_by_one_are_the_same_weights() -> None:
    apart = replace(deepseek(), layout=Layout())
    found = rows(apart)
    shape = (2048, 7168)
    assert found["model.layers.*.mlp.experts.*.gate_proj.weight", shape] == 58 * 256
    stacked = {name for name, _ in rows(deepseek())}
    assert {name for name, _ in found} - stacked == {
        f"model.layers.*.mlp.experts.*.{part}_proj.weight" for part in ("gate", "up", "down")}


def test_deepseek_in_symbols_keeps_experts_whole() -> None:
    E, k, L, n, f, d = map(symbol, ("n_experts", "top_k", "L_sparse", "n_shared", "d_expert",
                                    "d_model"))
    share = count(deepseek()).contribution("layers[sparse].ffn.X_up")
    assert sp.expand(share - L * E * f * d) == 0
    at = {name: symbol(name) for name in deepseek().dims}
    active = counts.active(deepseek().ledger(at))
    assert active is not None
    term = sp.expand(active["all"]).coeff(L * f * d)
    assert sp.expand(term - (3 * k + 3 * n)) == 0
    assert E not in term.free_symbols


def test_deepseek_layers_have_to_add_up() -> None:
    more = with_overrides(deepseek(), {"L": 63})
    assert numbers(more).values["L_sparse"] == 60
    with pytest.raises(ConstraintViolated) as caught:
        numbers(with_overrides(deepseek(), {"L_sparse": 57}))
    assert "L_dense + L_sparse = L" in message(caught.value)
    assert "60" in message(caught.value)


def test_an_odd_rotated_part_is_refused() -> None:
    with pytest.raises(ConstraintViolated) as caught:
        numbers(with_overrides(deepseek(), {"d_rope": 63}))
    assert caught.value.values == {"d_rope": 63}


def test_albert_stores_one_layer_and_applies_twelve() -> None:
    made = ledger(albert())
    query = made["layers.attention.W_Q"]
    assert [query.copies(extent) for extent in ("stored", "applied", "active")] == [1, 12, 1]
    twice = with_overrides(albert(), {"L": 24})
    assert ledger(twice).total() == made.total() == 222_595_584
    per_layer = made.total(lambda m: m.path.startswith("layers."))
    assert made.total(extent="applied") == made.total() + 11 * per_layer
    assert symbol("L") not in count(albert()).plain().free_symbols


def test_electra_projects_only_between_two_widths() -> None:
    equal = electra(d_embed=256)
    assert "embedding.projection.W" in ledger(electra())
    assert "embedding.projection.W" not in ledger(equal)
    assert not any(name.startswith("embeddings_project") for name, _ in rows(equal))


def test_electra_says_so_when_an_override_makes_the_widths_equal() -> None:
    numbers(with_overrides(electra(), {"d_embed": 255}))
    for change in ({"d_embed": 256}, {"d_model": 128}):
        with pytest.raises(ConstraintViolated) as caught:
            numbers(with_overrides(electra(), change))
        assert caught.value.relation == "d_embed differs from d_model"
        assert "describe it as one" in message(caught.value)


def test_the_packages_own_components_do_not_change() -> None:
    names = {(c.slot, c.name) for c in everything()}
    assert {("attention", "latent"), ("ffn", "experts"), ("projection", "projected")} & names == (
        set())
