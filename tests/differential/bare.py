"""Each model type's configuration with no optional key: what transformers makes of it, recorded.

``python -m tests.differential.bare > tests/data/bare.json`` (transformers 5.23.0, torch 2.13.0).
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import suppress
from copy import deepcopy
from functools import reduce
from typing import Any

from symparam.descriptions.config import read_config
from symparam.descriptions.lookup import family
from symparam.errors import SymparamError
from tests.differential.compare import built
from tests.differential.drawn import BUILT, DRAWN, drawn
from tests.differential.keys import HEAD
from tests.helpers import Rows, total_of
from tests.oracle import published_code

#: What a number of layers is called.
DEPTHS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "n_transformer_layers")

#: Types whose layers are numbered in a part of theirs, not at the top.
ELSEWHERE = {"clip", "nemotron3_5_transcribe_audio", "nemotron3_diarization", "siglip", "siglip2"}

#: Kinds of layer that see a part of what is before them, with the key of how much.
BOUNDED = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}


#: What is asked of every model that holds others: a text model, of which nothing else is said.
HOLDS: dict[str, Any] = {"text_config": {}, "tie_word_embeddings": True}


def bare(model_type: str) -> dict[str, Any]:
    """The model type and its class with a head; nothing else but that it holds a text model."""
    classes = [drawn(model_type, f"base {n}").get("architectures", [""])[0] for n in range(8)]
    headed = [name for name in classes if HEAD.search(name)]
    return {"model_type": model_type, "architectures": [(headed or classes)[0]], **kept(model_type)}


def kept(model_type: str) -> dict[str, Any]:
    """The keys that stay in a configuration without optional ones: those of a type that is not
    read without a text model."""
    try:
        read_config(model_type, {"model_type": model_type}, model_type)
    except SymparamError as error:
        return deepcopy(HOLDS) if "text_config is missing" in str(error) else {}
    return {}


def digest(rows: Rows) -> str:
    """Names, shapes and copies of tensors, as a few letters."""
    lines = sorted(f"{name} {list(shape)} {copies}" for (name, shape), copies in rows.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def recorded(model_type: str) -> dict[str, Any]:
    """What is built from the bare configuration; ``error`` where nothing can be.

    Returns:
        Class, keys that stay, a digest of what is built with three layers, what the class has by
        default, number of parameters, digests of parameters and of buffers, how many parameters can
        be trained, how many layers are bounded by what window, and which (``w``).
    """
    config = bare(model_type)
    record: dict[str, Any] = {"class": config["architectures"][0]}
    if more := {key: config[key] for key in HOLDS if key in config}:
        record["keys"] = more
    try:
        rows, buffers, trainable = built(json.loads(json.dumps(config)))
    except Exception as error:
        return {"class": record["class"], "error": type(error).__name__}
    if (cut := short(model_type)) is not None:
        with suppress(Exception):
            record["short"] = digest(built(json.loads(json.dumps(cut)))[0])
    if model_type not in published_code.LISTED:
        record["said"] = _said(model_type, config)
    return {**record, "total": total_of(rows), "tensors": digest(rows), "buffers": digest(buffers),
            "trainable": trainable, **(_windows(config) if model_type in BUILT and not hasattr(
                family(model_type, "bare"), "traced") else {})}


def short(model_type: str) -> dict[str, Any] | None:
    """The bare configuration with three layers: patterns of layers that repeat are cut off. None of
    a type whose number of layers has a name of its own."""
    config = bare(model_type)
    try:
        taken = read_config(model_type, deepcopy(config), model_type).defaulted
    except SymparamError:
        return None
    keys = [each.partition(" = ")[0] for each in taken]
    key = next((each for each in DEPTHS if each in keys), None)
    if key is None or model_type in ELSEWHERE:
        return None
    config.get("text_config", config)[key] = 3
    return config


def _said(model_type: str, config: dict[str, Any]) -> dict[str, int]:
    """What the class has by default of the whole numbers that symparam takes by default."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    made = CONFIG_MAPPING[model_type].from_dict(dict(config))
    try:
        taken = read_config(model_type, deepcopy(config), model_type).defaulted
    except SymparamError:
        return {}
    found = {}
    for each in taken:
        path = each.partition(" = ")[0]
        for holder in (made, made.get_text_config(decoder=True)):
            with suppress(Exception):  # whatever a class raises for what it does not have
                value = reduce(getattr, path.split("."), holder)
                if type(value) is int:
                    found[path] = value
                    break
    return found


def _windows(config: dict[str, Any]) -> dict[str, Any]:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    text = made.get_text_config(decoder=True)
    kinds = getattr(text, "layer_types", None) or []
    bounded = [kind for kind in kinds if kind in BOUNDED]
    window = getattr(text, BOUNDED[bounded[0]], None) if bounded else None
    marks = "".join("w" if kind in BOUNDED else "." for kind in kinds)
    return {"bounded": len(bounded), "window": window, "marks": marks} if kinds else {}


if __name__ == "__main__":
    lines = []
    for each in sorted(DRAWN):
        lines.append(f"{json.dumps(each)}: {json.dumps(recorded(each))}")
        print(each, file=sys.stderr, flush=True)
    print("{\n" + ",\n".join(lines) + "\n}")
