"""Trace a class, and write the file that its family reads (``descriptions/traced_types``).

``python -m tests.differential.traced_types TYPE CLASS[-case] [key=value ...] [--no-costs]``: of a
case, with what the configuration is traced, as ``symparam trace --set`` takes it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from symparam.descriptions import traced_types
from symparam.traced.foundation import sentences
from symparam.traced.records import Trace
from symparam.traced.written import brief_toml_of
from symparam.tracing import trace
from symparam.tracing.sources.configurations import from_config

FOLDER = Path(traced_types.__path__[0])


def found(model_type: str, cls: str, settings: dict[str, Any], costs: bool) -> Trace:
    """What a trace finds of a class of transformers, from its configuration's own numbers."""
    target = from_config({"model_type": model_type, "architectures": [cls]}, settings,
                         f"transformers:{model_type}")
    return trace(target, costs=costs)


def main(model_type: str, named: str, *more: str) -> None:
    """Write the file of a class, and print what its rows rest on."""
    settings = dict(each.split("=", 1) for each in more if "=" in each)
    made = found(model_type, named.partition("-")[0], {
        key: json.loads(value) for key, value in settings.items()}, "--no-costs" not in more)
    (FOLDER / f"{named}.toml").write_text(brief_toml_of(made), encoding="utf-8")
    print(*sentences(made), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
