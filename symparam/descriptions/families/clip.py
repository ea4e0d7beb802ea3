"""CLIP, SigLIP and SigLIP 2: an encoder of texts and one of pictures, whose vectors are compared;
and their encoders of texts by themselves.

Source: Radford et al. 2021, arXiv:2103.00020; Zhai et al. 2023, arXiv:2303.15343; Tschannen et al.
2025, arXiv:2502.14786; transformers, models/clip, models/siglip, models/siglip2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import (
    CLIP_NAMES,
    encoder_block,
    linear,
    picture_encoder,
)
from symparam.descriptions.assembling.projectors import D_PROJECTION
from symparam.descriptions.assembling.wholes import WHOLES, whole
from symparam.descriptions.config import Config
from symparam.layout import Layout
from symparam.model import Model
from symparam.traced.parts import TEXT

#: Each whole with its encoder of texts and the classes of both.
PAIRS = {"clip": ("clip_text_model", "CLIP"), "siglip": ("siglip_text_model", "Siglip"),
         "siglip2": ("siglip2_text_model", "Siglip2")}
TEXTS = dict(PAIRS.values())
MODEL_TYPES = (*PAIRS, *TEXTS)
DIMS: dict[str, tuple[Any, ...]] = {
    "V": ("vocab_size", 32000), "n_ctx": ("max_position_embeddings", 64),
    "d_model": ("hidden_size", 768), "d_ff": ("intermediate_size", 3072),
    "L": ("num_hidden_layers", 12), "n_heads": ("num_attention_heads", 12)}
CLIP = {"V": 49408, "n_ctx": 77, "d_model": 512, "d_ff": 2048, "n_heads": 8}
#: Of a text what it is projected to is read where that is counted.
HARMLESS = frozenset({"projection_dim"})
#: How the factor begins, and older copies of both configurations.
WHOLE_HARMLESS = frozenset({"logit_scale_init_value", "text_config_dict", "vision_config_dict"})
UNSET = "is a pair of encoders, and what it multiplies for a text and a picture is not worked out"

#: SigLIP's matrix behind a text is for its last token alone.
LAST = "multiplies its last matrix with one token of a text, which is not worked out"


def build(config: Config, name: str) -> Model:
    """An encoder of texts, or the pair."""
    if config.model_type in TEXTS:
        config.task({f"{TEXTS[config.model_type]}TextModel": "base"}, "base")
        return _text(config, name)
    kind, stem = PAIRS[config.model_type]
    config.task({f"{stem}Model": "base"}, "base")
    text = _under(_text(_inner(config, kind), name), "text_model.")
    key = "vision_config_dict"
    pair = replace(WHOLES[config.model_type], key="" if config.raw(key, None) is None else key)
    found = None if config.text_alone else whole(config, text, "", pair)
    config.read.update(("text_config", "vision_config"))
    if config.model_type == "clip":
        config.raw("projection_dim", None)
    config.close(WHOLE_HARMLESS)
    if found is None:
        config.left_out.append("everything but the encoder of texts (vision_config)")
        return replace(text, part=TEXT)
    return replace(found, part="all", unset=UNSET)


def _inner(config: Config, kind: str) -> Config:
    """The configuration of the encoder of texts; an older copy of it counts where there is one."""
    key = "text_config_dict" if config.raw("text_config_dict", None) is not None else "text_config"
    data = config.raw(key, None)
    if data is not None and not isinstance(data, dict):
        raise config.error(key, "expected a table: the configuration of the encoder of texts")
    inner = Config(config.where, {**(data or {}), "model_type": kind}, "base", False,
                   config.below(key))
    inner.tell(config)
    return inner


def _text(config: Config, name: str) -> Model:
    """An encoder of texts: SigLIP's has a matrix behind it, CLIP's sees what is before."""
    own = CLIP if config.model_type == "clip_text_model" else {}
    values = config.dims({dim: (*keys, own.get(dim, default))
                          for dim, (*keys, default) in DIMS.items()})
    if not own:
        values |= config.dims({"d_projection": ("projection_size", None)})
    config.close(HARMLESS)
    head = () if own else (linear("linear", "head.", "d_model", "d_projection", bias=True),)
    rule = Equation("d_projection", ex.Sym("d_model"), "the width of the encoder where nothing "
                    "says so", Standing.DEFAULT)
    model = picture_encoder(
        config, name, values, encoder_block(), "encoder.layers.*.",
        before=(slot("token", "token", "token_embedding."),
                slot("positions", "learned", "position_embedding.")),
        after=(slot("norm", "layernorm", "final_layer_norm."),), head=head, names=CLIP_NAMES,
        equations=() if own else (rule,), declared=() if own else (D_PROJECTION,),
        unset="" if own else LAST)
    return replace(model, stacks=tuple(replace(s, causal=bool(own)) for s in model.stacks))


def _under(model: Model, top: str) -> Model:
    """A model whose tensor names begin with something more."""
    return replace(model, stacks=tuple(replace(s, prefix=top + s.prefix) for s in model.stacks),
                   layout=Layout(model.layout.name, model.layout.entries))
