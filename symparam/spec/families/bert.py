"""BERT: an encoder with segment embeddings, norms after each part, and a pooler or an LM head.

Source: Devlin et al. 2018, arXiv:1810.04805; google-research/bert; transformers, models/bert.
"""

from __future__ import annotations

from symparam.components import find
from symparam.layout import Entry, Layout, entry
from symparam.model import Model, Slot, Stack
from symparam.spec.config import Config
from symparam.spec.decoder import embedding_stack, layer_stack
from symparam.spec.options import norm_slots

MODEL_TYPES = ("bert",)
CLASSES = {"BertModel": "base", "BertForMaskedLM": "mlm", "BertLMHeadModel": "causal"}
HARMLESS = frozenset("""
    attention_probs_dropout_prob classifier_dropout hidden_act hidden_dropout_prob is_decoder
    layer_norm_eps directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers
    pooler_size_per_head pooler_type
""".split())
PARTS = {"base": "encoder with pooler", "mlm": "encoder with masked-LM head",
         "causal": "encoder with LM head"}


def build(config: Config, name: str) -> Model:
    """A BERT from its configuration; the encoder with pooler unless its class says otherwise."""
    task = config.task(CLASSES, "base")
    values = {
        "V": config.count_of("vocab_size", default=30522),
        "L": config.count_of("num_hidden_layers", default=12),
        "d_model": config.count_of("hidden_size", default=768),
        "n_heads": config.count_of("num_attention_heads", default=12),
        "d_ff": config.count_of("intermediate_size", default=3072),
        "n_ctx": config.count_of("max_position_embeddings", default=512),
        "n_types": config.count_of("type_vocab_size", default=2),
    }
    tied = config.flag("tie_word_embeddings", True)
    if task != "base" and not tied:
        raise config.error("tie_word_embeddings", "an untied masked-LM head is not understood")
    config.only("add_cross_attention", False)
    config.only("position_embedding_type", "absolute", None)
    config.close(HARMLESS)

    norm = find("norm", "layernorm")()
    block = (Slot("attention", find("attention", "mha").make({"bias": True})),
             Slot("ffn", find("ffn", "mlp").make({"bias": True})), *norm_slots(norm, 2))
    embedding = embedding_stack(Slot("positions", find("positions", "learned")()),
                                Slot("segments", find("segments", "segments")()),
                                Slot("norm", norm))
    stacks: list[Stack] = [embedding, layer_stack(block)]
    if task == "base":
        stacks.append(Stack("pooler", (Slot("pooler", find("pooler", "pooler")()),)))
    else:
        head = find("head", "lm").make({"tied": True, "bias": True})
        transform = find("transform", "mlm-transform")()
        stacks.append(Stack("head", (Slot("transform", transform), Slot("norm", norm),
                                     Slot("lm", head))))
    return Model(name, tuple(stacks), values, part=PARTS[task],
                 layout=Layout("transformers (BERT)", tuple(_names(task))))


def _names(task: str) -> list[Entry]:
    top = "" if task == "base" else "bert."
    layer, head = f"{top}encoder.layer.*.", "cls.predictions."
    tables = {"token.W_E": "word", "positions.W_P": "position", "segments.W_S": "token_type"}
    squares = {"attention.Q": "attention.self.query", "attention.K": "attention.self.key",
               "attention.V": "attention.self.value", "attention.O": "attention.output.dense",
               "ffn.up": "intermediate.dense", "ffn.down": "output.dense"}
    norms = {"embedding.norm": f"{top}embeddings.LayerNorm",
             "layers.norms.attention": f"{layer}attention.output.LayerNorm",
             "layers.norms.ffn": f"{layer}output.LayerNorm",
             "head.norm": f"{head}transform.LayerNorm"}
    rows = [(f"embedding.{path}", f"{top}embeddings.{kind}_embeddings.weight")
            for path, kind in tables.items()]
    for path, name in squares.items():
        slot, _, which = path.partition(".")
        rows += [(f"layers.{slot}.W_{which}", f"{layer}{name}.weight"),
                 (f"layers.{slot}.b_{which}", f"{layer}{name}.bias")]
    for path, name in norms.items():
        rows += [(f"{path}.gain", f"{name}.weight"), (f"{path}.shift", f"{name}.bias")]
    rows += [("head.transform.W", f"{head}transform.dense.weight"),
             ("head.transform.b", f"{head}transform.dense.bias"), ("head.lm.b_U", f"{head}bias")]
    return [entry(path.rpartition(".")[0], path.rpartition(".")[2], name) for path, name in rows]
