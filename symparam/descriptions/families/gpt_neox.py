"""GPT-NeoX and its Japanese relative: rotary positions, LayerNorms, QKV in one tensor.

Source: Black et al. 2022, arXiv:2204.06745; Biderman et al. 2023, arXiv:2304.01373 (Pythia);
transformers, models/gpt_neox and models/gpt_neox_japanese.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entries, entry
from symparam.model import Model

MODEL_TYPES = ("gpt_neox", "gpt_neox_japanese")
CLASSES = classes("GPTNeoX")
JAPANESE_CLASSES = classes("GPTNeoXJapanese")
DIMS = {
    "V": ("vocab_size", 50432), "L": ("num_hidden_layers", 44), "d_model": ("hidden_size", 6144),
    "n_heads": ("num_attention_heads", 64), "d_ff": ("intermediate_size", 24576),
}
JAPANESE_DIMS = {
    "V": ("vocab_size", 32000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 2560),
    "n_heads": ("num_attention_heads", 32),
}
HARMLESS = NO_TABLE | {"is_decoder", "rotary_emb_base", "rotary_pct", "use_parallel_residual"}
PLACES = Places(top="gpt_neox.", token="embed_in.", final_norm="final_layer_norm.")
JAPANESE_PLACES = Places(top="gpt_neox_japanese.", token="embed_in.",
                         final_norm="final_layer_norm.", head="embed_out.")
FFN = entries("*.ffn", up="dense_h_to_4h", down="dense_4h_to_h")
NAMES = (*entries("*.attention", Q_K_V="query_key_value", O="dense"), *FFN)
JAPANESE_NAMES = (*NAMES, entry("*.attention", "b_O", ".dense_bias"))
NORM = "layernorm"


def build(config: Config, name: str) -> Model:
    """A model of this lineage; two norms stand in a block, parallel or not."""
    if config.model_type == "gpt_neox_japanese":
        return _japanese(config, name)
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    bias = config.flag("attention_bias", True)
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, _block(bias, bias, True), tied=tied,
                         final_norm=find("norm", NORM)(), places=PLACES, names=NAMES)


def _japanese(config: Config, name: str) -> Model:
    """No biases, but for one behind the attention of the last layer."""
    task = config.task(JAPANESE_CLASSES, "causal")
    values = config.dims(JAPANESE_DIMS)
    times = config.count_of("intermediate_multiple_size", default=4)
    tied = config.flag("tie_word_embeddings", True)
    depth = values.pop("L")
    config.close(HARMLESS)
    pattern = config.kinds("", {"plain": "plain", "last": "last"}, depth,
                           lambda i: "last" if i == depth - 1 else "plain")
    inner = Equation("d_ff", ex.Num(times) * ex.Sym("d_model"), "intermediate_multiple_size")
    blocks = {"plain": _block(False, False, False), "last": _block(False, True, False)}
    return decoder_model(config, name, task, values, blocks, pattern=pattern, tied=tied,
                         final_norm=find("norm", NORM)(), places=JAPANESE_PLACES,
                         names=JAPANESE_NAMES, equations=(inner,))


def _block(qkv: bool, out: bool, ffn: bool) -> Block:
    sites = [site for site, there in (("qkv", qkv), ("attn-out", out)) if there]
    return (slot("attention", "mha", "attention.", bias=sites),
            slot("ffn", "mlp", bias=ffn), *norm_slots(find("norm", NORM)(), 2))
