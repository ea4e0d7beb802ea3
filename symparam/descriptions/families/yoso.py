"""YOSO and MRA: BERT with approximate attention, two rows more of positions and no pooler.

YOSO may have a convolution of its values; MRA keeps the numbers of its positions.

Source: Zeng et al. 2021, arXiv:2111.09714; Zeng et al. 2022, arXiv:2207.10284; transformers,
models/yoso and models/mra.
"""

from __future__ import annotations

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

MODEL_TYPES = ("yoso", "mra")
STEMS = {"yoso": "Yoso", "mra": "Mra"}
DEFAULTS = {"yoso": {"V": 50265, "n_ctx": 4096, "n_types": 1}, "mra": {"V": 50265, "n_types": 1}}
MORE_HARMLESS = {
    "yoso": frozenset("hash_code_len lsh_backward num_hash use_expectation use_fast_hash".split()),
    "mra": frozenset("""
        approx_mode block_per_row initial_prior_diagonal_n_blocks initial_prior_first_n_blocks
    """.split()),
}


def build(config: Config, name: str) -> Model:
    """One of them from its configuration; the encoder where no class is named."""
    kind = config.model_type
    stem = STEMS[kind]
    task = config.task({f"{stem}Model": "base", f"{stem}ForMaskedLM": "mlm"}, "base")
    values = read_dims(config, DEFAULTS[kind])
    block, embedding = layer(), tables()
    if kind == "mra":
        values["n_ids"] = values["n_ctx"]
        embedding += (slot("ids", "position-ids", kind="position-ids"),)
    elif (window := config.optional_count("conv_window")) is not None:
        values["k_conv"] = window
        block += (slot("skip", "head-convolution", kind="head-convolution"),)
    values["n_ctx"] += 2
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS[kind])
    return encoder_model(config, name, task, values, block, Around(top=f"{kind}.", pooler=None),
                         tied=tied, embedding=embedding)
