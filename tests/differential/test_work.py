"""Products and caches of random configurations, here and as torch counts them in transformers.

Left out of an ordinary run: it needs torch and transformers, and takes minutes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from symparam.descriptions.config import read_config
from symparam.errors import BadValue, SymparamError
from symparam.model import Model
from symparam.quantities import find, training_memory
from symparam.quantities.flops import of_weights
from symparam.quantities.quantity import Share, Subject
from symparam.quantities.setting import Setting
from symparam.resolve import numbers
from tests.differential.draw import Draw
from tests.differential.drawn import BUILT, DRAWN
from tests.differential.families import towers
from tests.differential.work import Measured, measure

pytestmark = pytest.mark.differential

#: Configurations of each model type; what cannot be run is drawn again.
EACH = 2


def shares(subject: Subject) -> dict[str, int]:
    """What each matrix and product adds to a forward pass."""
    return {share.path: share.value for share in find("flops").shares(subject)}


def padded(subject: Subject) -> int:
    """Each convolution runs over k_conv − 1 positions behind the sequence, which are cut off."""
    return sum(2 * m.size("applied") * (m.shape[-1] - 1) for m in subject.ledger
               if m.role == "convolution")


def scored_twice(subject: Subject) -> int:
    """The same scores are worked out for each half of the values."""
    return sum(n for path, n in shares(subject).items() if path.endswith(".scores"))


def every_expert(subject: Subject) -> int:
    """All experts run for every token, and what was not chosen is multiplied by zero."""
    return sum(share.value // index.applied * (index.stored - index.applied)
               for share, index in _experts(subject))


def two_experts(subject: Subject) -> int:
    """The router takes two experts, whatever num_experts_per_tok is."""
    return sum(share.value // index.applied * (2 - index.applied)
               for share, index in _experts(subject))


def embedded(subject: Subject) -> int:
    """Every token goes through what embeds those of pictures and of sounds, and is then masked."""
    return sum(2 * math.prod(m.shape) * subject.setting["s"] for m in subject.ledger
               if m.path.startswith("projector") and m.path.endswith(".linear.W"))


def _experts(subject: Subject) -> list[tuple[Share, Any]]:
    by_path = {share.path: share for share in of_weights(subject)}
    return [(by_path[m.path], index) for m in subject.ledger for index in m.indices
            if index.name == "expert" and m.path in by_path]


#: Types whose forward pass multiplies more, or less, than the model needs; by how much, and why.
MORE: dict[str, Callable[[Subject], int]] = {
    **dict.fromkeys(("mamba", "falcon_mamba", "jamba", "lfm2_moe", "lfm3", "recurrent_gemma",
                     "zamba"), padded),
    "diffllama": scored_twice, "llama4": every_expert, "llama4_text": every_expert,
    "gemma3n": embedded, "phimoe": two_experts}

#: Types whose attention or recurrence is worked out block by block, so that products without a
#: weight are of the block's size: what is multiplied with linear layers is compared.
BLOCKS = frozenset("""
    bailing_hybrid bamba falcon_h1 granitemoehybrid kimi_linear longt5 mamba2 minimax mra
    nemo_speechlm nemotron_h olmo_hybrid qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text
    qwen3_next xlstm zamba2
""".split())

#: Types that are not run here, and why.
UNRUN = {
    "blip-2": "it asks for an image",
    "dbrx": "its loop over experts asks for the numbers of the routing",
    "deepseek_v2": "its rotation asks for strides that meta lacks; measured records hold it",
    "longformer": "it pads the sequence to its window",
    "led": "it pads the sequence to its window",
    "nllb-moe": "its experts get a mask of the routing where they ask for numbers",
    "pegasus_x": "it pads the sequence to its blocks, and its global tokens are left out",
    "qwen2_vl": "its rotation splits heads by sections that a random head width does not fit",
    "qwen2_vl_text": "its rotation splits heads by sections that a random head width does not fit",
    "qwen2_5_vl": "its rotation splits heads by sections that a random head width does not fit",
    "qwen2_5_vl_text": "its rotation splits heads by sections that a random width does not fit",
    "trocr": "it is given no encoder's output to look at",
    "voxtral_realtime": "it asks for sound",
    "xlstm": "its code does not run with the widths that it builds",
    **dict.fromkeys(towers.DRAWN, "what it multiplies for a picture or a sound is refused"),
}


def linear(subject: Subject) -> int:
    """Products with matrices of linear layers: neither convolutions, experts nor blocks."""
    alone = {m.path for m in subject.ledger if m.role == "matmul" and len(m.shape) == 2
             and not any(index.name == "expert" for index in m.indices)}
    return sum(share.value for share in of_weights(subject) if share.path in alone)


def kept(subject: Subject) -> int:
    """Numbers of keys and values, as a cache of transformers holds them."""
    setting, count = subject.setting, 0
    for state in subject.ledger.states:
        if state.stream != "sequence" and state.part != "indexer":
            entries = setting.entries(state)
            if state.window is not None and state.window < setting["s"]:
                entries = state.window - 1  # it keeps those that the next token will see
            count += state.copies() * math.prod(state.shape) * entries
    return count


#: Types whose caches hold something else.
CACHES = {
    "deepseek_v4": "keys that are values are kept twice",
    "falcon": "keys and values are copied to all query heads before they are kept",
    "gpt_neo": "local layers keep everything, and mask it",
}


def _pair(model_type: str, number: int) -> tuple[dict[str, Any], Measured, Subject] | None:
    """A configuration, run there and read here; None where one of them cannot."""
    config = {"model_type": model_type, **DRAWN[model_type](Draw(f"{model_type} {number}"))}
    try:
        theirs = measure(config)
    except Exception:  # whatever transformers raises: there is nothing to compare with
        return None
    try:
        model = read_config("drawn", json.loads(json.dumps(config)), "drawn")
        run = Setting(attention="all-pairs").at(s=theirs.tokens, s_encoder=theirs.encoder_tokens)
        return config, theirs, Subject.of(model, run)
    except SymparamError:
        return None


def unset(model_type: str) -> Model | None:
    """A model of a type of which nobody says what it multiplies: traced from its weights, or an
    encoder of pictures or sound."""
    for number in range(8 * EACH):
        config = {"model_type": model_type, **DRAWN[model_type](Draw(f"{model_type} {number}"))}
        try:
            model = read_config("drawn", json.loads(json.dumps(config)), "drawn")
            known = numbers(model).values
            return model if model.ledger(known, at_work=True).unset else None
        except SymparamError:
            continue
    return None


@pytest.mark.parametrize("model_type", sorted(set(BUILT) - set(UNRUN)))
def test_products_and_caches_are_what_transformers_makes(model_type: str) -> None:
    pytest.importorskip("transformers")
    if (model := unset(model_type)) is not None:
        with pytest.raises(BadValue, match="unset"):
            find("flops").of(model, Setting().at(s=8, s_encoder=8))
        return
    compared = 0
    for number in range(8 * EACH):
        if (pair := _pair(model_type, number)) is None:
            continue
        config, theirs, ours = pair
        if model_type in BLOCKS:
            assert linear(ours) == theirs.linear, config
        else:
            more = MORE[model_type](ours) if model_type in MORE else 0
            assert find("flops").value(ours) + more == theirs.total, config
        if theirs.cached and model_type not in CACHES:
            assert kept(ours) == sum(theirs.cached), config
        compared += 1
        if compared == EACH:
            return
    assert compared, f"no configuration of {model_type} could be run"


def test_the_comparison_notices_another_length() -> None:
    pytest.importorskip("transformers")
    config, theirs, ours = next(pair for n in range(9) if (pair := _pair("llama", n)))
    longer = Setting(attention="all-pairs").at(s=theirs.tokens + 1)
    wrong = Subject(ours.ledger, ours.dims, longer)
    assert find("flops").value(wrong) != theirs.total, config
    assert kept(wrong) != sum(theirs.cached)


@pytest.mark.parametrize("model_type", sorted(MORE))
def test_a_cause_is_needed(model_type: str) -> None:
    """Without its cause some configuration of the type differs: no exception is idle."""
    pytest.importorskip("transformers")
    pairs = (_pair(model_type, number) for number in range(8))
    assert any(find("flops").value(pair[2]) != pair[1].total for pair in pairs if pair)


@pytest.mark.parametrize(("dtype", "total"), [("bfloat16", 8), ("float32", 16)])
def test_adamw_keeps_moments_as_it_keeps_parameters(dtype: str, total: int) -> None:
    """What a step of PyTorch's AdamW leaves: of a run in bf16 alone 8 bytes a parameter."""
    import torch

    layer = torch.nn.Linear(64, 32, bias=False, dtype=getattr(torch, dtype))
    optimiser = torch.optim.AdamW(layer.parameters())
    layer(torch.ones(1, 64, dtype=getattr(torch, dtype))).sum().backward()
    optimiser.step()
    weight = layer.weight
    kept = [weight, weight.grad, *(each for each in optimiser.state[weight].values()
                                   if each.numel() > 1)]
    assert sum(each.numel() * each.element_size() for each in kept) == total * weight.numel()
    if dtype == "bfloat16":
        scheme = training_memory.scheme(total)
        assert (scheme.weights, scheme.gradients, scheme.optimiser) == (2, 2, 4)
