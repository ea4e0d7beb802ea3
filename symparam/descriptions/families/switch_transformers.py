"""Switch Transformer: T5 with experts in some layers of each side, of which a token uses one.

Source: Fedus et al. 2021, arXiv:2101.03961; transformers, models/switch_transformers.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.encoder_decoder import SIDES, Side, encoder_decoder, token
from symparam.descriptions.assembling.mixture import depth_of
from symparam.descriptions.config import Config
from symparam.descriptions.families import t5
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("switch_transformers",)
CLASSES = {f"SwitchTransformers{tail}": task for tail, task in (
    ("ForConditionalGeneration", "seq2seq"), ("Model", "base"), ("EncoderModel", "encoder"))}
DIMS = {
    "V": ("vocab_size", 32128), "d_model": ("d_model", 768), "d_head": ("d_kv", 64),
    "d_ff": ("d_ff", 2048), "n_heads": ("num_heads", 12), "n_experts": ("num_experts", 8),
    "n_buckets": ("relative_attention_num_buckets", 32),
}
HARMLESS = frozenset("""
    add_router_probs dense_act_fn expert_capacity feed_forward_proj is_gated_act n_positions
    relative_attention_max_distance router_bias_init router_dtype router_ignore_padding_tokens
    router_z_loss_coef
""".split())
NAMES = (*t5.NAMES, entry("*.ffn", "W_up", ".wi.weight"),
         entry("*.ffn", "W_router", ".router.classifier.weight"),
         entry("*.ffn", "b_router", ".router.classifier.bias"),
         entry("*.ffn", "X_up", ".experts.expert_*.wi.weight"),
         entry("*.ffn", "X_down", ".experts.expert_*.wo.weight"))
ONE = Equation("top_k", ex.Num(1), "a token is sent to one expert")


def build(config: Config, name: str) -> Model:
    """A Switch Transformer from its configuration: each side has sparse layers of its own."""
    task = config.task(CLASSES, "seq2seq")
    depths = {"encoder": depth_of(config, "num_layers", 12)}
    null = "num_decoder_layers" in config and config.raw("num_decoder_layers") is None
    depths["decoder"] = depths["encoder"] if null else depth_of(config, "num_decoder_layers", 12)
    patterns = {side: _pattern(config, side, depth) for side, depth in depths.items()}
    values = config.dims(DIMS)
    bias = ["router"] if config.flag("router_bias", False) else []
    tied = config.flag("tie_word_embeddings", True)
    for key in ("is_decoder", "add_cross_attention"):
        config.only(key, False, None)
    config.only("is_encoder_decoder", True, *([False] if task == "encoder" else []))
    config.close(HARMLESS)
    own = () if tied else (token("embed_tokens."),)
    sides = {side: Side(blocks={kind: _block(side, kind, bias) for kind in ("dense", "sparse")},
                        pattern=patterns[side], top=f"{side}.", layers="block.*.",
                        before=(*own, t5.bias("block.0.")),
                        after=(slot("norm", "rmsnorm", "final_layer_norm."),))
             for side in SIDES[task]}
    used = {kind for side in sides for kind in patterns[side]}
    values = {dim: n for dim, n in values.items() if dim != "n_experts" or "sparse" in used}
    head = (Slot("lm", find("head", "lm").make({"tied": tied})),) if task == "seq2seq" else ()
    return encoder_decoder(config, name, task, values, sides, head=head,
                           equations=(ONE,) if "sparse" in used else (),
                           embedding=Stack("embedding", (token("shared."),)), names=NAMES)


def _pattern(config: Config, side: str, depth: int) -> list[str]:
    """Sparse is the second layer of each step; where every layer is a step, each."""
    sparse = config.number(f"num_sparse_{side}_layers", 3)
    made = depth // sparse if sparse else depth  # none is written so, and is not what is built
    step = config.number(f"{side}_sparse_step", made)
    return ["sparse" if step == 1 or (step and i % step == 1) else "dense" for i in range(depth)]


def _block(side: str, kind: str, bias: list[str]) -> Block:
    *before, _, norm = t5.block(side, "mlp")
    prefix = f"layer.{2 if side == 'decoder' else 1}.mlp."
    ffn = (slot("ffn", "mlp", prefix) if kind == "dense" else
           slot("ffn", "moe", prefix, {"d_expert": "d_ff"}, gated=False, bias=bias))
    return (*before, ffn, norm)
