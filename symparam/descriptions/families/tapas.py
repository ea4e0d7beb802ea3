"""TAPAS: BERT for tables, with a table of segments for each thing that tells where a cell stands.

Source: Herzig et al. 2020, arXiv:2004.02349; transformers, models/tapas.
"""

from __future__ import annotations

from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
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
from symparam.resolve import whole_number
from symparam.stack import Slot

MODEL_TYPES = ("tapas",)
CLASSES = {"TapasModel": "base", "TapasForMaskedLM": "mlm"}
DIMS = {dim: keys for dim, keys in ENCODER_DIMS.items() if dim != "n_types"}
SIZES = [3, 256, 256, 2, 256, 256, 10]
MOST = 100  # tables of segments
MORE_HARMLESS = frozenset("""
    aggregation_labels aggregation_loss_weight aggregation_temperature allow_empty_column_selection
    answer_loss_cutoff answer_loss_importance average_approximation_function average_logits_per_cell
    cell_selection_preference disable_per_token_loss huber_loss_delta
    init_cell_selection_weights_to_zero max_num_columns max_num_rows no_aggregation_label_index
    num_aggregation_labels positive_label_weight reset_position_index_per_cell select_one_column
    use_answer_as_supervision use_gumbel_for_aggregation use_gumbel_for_cells
    use_normalized_answer_loss
""".split())


def build(config: Config, name: str) -> Model:
    """A TAPAS from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, {"n_ctx": 1024}, DIMS)
    segments = segment_tables(config, values)
    tied = config.flag("tie_word_embeddings", True)
    absolute_positions(config)
    config.close(HARMLESS | MORE_HARMLESS)
    return encoder_model(config, name, task, values, layer(), Around(top="tapas."), tied=tied,
                         embedding=(*tables(segments=False), *segments))


def segment_tables(config: Config, values: dict[str, int]) -> tuple[Slot, ...]:
    """A table for each of the sizes, whose dims are numbered."""
    sizes = config.raw("type_vocab_sizes", SIZES)
    if not isinstance(sizes, list) or not 0 < len(sizes) <= MOST or not all(
            type(each) is int and each > 0 for each in sizes):
        raise config.error("type_vocab_sizes", "expected a list of positive whole numbers")
    values |= {f"n_types_{i}": whole_number(f"n_types_{i}", n) for i, n in enumerate(sizes)}
    return tuple(slot(f"segments.{i}", "segments", f"token_type_embeddings_{i}.",
                      {"n_types": f"n_types_{i}"}) for i in range(len(sizes)))
