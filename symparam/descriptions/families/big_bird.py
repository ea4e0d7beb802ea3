"""BigBird: BERT with sparse attention, whose projections may go without biases.

Its masked-LM classes keep the pooler.

Source: Zaheer et al. 2020, arXiv:2007.14062; transformers, models/big_bird.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    Around,
    absolute_positions,
    encoder_model,
    layer,
    read_dims,
    tables,
)
from symparam.descriptions.config import Config
from symparam.model import Model

MODEL_TYPES = ("big_bird",)
CLASSES = {"BigBirdModel": "base", "BigBirdForMaskedLM": "mlm", "BigBirdForCausalLM": "causal"}
MORE_HARMLESS = frozenset("block_size num_random_blocks rescale_embeddings".split())
AROUND = Around(pooler="pooler.", pooler_stays=True)


def build(config: Config, name: str) -> Model:
    """A BigBird from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, {"V": 50358, "n_ctx": 4096})
    sites = ["qkv", "attn-out"] if config.flag("use_bias", True) else ["attn-out"]
    tied = config.flag("tie_word_embeddings", True)
    config.only("attention_type", "block_sparse", "original_full")
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    attention, *rest = layer()
    own = replace(slot("attention", "mha", bias=sites), prefix=attention.prefix)
    return encoder_model(config, name, task, values, (own, *rest), AROUND, tied=tied,
                         embedding=tables())
