"""Multi-token-prediction layers: counted when asked for, as published checkpoints hold them."""

from __future__ import annotations

from typing import Any

import pytest

from symparam.checkpoints.expected import expected
from symparam.descriptions.config import read_config
from symparam.descriptions.read_as import ReadAs
from symparam.errors import SpecError
from symparam.quantities import counts
from tests.helpers import ledger, message, together

#: The keys that DeepSeek V3 was published with; its other sizes are the family's defaults.
V3: dict[str, Any] = {"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"],
                      "num_nextn_predict_layers": 1}
V32 = {"model_type": "deepseek_v32", "architectures": ["DeepseekV32ForCausalLM"],
       "num_nextn_predict_layers": 1}
GLM5 = {"model_type": "glm_moe_dsa", "architectures": ["GlmMoeDsaForCausalLM"],
        "num_nextn_predict_layers": 1}

D = 7168
#: One sparse layer of DeepSeek V3, from the sizes that its report states in section 4.2.
ATTENTION = (1536 * D + 1536 + 128 * (128 + 64) * 1536 + (512 + 64) * D + 512
             + 128 * (128 + 128) * 512 + D * 128 * 128)
EXPERTS = 256 * D + (256 + 1) * 3 * D * 2048
LAYER = ATTENTION + EXPERTS + 2 * D
#: Two norms and the projection before the layer, the norm behind it.
JOIN = 2 * D + D * 2 * D + D
INDEXER = 64 * 128 * 1536 + 128 * D + 2 * 128 + 64 * D


def read(config: dict[str, Any], mtp: bool) -> Any:
    return read_config("config.json", config, "model", ReadAs(mtp=mtp))


def more(config: dict[str, Any]) -> int:
    """What counting the further layers adds."""
    with_them, without = (ledger(read(config, mtp)).total() for mtp in (True, False))
    return int(with_them - without)


def test_the_module_of_deepseek_v3_has_the_reported_size() -> None:
    assert more(V3) == LAYER + JOIN == 11_610_067_968
    assert round(LAYER / 1e9, 1) == 11.5  # the report's 11.5 B: the layer without its projection


def test_the_main_model_is_as_it_was() -> None:
    assert ledger(read(V3, False)).total() == 671_026_404_352


def test_the_router_has_a_buffer_more() -> None:
    with_them, without = (counts.value(ledger(read(V3, mtp)), "with_buffers")
                          for mtp in (True, False))
    assert with_them - without == LAYER + JOIN + 256


def test_as_many_as_the_configuration_has() -> None:
    assert more(V3 | {"num_nextn_predict_layers": 3}) == 3 * (LAYER + JOIN)
    named_otherwise = {k: v for k, v in V3.items() if k != "num_nextn_predict_layers"}
    assert more(named_otherwise | {"num_mtp_layers": 2}) == 2 * (LAYER + JOIN)


def test_an_indexer_stands_in_them_too() -> None:
    assert more(V32) == LAYER + JOIN + INDEXER


def test_glm_5() -> None:
    d = 6144
    layer = (2048 * d + 2048 + 64 * (192 + 64) * 2048 + (512 + 64) * d + 512
             + 64 * (192 + 256) * 512 + d * 64 * 256
             + 32 * 128 * 2048 + 128 * d + 2 * 128 + 32 * d
             + 256 * d + (256 + 1) * 3 * d * 2048 + 2 * d)
    assert more(GLM5) == layer + 2 * d + d * 2 * d + d


def test_glm_4_5_air() -> None:
    d = 4096
    layer = (2 * d * 96 * 128 + 2 * 8 * 128 * d + 128 * d + (128 + 1) * 3 * d * 1408 + 2 * d)
    config = {"model_type": "glm4_moe", "architectures": ["Glm4MoeForCausalLM"],
              "head_dim": 128, "num_nextn_predict_layers": 1}
    assert more(config) == layer + 2 * d + d * 2 * d + d
    assert read(config, True).stacks[-1].numbers == (46,)


def test_names_of_the_published_checkpoint() -> None:
    model = read(V3, True)
    stack = model.stacks[-1]
    assert stack.numbers == (61,)
    assert stack.prefix == "model.layers.*."
    made = ledger(model)
    ours = {m.tensor.replace("*", "61", 1): m for m in made if m.path.startswith(stack.name)}
    own = {f"model.layers.61.{name}": shape for name, shape in {
        "enorm.weight": (D,), "hnorm.weight": (D,), "eh_proj.weight": (D, 2 * D),
        "shared_head.norm.weight": (D,), "input_layernorm.weight": (D,),
        "post_attention_layernorm.weight": (D,), "self_attn.o_proj.weight": (D, 128 * 128),
        "mlp.gate.e_score_correction_bias": (256,)}.items()}
    assert {name: ours[name].shape for name in own} == own
    shared = {name: m.tied_to for name, m in ours.items() if m.tied_to}
    assert shared == {"model.layers.61.embed_tokens.weight": "embedding.token.W_E",
                      "model.layers.61.shared_head.head.weight": "head.lm.W_U"}


def test_a_tied_model_shares_its_embedding_twice() -> None:
    tied = V3 | {"tie_word_embeddings": True}
    assert more(tied) == LAYER + JOIN
    shared = [m.tied_to for m in ledger(read(tied, True)) if m.component.endswith(".ends")]
    assert shared == ["embedding.token.W_E"] * 2


def test_left_out_is_said() -> None:
    assert any("--mtp" in text for text in read(V3, False).left_out)
    assert read(V3, True).left_out == ()
    assert read(V3 | {"num_nextn_predict_layers": 0}, False).left_out == ()
    assert read(V3 | {"num_nextn_predict_layers": None}, False).left_out == ()


@together("change", [
    {"num_nextn_predict_layers": 0}, {"num_nextn_predict_layers": None},
    {"architectures": ["DeepseekV3Model"]}, {"first_k_dense_replace": 61},
    {"num_nextn_predict_layers": -1}, {"num_nextn_predict_layers": True},
    {"num_mtp_layers": 2}, {"model_type": "llama", "architectures": ["LlamaForCausalLM"]},
    {"model_type": "deepseek_v4", "architectures": ["DeepseekV4ForCausalLM"]},
], ids=str)
def test_what_is_not_certain_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(SpecError) as caught:
        read(V3 | change, True)
    message(caught.value)


def test_layers_that_share_indexers_have_no_certain_form() -> None:
    config = GLM5 | {"index_topk_freq": 4}
    assert ledger(read(config, False)).total() < ledger(read(GLM5, False)).total()
    with pytest.raises(SpecError, match="share indexers"):
        read(config, True)


@together("seed", range(25))
def test_kimi_k2_is_the_code_of_deepseek_v3(seed: int) -> None:
    from tests.differential.compare import listed
    from tests.differential.draw import Draw
    from tests.differential.families.deepseek import deepseek_v3

    config = deepseek_v3(Draw(f"kimi_k2 {seed}"))
    assert listed({**config, "model_type": "kimi_k2"}) == listed(
        {**config, "model_type": "deepseek_v3"})


def test_mimos_further_layers_stand_in_a_list_of_their_own() -> None:
    width, inner, kv = 4096, 11008, 8 * 128
    config = {"model_type": "mimo", "hidden_size": width, "intermediate_size": inner,
              "num_hidden_layers": 36, "num_key_value_heads": 8, "num_nextn_predict_layers": 1}
    attention = 2 * width * width + 2 * width * kv + width + 2 * kv
    assert more(config) == attention + 3 * width * inner + 2 * width * width + 5 * width
    own = expected(read(config, True))[0].tensors
    assert {name for name in own if "mtp" in name and "proj" not in name} == {
        f"model.mtp_layers.0.{each}_layernorm.weight" for each in
        ("token", "hidden", "input", "post_attention", "final")}
    assert own["model.mtp_layers.0.input_proj.weight"] == (width, 2 * width)


def test_lings_further_layers_have_a_norm_at_their_end() -> None:
    config = {"model_type": "bailing_moe_v2", "num_experts": 4, "num_experts_per_tok": 2,
              "num_hidden_layers": 2, "num_nextn_predict_layers": 1}
    own = expected(read(config, True))[0].tensors
    assert {name for name in own if name.startswith("model.layers.2.") and "mlp" not in name
            and "attention." not in name} == {
        f"model.layers.2.{each}.weight" for each in
        ("enorm", "hnorm", "eh_proj", "final_layernorm", "input_layernorm",
         "post_attention_layernorm")}
