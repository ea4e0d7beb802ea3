"""HunYuan V1, the dense models: Llama's parts with a norm for all query and all key heads.

Source: model cards of tencent/Hunyuan-0.5B, -1.8B, -4B and -7B-Instruct; transformers,
models/hunyuan_v1_dense.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("hunyuan_v1_dense",)
CLASSES = classes("HunYuanDenseV1")
DIMS = {
    "V": ("vocab_size", 290943), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 11008),
    "n_kv": ("num_key_value_heads", None),
}
#: Harmless keys that HunYuan alone has, with experts and without.
OWN = frozenset("cla_share_factor enable_lm_head_fp32 eod_token_id org_vocab_size".split())
NAMES = (entry("*.attention", "g_Q", ".query_layernorm.weight"),
         entry("*.attention", "g_K", ".key_layernorm.weight"))


def build(config: Config, name: str) -> Model:
    """A dense HunYuan from its configuration, which has to say how wide a head is.

    The heads need not split the width, and the family's code has no rule where it is missing.
    """
    task = config.task(CLASSES, "causal")
    d_head = config.count_of("head_dim", "attention_head_dim")
    values = config.dims(DIMS) | {"d_head": d_head}
    bias = config.flag("attention_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    config.only("use_qk_norm", True)
    config.only("use_cla", False)
    config.only("mlp_bias", False)
    config.only("norm_type", "rms")
    config.close(NO_TABLE | OWN)
    norm = find("norm", "rmsnorm")()
    block = (slot("attention", "gqa", bias=bias, qk_norm=True), slot("ffn", "swiglu"),
             *norm_slots(norm, 2))
    return decoder_model(config, name, task, values, block, final_norm=norm, tied=tied,
                         names=NAMES)
