"""GPT-Neo: GPT-2 with a bias behind the attention alone; every other layer looks nearby only.

Source: Black et al. 2021, github.com/EleutherAI/gpt-neo; transformers, models/gpt_neo.
"""

from __future__ import annotations

from collections.abc import Iterator

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import SUMMARY
from symparam.descriptions.reading.source import shown
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("gpt_neo",)
CLASSES = classes("GPTNeo")
DIMS = {
    "V": ("vocab_size", 50257), "L": ("num_layers", "num_hidden_layers", 24),
    "d_model": ("hidden_size", 2048), "n_heads": ("num_heads", "num_attention_heads", 16),
    "n_ctx": ("max_position_embeddings", 2048), "d_ff": ("intermediate_size", None),
}
HARMLESS = SUMMARY | {"window_size"}
PLACES = Places(top="transformer.", token="wte.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", O="out_proj"), *entries("*.ffn", up="c_fc", down="c_proj"))
SLIDING = Sliding(key="window_size", default=256, rule=lambda config, depth: (
    _local(config, depth)), listed="")


def build(config: Config, name: str) -> Model:
    """A GPT-Neo from its configuration; global and local layers have the same weights."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    tied = config.flag("tie_word_embeddings", True)
    _known_kinds(config, "attention_layers", config.raw("attention_layers", None))
    _known_kinds(config, "attention_types", config.raw("attention_types", None))
    config.close(HARMLESS)
    block = (slot("attention", "mha", "attn.attention.", bias=["attn-out"]),
             slot("ffn", "mlp", bias=True), slot("norms.attention", "layernorm", "ln_1."),
             slot("norms.ffn", "layernorm", "ln_2."))
    return decoder_model(config, name, task, values, block, tied=tied, positions=None,
                         final_norm=find("norm", "layernorm")(), places=PLACES, names=NAMES,
                         embedding=(slot("positions", "learned", "wpe."),), windows=SLIDING)


def _known_kinds(config: Config, key: str, value: object) -> None:
    """Refuse a kind of attention that is neither global nor local, however deep it stands."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif each not in ("global", "local", None) and type(each) is not int:
            raise config.error(key, f"{shown(each)} is not a kind of attention that is "
                               "understood; handled: global or local")


def _local(config: Config, depth: int) -> Iterator[int]:
    """The local layers: from the list of layers, or from short lists that repeat."""
    kinds = config.data.get("attention_layers")
    if kinds is None:
        kinds = []
        repeated = config.data.get("attention_types") or [[["global", "local"], depth]]
        for each in repeated if isinstance(repeated, list) else [repeated]:
            if (not isinstance(each, list) or len(each) != 2 or not isinstance(each[0], list)
                    or type(each[1]) is not int):
                raise config.error("attention_types", "expected lists of kinds with how often "
                                   "they repeat")
            kinds += each[0] * min(each[1], depth)
    if not isinstance(kinds, list):
        raise config.error("attention_layers", "expected a list of kinds, one for each layer")
    return (i for i, kind in enumerate(kinds[:depth]) if kind == "local")
