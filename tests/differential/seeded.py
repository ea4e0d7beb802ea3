"""Drawn configurations of every type and what transformers builds of them, recorded as digests.

``python -m tests.differential.seeded > tests/data/seeded.json`` (transformers 5.23.0, torch
2.13.0). The configuration is drawn again from its number; its own digest notices another one.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

from tests.differential.compare import Shapes, whole
from tests.differential.draw import Config
from tests.differential.drawn import DRAWN, drawn

#: How many configurations of each type.
EACH = 4


def mark(config: Config) -> str:
    """A configuration, as a few letters."""
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:8]


def digest(tensors: Shapes) -> str:
    """Whole names and shapes of tensors, as a few letters."""
    lines = sorted(f"{name} {list(shape)}" for name, shape in tensors.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def recorded(model_type: str) -> list[list[Any]]:
    """Number, digest of the configuration, of its parameters and buffers, and those trained."""
    found: list[list[Any]] = []
    for number in range(4 * EACH):
        config = drawn(model_type, f"seeded {number}")
        try:
            tensors, buffers, trained = whole(json.loads(json.dumps(config)))
        except Exception:  # nothing to compare with
            continue
        found.append([number, mark(config), digest(tensors), digest(buffers), trained])
        if len(found) == EACH:
            break
    return found


if __name__ == "__main__":
    lines = []
    for each in sorted(DRAWN):
        lines.append(f"{json.dumps(each)}: {json.dumps(recorded(each), separators=(',', ':'))}")
        print(each, file=sys.stderr, flush=True)
    print("{\n" + ",\n".join(lines) + "\n}")
