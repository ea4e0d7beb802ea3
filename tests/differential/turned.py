"""Each truth value of each model type turned alone, and each key that may be null made so: what
transformers builds then, recorded.

``python -m tests.differential.turned > tests/data/turned.json`` (transformers 5.23.0, torch
2.13.0). Kept is what changes a tensor, a buffer or how many can be trained, and of truth values
also those that are refused here.
"""

from __future__ import annotations

import json
import sys
from copy import deepcopy
from typing import Any

from symparam.errors import SymparamError
from tests.differential import seeded
from tests.differential.compare import Shapes, listed_whole, whole
from tests.differential.draw import Config
from tests.differential.drawn import BUILT, Undrawn
from tests.differential.keys import MEANT, Uncounted, base, changes

#: Keys that no family reads.
GENERAL = frozenset("output_hidden_states return_dict use_cache".split())
#: What is written where a change is refused here.
REFUSED = "refused"


def told(tensors: tuple[Shapes, Shapes, int]) -> str:
    """All three parts of what is built or listed, as a few letters."""
    parameters, buffers, trained = tensors
    return f"{seeded.digest(parameters)}{seeded.digest(buffers)}{trained}"


def recorded(model_type: str) -> dict[str, Any] | None:
    """The configuration, and what is built when a key of it is turned; None where no configuration
    is counted as it is built, or nothing changes."""
    try:
        config = base(model_type)
    except (Undrawn, Uncounted):
        return None
    plain = told(whole(deepcopy(config)))
    found: dict[str, str] = {}
    for change in changes(config):
        if change.path[-1] in GENERAL or (model_type, change.path[-1]) in MEANT or not (
                change.flip or change.value is None):
            continue
        verdict = _verdict(change.of(config))
        general = change.value is None or change.path[-1] == "is_encoder_decoder"
        if verdict not in (plain, None) and not (verdict == REFUSED and general):
            found[f"{'.'.join(change.path)}={json.dumps(change.value)}"] = verdict
    return {"config": config, "turned": found} if found else None


def _verdict(config: Config) -> str | None:
    """What is built; that it is refused here, and None where there is nothing to compare with."""
    try:
        listed_whole(deepcopy(config))
    except SymparamError:
        return REFUSED
    try:
        return told(whole(deepcopy(config)))
    except Exception:  # whatever transformers raises
        return None


if __name__ == "__main__":
    lines = []
    for each in sorted(BUILT):
        if (record := recorded(each)) is not None:
            lines.append(f"{json.dumps(each)}: {json.dumps(record, separators=(',', ':'))}")
        print(each, file=sys.stderr, flush=True)
    print("{\n" + ",\n".join(lines) + "\n}")
