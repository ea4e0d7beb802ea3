"""X-MOD: RoBERTa with an adapter for each language in every layer.

Source: Pfeiffer et al. 2022, arXiv:2205.06266; transformers, models/xmod.
"""

from __future__ import annotations

import re

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
from symparam.stack import Slot

MODEL_TYPES = ("xmod",)
CLASSES = {"XmodModel": "base", "XmodForMaskedLM": "mlm", "XmodForCausalLM": "causal"}
MORE_HARMLESS = frozenset("adapter_reuse_layer_norm default_language ln_before_adapter".split())
MOST = 1000  # languages
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9-]*")


def build(config: Config, name: str) -> Model:
    """An X-MOD from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config)
    reduction = config.count_of("adapter_reduction_factor", default=2)
    if values["d_model"] < reduction:
        raise config.error("adapter_reduction_factor", "leaves an adapter no width")
    values["d_adapter"] = values["d_model"] // reduction
    adapters = adapter_slots(config)
    if config.flag("adapter_layer_norm", False):
        adapters += (slot("norms.adapter", "layernorm", "output.adapter_layer_norm."),)
    before = config.flag("pre_norm", False)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    after = (slot("norm", "layernorm", "encoder.LayerNorm."),) if before else ()
    return encoder_model(config, name, task, values, (*layer(), *adapters),
                         Around(top="roberta.", head=LM_HEAD), tied=tied, embedding=tables(),
                         after=after)


def adapter_slots(config: Config) -> tuple[Slot, ...]:
    """An adapter for each language, under the language's name."""
    languages = config.raw("languages", ["en_XX"])
    if not isinstance(languages, list) or not 0 < len(languages) <= MOST or not all(
            isinstance(each, str) and _NAME.fullmatch(each) for each in languages):
        raise config.error("languages", "expected a list of names of languages: letters, digits, "
                           "_ and -")
    return tuple(slot(f"adapters.{each}", "language-adapter", f"output.adapter_modules.{each}.",
                      kind="adapter") for each in dict.fromkeys(languages))
