"""SeamlessM4T and its second version: text and speech in a hundred languages. Rows traced.

Source: Barrault et al. 2023, arXiv:2308.11596; Barrault et al. 2023, arXiv:2312.05187;
transformers, models/seamless_m4t and models/seamless_m4t_v2.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import traced
from symparam.descriptions.config import Config
from symparam.model import Model

STEMS = {"seamless_m4t": "SeamlessM4T", "seamless_m4t_v2": "SeamlessM4Tv2"}
MODEL_TYPES = tuple(STEMS)
#: All parts (of the class that has them), or those that read and write text.
TAILS = {"ForTextToText": "seq2seq", "Model": "whole"}
CLASSES = {f"{stem}{tail}": task for stem in STEMS.values() for tail, task in TAILS.items()}
#: Tokens, lengths of what is generated, and functions.
HARMLESS = frozenset("""
    adaptor_dropout leaky_relu_slope rotary_embedding_base sampling_rate speech_encoder_dropout
    speech_encoder_hidden_act speech_encoder_layerdrop t2u_bos_token_id
    t2u_decoder_start_token_id t2u_eos_token_id t2u_max_new_tokens t2u_pad_token_id
    t2u_variance_pred_dropout var_pred_dropout vocoder_offset
""".split())


def build(config: Config, name: str) -> Model:
    """One of them from its configuration."""
    stem = STEMS[config.model_type]
    classes = {f"{stem}{tail}": task for tail, task in TAILS.items()}
    return traced(config, name, classes, "whole", HARMLESS)
