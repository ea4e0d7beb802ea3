"""Windows as each format says them: a list of lengths, None for a layer that sees all tokens; None
where no layer has one; a phrase where it is not known which.
"""

from __future__ import annotations

from typing import Any

from symparam.descriptions.assembling.windows import SLIDING
from symparam.descriptions.settings.places import Place, Source, wrong


def by_layer(size: int | None, layers: Any, depth: int) -> Any:
    """Windows of one length, in some of the layers.

    >>> by_layer(8, [1], 3), by_layer(None, [1], 3), by_layer(8, [], 3)
    ([None, 8, None], None, None)
    """
    there = set(layers)
    return [size if i in there else None for i in range(depth)] if size and there else None


def one_length(value: list[Any] | None) -> int | None:
    """The length of windows that all layers have; None where some have none, or others."""
    first = value[0] if value else None
    return first if value and all(each == first for each in value) else None


def hf_windows(default: int | None, switch: bool = False, listed: bool = False) -> Place:
    """Windows of a ``config.json``: of all layers, of those that a list names, or from one on."""
    def read(source: Source) -> Any:
        data, depth = source.data, source.depth
        size = data.get("sliding_window", default)
        if size is None or (switch and data.get("use_sliding_window") is not True):
            return None
        if type(size) is not int:
            raise wrong("sliding_window", size, "a number of tokens")
        layers: Any = range(depth)
        if listed:
            kinds, first = data.get("layer_types"), data.get("max_window_layers", 28)
            layers = range(first, depth) if kinds is None else [
                i for i, kind in enumerate(kinds) if kind in SLIDING]
        return by_layer(size, layers, depth)

    def write(value: Any) -> dict[str, Any] | None:
        if value is None:
            return {"sliding_window": None} | ({"use_sliding_window": False} if switch else {})
        lengths, on = {each for each in value if each is not None}, {"use_sliding_window": True}
        if len(lengths) != 1 or (None in value and not listed):
            return None
        kinds = {"layer_types": ["full_attention" if each is None else "sliding_attention"
                                 for each in value]}
        return {"sliding_window": lengths.pop(), **(on if switch else {}),
                **(kinds if listed else {})}

    return Place(read, write, ("sliding_window", *(("use_sliding_window",) if switch else ()),
                               *(("layer_types", "max_window_layers") if listed else ())))


def litgpt_windows(source: Source) -> Any:
    """Windows of a LitGPT: of all layers, or of those with a one in the list."""
    size, marks = (source.data.get(f"sliding_window_{each}") for each in ("size", "indices"))
    layers = range(source.depth) if marks is None else [i for i, mark in enumerate(marks) if mark]
    return by_layer(size, layers, source.depth)


def litgpt_windowed(value: Any) -> dict[str, Any] | None:
    """The same as LitGPT has it, with the list."""
    lengths = {each for each in value or () if each is not None}
    if len(lengths) > 1:
        return None
    return {} if not lengths else {
        "sliding_window_size": lengths.pop(),
        "sliding_window_indices": [int(each is not None) for each in value]}


def megatron_windows(source: Source) -> Any:
    """Windows of a Megatron: how many tokens before and behind the own one, ``127,0``."""
    size = source.data.get("window-size")
    if size is None:
        return None
    before = str(size).strip("()[] ").partition(",")[0].strip()
    if source.data.get("window-attn-skip-freq") is not None or not before.isdecimal():
        return f"{size} in some layers"
    return by_layer(int(before) + 1, range(source.depth), source.depth)


def megatron_windowed(value: Any) -> dict[str, Any] | None:
    """The same as Megatron has it, of all layers."""
    size = one_length(value)
    return {} if value is None else None if size is None else {"window-size": f"{size - 1},0"}


def mistral_windows(source: Source) -> Any:
    """Windows of Mistral's own file: one length, or a list that goes round."""
    size = source.data.get("sliding_window")
    lengths = size if isinstance(size, list) and size else [size]
    found = [lengths[i % len(lengths)] for i in range(source.depth)]
    return found if any(found) else None


def neox_windows(source: Source) -> Any:
    """Windows of a GPT-NeoX, whose key does not count the token itself."""
    width = source.data.get("sliding_window_width")
    return source.windows if width is None else by_layer(width + 1, range(source.depth),
                                                         source.depth)


def toml_windows(source: Source) -> Any:
    """Windows of a description, as its model has them."""
    return source.windows


def toml_windowed(value: Any) -> dict[str, Any] | None:
    """The window of a block; None where only some layers have one."""
    size = one_length(value)
    return {} if value is None else None if size is None else {"window": size}
