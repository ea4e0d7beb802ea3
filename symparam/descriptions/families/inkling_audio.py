"""Inkling's encoder of sound: a row for each number that a frequency band may have, and a norm.

Source: transformers, models/inkling.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components.audio_convolutions import N_MELS
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.pictures import picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.dims import Dim
from symparam.model import Model

MODEL_TYPES = ("inkling_audio",)
CLASSES = {"InklingAudioModel": "base"}
DIMS = {"n_mels": ("n_mel_bins", "num_codebooks", 80),
        "n_bins": ("mel_vocab_size", "codebook_size", 256),
        "d_model": ("text_hidden_size", "hidden_size", 6144)}
N_BINS = Dim("n_bins", r"n_{\text{bins}}", "numbers that a band may have")
ROWS = Equation("V", ex.Sym("n_mels") * ex.Sym("n_bins"), "each band has rows of its own",
                Standing.DEFINITION)


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    config.task(CLASSES, "base")
    values = config.dims(DIMS)
    config.close()
    return picture_encoder(
        config, name, values, (), "", embeddings="",
        before=(slot("token", "token", "embed_audio_tokens.embed_audio_tokens."),),
        after=(slot("norm", "rmsnorm", "norm."),), equations=(ROWS,), declared=(N_MELS, N_BINS),
        unset=UNSET)
