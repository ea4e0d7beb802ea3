"""Each model type's configuration with no optional key: what transformers makes of it, recorded.

``python -m tests.differential.bare > tests/data/bare.json`` (transformers 5.23.0, torch 2.13.0).
"""

from __future__ import annotations

import hashlib
import json
import sys
from copy import deepcopy
from typing import Any

from symparam.descriptions.config import read_config
from symparam.descriptions.lookup import family
from symparam.errors import SymparamError
from tests.differential.compare import built
from tests.differential.drawn import BUILT, DRAWN, drawn
from tests.differential.keys import HEAD
from tests.helpers import Rows, total_of

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
        Class, keys that stay, number of parameters, digests of parameters and of buffers, how many
        parameters can be trained, and how many layers are bounded by what window.
    """
    config = bare(model_type)
    record: dict[str, Any] = {"class": config["architectures"][0]}
    if more := {key: config[key] for key in HOLDS if key in config}:
        record["keys"] = more
    try:
        rows, buffers, trainable = built(json.loads(json.dumps(config)))
    except Exception as error:
        return {**record, "error": type(error).__name__}
    return {**record, "total": total_of(rows), "tensors": digest(rows), "buffers": digest(buffers),
            "trainable": trainable, **(_windows(config) if model_type in BUILT and not hasattr(
                family(model_type, "bare"), "traced") else {})}


def _windows(config: dict[str, Any]) -> dict[str, Any]:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    text = made.get_text_config(decoder=True)
    kinds = getattr(text, "layer_types", None) or []
    bounded = [kind for kind in kinds if kind in BOUNDED]
    window = getattr(text, BOUNDED[bounded[0]], None) if bounded else None
    return {"bounded": len(bounded), "window": window} if kinds else {}


if __name__ == "__main__":
    lines = []
    for each in sorted(DRAWN):
        lines.append(f"{json.dumps(each)}: {json.dumps(recorded(each))}")
        print(each, file=sys.stderr, flush=True)
    print("{\n" + ",\n".join(lines) + "\n}")
