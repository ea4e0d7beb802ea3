"""DeepSeek MoE, V2, V3 and V3.2: many small experts after some dense layers; latent from V2 on.

Source: Dai et al. 2024, arXiv:2401.06066, with modeling_deepseek.py as published with
deepseek-ai/deepseek-moe-16b-base; DeepSeek-AI 2024, arXiv:2405.04434 and arXiv:2412.19437;
DeepSeek-AI 2025, arXiv:2512.02556; transformers, models/deepseek_v2, models/deepseek_v3,
models/deepseek_v32. Kimi K2 is V3's code.
"""

from __future__ import annotations

from collections.abc import Mapping

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, classes, decoder_model, slot
from symparam.descriptions.assembling.latent import (
    HARMLESS,
    first_dense,
    latent_attention,
    latent_dims,
    mlp_kinds,
    two_kinds,
)
from symparam.descriptions.assembling.mixture import mixture_model
from symparam.descriptions.assembling.mtp import count_mtp, with_mtp
from symparam.descriptions.assembling.windows import with_selection
from symparam.descriptions.config import Config
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("deepseek", "deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2")
CLASSES = {"deepseek": classes("Deepseek"), "deepseek_v2": classes("DeepseekV2"),
           "deepseek_v3": classes("DeepseekV3"), "deepseek_v32": classes("DeepseekV32"),
           "kimi_k2": classes("DeepseekV3")}
V1 = {
    "V": ("vocab_size", 102400), "L": ("num_hidden_layers", 30), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 32),
    "d_ff": ("intermediate_size", 11008), "n_experts": ("n_routed_experts", None),
    "top_k": ("num_experts_per_tok", None), "n_shared": ("n_shared_experts", None),
    "d_expert": ("moe_intermediate_size", 1407),
}
V2 = {
    "V": ("vocab_size", 102400), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "d_ff": ("intermediate_size", 11008),
    "n_experts": ("n_routed_experts", "num_experts", 64), "n_shared": ("n_shared_experts", 2),
    "d_expert": ("moe_intermediate_size", 1407), **latent_dims(1536, 512, 128, 64, 128),
}
V3 = {
    "V": ("vocab_size", 129280), "L": ("num_hidden_layers", 61), "d_model": ("hidden_size", 7168),
    "n_heads": ("num_attention_heads", 128), "d_ff": ("intermediate_size", 18432),
    "n_experts": ("n_routed_experts", "num_local_experts", 256),
    "top_k": ("num_experts_per_tok", 8), "n_shared": ("n_shared_experts", 1),
    "d_expert": ("moe_intermediate_size", 2048), **latent_dims(1536, 512, 128, 64, 128),
}
V32 = V3 | {"n_experts": ("n_routed_experts", "num_local_experts", "num_experts", 256)}
INDEXER = {"n_index": ("index_n_heads", 64), "d_index": ("index_head_dim", 128)}
#: Further keys that change no weight's shape: networks have no biases here.
UNUSED = frozenset("index_topk layer_types mlp_bias".split())


def build(config: Config, name: str) -> Model:
    """A DeepSeek from its configuration: an explicit null for q_lora_rank means full queries."""
    task = config.task(CLASSES[config.model_type], "causal")
    read = {"deepseek": _v1, "deepseek_v2": _v2, "deepseek_v32": _v32}.get(config.model_type, _v3)
    return read(config, name, task)


def _v1(config: Config, name: str, task: str) -> Model:
    """Ordinary attention; sparse from a layer on, each layer or one of several."""
    values = config.dims(V1, nullable=("n_kv",))
    depth = values.pop("L")
    dense, each = config.number("first_k_dense_replace", 0), config.count_of(
        "moe_layer_freq", default=1)
    sparse = {i for i in range(dense, depth) if "n_experts" in values and not i % each}
    if sparse and "top_k" not in values:
        raise config.error("num_experts_per_tok", "missing, though there are experts")
    attention = slot("attention", "gqa", bias=config.flag("attention_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return mixture_model(config, name, task, values, (attention,), (
        slot("ffn", "moe", shared="n_shared" in values),), names=(), tied=tied,
        pattern=["sparse" if i in sparse else "dense" for i in range(depth)])


def _v2(config: Config, name: str, task: str) -> Model:
    values = config.dims(V2, nullable=("q_rank",))
    unknown = config.raw("num_experts_per_tok", None) is None  # the class has no number for it
    if unknown:
        config.left_out.append("active parameters: the configuration does not say how many "
                               "experts a token uses (num_experts_per_tok)")
    else:
        values["top_k"] = config.count_of("num_experts_per_tok")
    pattern = first_dense(config, values["L"], 0)
    blocks = two_kinds((latent_attention(config, values),), balance=False,
                       use_unknown=unknown, bias=config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, blocks, pattern=pattern, tied=tied,
                         final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS)


def _v3(config: Config, name: str, task: str) -> Model:
    values = config.dims(V3, nullable=("q_rank",))
    pattern = first_dense(config, values["L"], 3)
    further = count_mtp(config, task, pattern, 1)
    return latent_mixture(config, name, task, values, pattern, further)


def _v32(config: Config, name: str, task: str) -> Model:
    values = config.dims(V32 | INDEXER)
    pattern = mlp_kinds(config, values["L"], 3)
    further = count_mtp(config, task, pattern)
    return with_selection(latent_mixture(config, name, task, values, pattern, further,
                                         (slot("indexer", "lightning"),), UNUSED), config)


def latent_mixture(config: Config, name: str, task: str, values: Mapping[str, int],
                   pattern: list[str], further: int = 0, beside: tuple[Slot, ...] = (),
                   harmless: frozenset[str] = frozenset()) -> Model:
    """A decoder of V3's kind, once its numbers and kinds of layer are read.

    Args:
        config: the configuration; what remains to be read is read here.
        name: the model's name.
        task: ``causal`` or ``base``.
        values: numbers of dims.
        pattern: ``dense`` or ``sparse`` for each layer.
        further: how many multi-token-prediction layers are counted.
        beside: what stands beside the attention of each layer.
        harmless: further keys that change no weight's shape.
    """
    blocks = two_kinds((latent_attention(config, values), *beside))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS | harmless)
    model = decoder_model(config, name, task, values, blocks, pattern=pattern, tied=tied,
                          final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS)
    return with_mtp(model, further)
