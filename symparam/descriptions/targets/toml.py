"""An architecture file (docs/architecture-file.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.options import NORM_PLACES
from symparam.descriptions.parts import Parts
from symparam.descriptions.targets import nothing
from symparam.model import Model

FILE = "architecture.toml"


kept = nothing


def candidates(parts: Parts) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tables; most of what changes no weight has no place there."""
    count = {frozenset(path for path, _ in places): number
             for number, places in NORM_PLACES.items()}.get(frozenset(parts.places))
    if count is None:
        return
    needed = set(parts.model.dims)
    attention: dict[str, Any] = {"kind": parts.attention, "bias": sorted(
        parts.bias & {"qkv", "attn-out"}), "qk_norm": parts.qk_norm == "head"}
    ffn: dict[str, Any] = {"kind": parts.ffn}
    if parts.ffn != "moe":
        ffn["bias"] = sorted(parts.bias & {"ffn"})
    yield "toml", {"name": parts.model.name,
           "dims": {name: value for name, value in parts.values.items() if name in needed},
           "model": {"tied": parts.tied, "final_norm": parts.norm,
                     "positions": "learned" if parts.learned else "rope",
                     "bias": ["head"] if "head" in parts.bias else []},
           "blocks": [{"attention": attention, "ffn": ffn,
                       "norm": {"kind": parts.norm, "per_block": count}}]}


def joined(keys: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The tables, settings in that of the block."""
    return {**keys, "blocks": [{**keys["blocks"][0], **settings}]}


def text(data: Mapping[str, Any]) -> str:
    """The file."""
    lines = [f"name = {_value(data['name'])}"]
    for title in ("dims", "model"):
        lines += ["", f"[{title}]", *(f"{k} = {_value(v)}" for k, v in data[title].items())]
    for block in data["blocks"]:
        lines += ["", "[[blocks]]", *(f"{k} = {_value(v)}" for k, v in block.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + " }"
    return json.dumps(value, ensure_ascii=True)


def read(data: Mapping[str, Any], name: str) -> Model:
    """The model that the tables describe."""
    return describe_model(FILE, data, name)
