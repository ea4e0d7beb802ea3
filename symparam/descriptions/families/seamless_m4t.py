"""SeamlessM4T and its second version: text and speech in a hundred languages. Rows traced.

Source: Barrault et al. 2023, arXiv:2308.11596; Barrault et al. 2023, arXiv:2312.05187;
transformers, models/seamless_m4t and models/seamless_m4t_v2.
"""

from __future__ import annotations

from symparam.descriptions.assembling.traced import traced
from symparam.descriptions.config import Config
from symparam.model import Model

#: All parts (of the class that has them), or those that read and write text. The second version
#: as a whole was not traced.
KINDS = {"seamless_m4t": {"SeamlessM4TForTextToText": "seq2seq", "SeamlessM4TModel": "whole"},
         "seamless_m4t_v2": {"SeamlessM4Tv2ForTextToText": "seq2seq"}}
MODEL_TYPES = tuple(KINDS)
CLASSES = {cls: task for classes in KINDS.values() for cls, task in classes.items()}
#: Tokens, lengths of what is generated, and functions.
HARMLESS = frozenset("""
    adaptor_dropout leaky_relu_slope rotary_embedding_base sampling_rate speech_encoder_dropout
    speech_encoder_hidden_act speech_encoder_layerdrop t2u_bos_token_id
    t2u_decoder_start_token_id t2u_eos_token_id t2u_max_new_tokens t2u_pad_token_id
    t2u_variance_pred_dropout var_pred_dropout vocoder_offset
""".split())


def build(config: Config, name: str) -> Model:
    """One of them from its configuration."""
    return traced(config, name, KINDS[config.model_type], "whole", HARMLESS)
