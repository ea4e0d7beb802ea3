"""DeBERTa, V1 and V2."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import encoder

KINDS = ("c2p", "p2c", "p2c|c2p", "C2P | p2c", ["c2p"], ["p2c", "c2p"], [], None)


def common(draw: Draw, stem: str) -> Config:
    """Relative positions or not, a table of segments or none, the older or the later head."""
    config = encoder(draw, f"{stem}Model", f"{stem}ForMaskedLM")
    draw.maybe(config, relative_attention=draw.one_of(True, True, False), legacy=draw.flag(),
               pos_att_type=draw.one_of(*KINDS), max_relative_positions=draw.one_of(-1, 0, 17),
               position_biased_input=draw.flag(), pooler_dropout=0,
               pooler_hidden_size=config["hidden_size"])
    config["type_vocab_size"] = draw.one_of(0, 0, 2)
    draw.maybe(config, type_vocab_size=draw.one_of(0, 3))
    if config.get("legacy", True):
        draw.maybe(config, embedding_size=draw.one_of(draw.size(), config["hidden_size"]))
    return config


def deberta(draw: Draw) -> Config:
    """V1."""
    return common(draw, "Deberta")


def deberta_v2(draw: Draw) -> Config:
    """V2: buckets, shared projections, a norm of the table, a convolution."""
    config = common(draw, "DebertaV2")
    if not isinstance(config.get("pos_att_type"), (str, list)):
        config.pop("pos_att_type", None)
    draw.maybe(config, position_buckets=draw.one_of(-1, 19), share_att_key=draw.flag(),
               norm_rel_ebd=draw.one_of("none", "layer_norm", "none|Layer_Norm"),
               conv_kernel_size=draw.one_of(0, 3), conv_act="gelu",
               attention_head_size=config["hidden_size"] // config["num_attention_heads"])
    return config


DRAWN = {"deberta": deberta, "deberta-v2": deberta_v2}
