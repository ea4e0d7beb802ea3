"""Step 3.5 and the language model of Step 3.7: windows with more query heads, gated heads, experts.

Source: StepFun 2026, model card of stepfun-ai/Step-3.5-Flash; transformers, models/step3p7.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, Block, decoder_model, slot
from symparam.descriptions.assembling.latent import sparse_ffn
from symparam.descriptions.assembling.mixture import HARMLESS, depth_of, leave_out_mtp
from symparam.descriptions.assembling.per_layer import KEY, overrides
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import shown
from symparam.model import Model

MODEL_TYPES = ("step3p5",)
CLASSES = {"Step3p5ForCausalLM": "causal", "Step3p7TextModel": "base"}
DIMS = {
    "V": ("vocab_size", 128815), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 64),
    "n_kv": ("num_key_value_heads", "num_attention_groups", 8), "d_head": ("head_dim", 128),
    "d_ff": ("intermediate_size", 11264),
    "n_experts": ("n_routed_experts", "moe_num_experts", 288),
    "top_k": ("num_experts_per_tok", "moe_top_k", 8), "d_expert": ("moe_intermediate_size", 1280),
    "d_shared": ("share_expert_dim", "share_expert_dims", 1280),
}
KINDS = {"full_attention": "full", "sliding_attention": "sliding"}
FFNS = {"dense": "dense", "sparse": "sparse"}
UNUSED = frozenset("""
    att_impl_type max_seq_len moe_every_n_layer moe_layer_offset moe_router_activation
    moe_router_scaling_factor mtp_layer_types mtp_mlp_layer_types need_fp32_gate norm_expert_weight
    partial_rotary_factors query_pre_attn_scalar swiglu_limits swiglu_limits_shared use_moe
    use_rope_layers yarn_only_types zero_centered
""".split())
#: Keys of the published files that say again what the code does.
SAID = {"use_qk_norm": True, "use_head_wise_attn_gate": True, "use_moe_router_bias": True,
        "sink": False}


def build(config: Config, name: str) -> Model:
    """A Step 3.5 from its configuration: kinds of layer by window and by experts."""
    task = config.task(CLASSES, "base")
    depth = depth_of(config, "num_hidden_layers", 45)
    values = config.dims(DIMS)
    further = config.number("num_nextn_predict_layers", 0)
    sees = _listed(config, "layer_types", KINDS, depth, further, lambda i: "full_attention")
    sparse = _sparse(config, depth)
    ffns = _listed(config, "mlp_layer_types", FFNS, depth, further, lambda i: (
        "sparse" if i in sparse else "dense"))
    heads = _sliding_heads(config, values["n_heads"], {
        i for i, kind in enumerate(sees) if kind == "sliding"})
    for key, value in SAID.items():
        config.only(key, value, None)
    biases = config.flag("attention_bias", False), config.flag("mlp_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    leave_out_mtp(config, "num_nextn_predict_layers")
    config.close(HARMLESS | UNUSED)
    values |= {"n_heads_sliding": heads} if "sliding" in sees and heads != values["n_heads"] else {}
    return decoder_model(config, name, task, values, _blocks(*biases, "n_heads_sliding" in values),
                         pattern=[f"{a}_{b}" for a, b in zip(sees, ffns, strict=True)],
                         final_norm=find("norm", "rmsnorm")(), tied=tied, names=FUSED_EXPERTS,
                         windows=Sliding(listed="", rule=lambda *_: (
                             i for i, kind in enumerate(sees) if kind == "sliding")))


def _listed(config: Config, key: str, known: dict[str, str], depth: int, further: int,
            default: Callable[[int], str]) -> list[str]:
    """A kind for each layer; a list may go on with those of the prediction layers."""
    value = config.raw(key, None)
    if further and isinstance(value, list) and len(value) == depth + further:
        config.kinds(key, known, depth + further, default)
        return [known[each] for each in value[:depth]]
    return config.kinds(key, known, depth, default)


def _sparse(config: Config, depth: int) -> set[int]:
    """The layers with experts where no list of kinds says it: listed as text or numbers."""
    value = config.raw("moe_layers_enum", None)
    if value is None:
        return set(range(3, depth))
    listed = value.split(",") if isinstance(value, str) else value
    try:
        if not isinstance(listed, list):
            raise ValueError
        return {int(each) for each in listed if str(each).strip()}
    except (TypeError, ValueError):
        raise config.error("moe_layers_enum", "expected numbers of layers, found "
                           f"{shown(value)}") from None


def _sliding_heads(config: Config, heads: int, layers: Collection[int]) -> int:
    """Query heads of the layers with a window."""
    if KEY in config:
        config.raw("num_sliding_attention_heads", None)
        config.raw("attention_other_setting", None)
        return overrides(config, layers, ("num_attention_heads",)).get(
            "num_attention_heads", heads)
    own = config.optional_count("num_sliding_attention_heads")
    other = config.raw("attention_other_setting", None)
    if other in (None, {}):
        return own or heads
    setting = config.table("attention_other_setting")
    found = setting.integer("num_attention_heads", heads)
    if found < 1:
        raise setting.error("num_attention_heads", "must be at least 1")
    for key in ("attention_type", "num_attention_groups", "head_dim", "true_head_dim"):
        setting.raw(key, None)  # the code takes these from outside
    setting.finish()
    return own or found


def _blocks(bias: bool, mlp_bias: bool, more: bool) -> dict[str, Block]:
    norms = norm_slots(find("norm", "rmsnorm")(), 2)
    ffns: dict[str, Block] = {"dense": (slot("ffn", "swiglu", bias=mlp_bias),),
                              "sparse": sparse_ffn(bias=mlp_bias)}
    found: dict[str, Block] = {}
    for kind in KINDS.values():
        bound = {"n_heads": "n_heads_sliding"} if kind == "sliding" and more else {}
        attention: Block = (slot("attention", "gqa", None, bound, bias=bias, qk_norm=True),
                            slot("head_gate", "heads", None, bound, kind="head-gate"))
        found |= {f"{kind}_{ffn}": (*attention, *slots, *norms) for ffn, slots in ffns.items()}
    return found
