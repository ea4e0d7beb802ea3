"""RoBERTa and what has its layers: BERT's encoder with a head of other names.

XLM-RoBERTa, CamemBERT and data2vec are RoBERTa; XLM-RoBERTa XL and RoBERTa-PreLayerNorm norm
before each part, with a norm after the last layer.

Source: Liu et al. 2019, arXiv:1907.11692; Conneau et al. 2019, arXiv:1911.02116; Martin et al.
2019, arXiv:1911.03894; Baevski et al. 2022, arXiv:2202.03555; Goyal et al. 2021,
arXiv:2105.00572; Ott et al. 2019, arXiv:1904.01038; transformers, models/roberta,
models/xlm_roberta, models/camembert, models/data2vec, models/xlm_roberta_xl,
models/roberta_prelayernorm.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    LM_HEAD,
    Around,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What tells one of them from RoBERTa.

    Attributes:
        stem: what the class names begin with.
        defaults: defaults of the configuration class, where they are not BERT's.
        top: what the names of the encoder begin with.
        head_first: whether the head is the first part of the class.
        norms: the names of a layer's two norms.
        embedding_norm: whether the embedding has a norm.
        final: the name of the norm after the last layer, if there is one.
    """

    stem: str
    defaults: tuple[tuple[str, int], ...] = ()
    top: str = "roberta."
    head_first: bool = False
    norms: tuple[str, str] = ("attention.output.LayerNorm.", "output.LayerNorm.")
    embedding_norm: bool = True
    final: str = ""


KINDS = {
    "roberta": Kind(stem="Roberta", defaults=(("V", 50265),)),
    "xlm-roberta": Kind(stem="XLMRoberta", head_first=True),
    "camembert": Kind(stem="Camembert", head_first=True),
    "data2vec-text": Kind(stem="Data2VecText", top="data2vec_text."),
    "xlm-roberta-xl": Kind(
        stem="XLMRobertaXL", embedding_norm=False, final="encoder.LayerNorm.",
        norms=("attention.self_attn_layer_norm.", "LayerNorm."),
        defaults=(("V", 250880), ("L", 36), ("d_model", 2560), ("n_heads", 32), ("d_ff", 10240),
                  ("n_ctx", 514), ("n_types", 1))),
    "roberta-prelayernorm": Kind(
        stem="RobertaPreLayerNorm", top="roberta_prelayernorm.", final="LayerNorm.",
        norms=("attention.LayerNorm.", "intermediate.LayerNorm."), defaults=(("V", 50265),)),
}
MODEL_TYPES = tuple(KINDS)


def build(config: Config, name: str) -> Model:
    """One of them from its configuration; the encoder with pooler where no class is named."""
    kind = KINDS[config.model_type]
    task = config.task({f"{kind.stem}Model": "base", f"{kind.stem}ForMaskedLM": "mlm",
                        f"{kind.stem}ForCausalLM": "causal"}, "base")
    values = read_dims(config, dict(kind.defaults))
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS)
    after = (slot("norm", "layernorm", kind.final),) if kind.final else ()
    around = Around(top=kind.top, head=replace(LM_HEAD, first=kind.head_first))
    return encoder_model(config, name, task, values, layer(norms=kind.norms), around, tied=tied,
                         embedding=tables(norm="LayerNorm." if kind.embedding_norm else None),
                         after=after)
