"""What a forward pass of transformers multiplies and keeps, measured on modules without weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.differential import timm_tower

#: Keys that bound how long a sequence may be.
_LIMITS = ("max_position_embeddings", "n_positions", "n_ctx", "max_encoder_position_embeddings",
           "max_decoder_position_embeddings")
#: Classes that hold the decoder of a pair: they look at an encoder when they are given one.
_DECODERS = ("Bart", "BigBirdPegasus", "Blenderbot", "BlenderbotSmall", "MBart", "Marian", "Mvp",
             "PLBart", "Pegasus", "Whisper")
#: A module with more parameters is not built where it would take memory.
_LARGEST = 2 * 10**7


@dataclass(frozen=True)
class Measured:
    """One forward pass.

    Attributes:
        tokens, encoder_tokens: how long the sequences were.
        flops: operations by kind of product, as torch's FlopCounterMode counts them.
        cached: numbers of the cache, layer by layer; empty where none is kept.
    """

    tokens: int
    encoder_tokens: int
    flops: Mapping[str, int]
    cached: tuple[int, ...]

    @property
    def total(self) -> int:
        """All products."""
        return sum(self.flops.values())

    @property
    def linear(self) -> int:
        """Products with matrices of linear layers alone."""
        return sum(self.flops.get(kind, 0) for kind in ("mm", "addmm"))


def length(config: Mapping[str, Any]) -> int:
    """How many tokens to run: few, and no more than there are positions (RoBERTa's begin at 2)."""
    bounds = [config[key] - 2 for key in _LIMITS if isinstance(config.get(key), int)]
    return max(1, min(12, *bounds)) if bounds else 12


def measure(config: dict[str, Any]) -> Measured:
    """One forward pass of the module that transformers builds, on ``meta`` where it can be.

    Raises:
        Exception: whatever transformers raises where it cannot be run.
    """
    import transformers
    import transformers.utils.logging
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    transformers.utils.logging.set_verbosity_error()
    timm_tower.stand_in()
    made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    made._attn_implementation = "eager"
    made._experts_implementation = "batched_mm"  # loops over experts ask for values
    cls = getattr(transformers, config["architectures"][0])
    first: Exception | None = None
    for device, masked in (("meta", False), ("meta", True), ("cpu", False), ("cpu", True)):
        try:
            return _run(cls, made, config, device, masked)
        except Exception as error:
            first = first or error
    assert first is not None
    raise first


def _run(cls: Any, made: Any, config: dict[str, Any], device: str, masked: bool) -> Measured:
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with torch.device(device):
        if device == "cpu":
            with torch.device("meta"):
                size = sum(p.numel() for p in cls(made).parameters())
            if size > _LARGEST:
                raise MemoryError(f"{size} parameters are not built")
        module = cls(made).eval()
        module.tie_weights()
        given, tokens, encoder = _inputs(module, made, config, masked)
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            out = module(**given)
    flops = {str(kind).rpartition(".")[2]: n for kind, n in
             counter.get_flop_counts()["Global"].items()}
    return Measured(tokens, encoder, flops, _cached(out))


def _inputs(module: Any, made: Any, config: dict[str, Any], masked: bool,
            ) -> tuple[dict[str, Any], int, int]:
    """What the module is called with, and how many tokens that is on each side."""
    import torch

    tokens, stem = length(config), type(module).__name__
    encoder = tokens
    ids = torch.zeros(1, tokens, dtype=torch.long)
    given: dict[str, Any] = {"input_ids": ids}
    text = getattr(made, "text_config", made)
    width = getattr(text, "hidden_size", None)
    if masked:
        given["attention_mask"] = torch.ones(1, tokens, dtype=torch.long)
    if stem in {f"{each}ForCausalLM" for each in _DECODERS}:
        given["encoder_hidden_states"] = torch.zeros(1, encoder, width)
    elif getattr(made, "is_encoder_decoder", False):
        given["decoder_input_ids"] = ids
    if "Mllama" in stem:
        given["cross_attention_states"] = torch.zeros(1, encoder, width)
    if "XLNet" in stem:
        given["token_type_ids"] = ids
    if "Xmod" in stem:
        module.set_default_language(made.languages[0])
    if "Whisper" in stem:
        encoder = made.max_source_positions
        if "CausalLM" in stem:
            given.pop("encoder_hidden_states", None)
            given["encoder_outputs"] = (torch.zeros(1, encoder, width),)
        else:
            given = {"decoder_input_ids": ids,
                     "input_features": torch.zeros(1, made.num_mel_bins, 2 * encoder)}
    return given, tokens, encoder


def _cached(out: Any) -> tuple[int, ...]:
    """Numbers of keys and values in each layer of the cache that a pass returns."""
    cache = getattr(out, "past_key_values", None)
    both = [getattr(cache, f"{of}_attention_cache", None) for of in ("self", "cross")]
    found = []
    for layer in (layer for each in (both if any(both) else [cache])
                  for layer in getattr(each, "layers", ())):
        kept = [getattr(layer, name, None) for name in ("keys", "values")]
        numbers = sum(each.numel() for each in kept if each is not None)
        if numbers:
            found.append(numbers)
    return tuple(found)
