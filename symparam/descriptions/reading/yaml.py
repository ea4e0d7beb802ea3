"""YAML, bounded, by PyYAML's safe loader (extra ``yaml``): tables, lists, numbers and texts."""

from __future__ import annotations

from typing import Any

#: Bytes and nodes that a configuration may have, and how deep they may stand in each other.
MAX_BYTES, MAX_NODES, MAX_DEPTH = 2**16, 5_000, 20


def parse_yaml(text: str) -> Any:
    """What a YAML text says; no key twice, no alias (a short text could stand for a huge one).

    Raises:
        ValueError: what is wrong, in one line. ImportError: PyYAML is not installed.
    """
    import yaml

    if len(text) > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES // 2**10} KiB")
    try:
        _look_over(yaml, text)
        return _value(yaml, yaml.compose(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        problem = getattr(error, "problem", None) or str(error)
        raise ValueError(f"{' '.join(str(problem).split())[:160]}{where}") from None
    except (RecursionError, OverflowError):
        raise ValueError("nested too deeply, or a number that is too large") from None


def _look_over(yaml: Any, text: str) -> None:
    """Refuse what would grow, before anything is made of it."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"an alias (line {event.start_mark.line + 1}): write it out")
        depth += isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent))
        depth -= isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent))
        if count > MAX_NODES or depth > MAX_DEPTH:
            raise ValueError(f"more than {MAX_NODES} values, or deeper than {MAX_DEPTH}")


def _value(yaml: Any, node: Any) -> Any:
    """A node as Python has it, by the safe loader's own rules for numbers and words."""
    if node is None:
        return None
    if isinstance(node, yaml.MappingNode):
        found: dict[Any, Any] = {}
        for left, right in node.value:
            key = _value(yaml, left)
            if not isinstance(key, (str, int)) or key in found:
                raise ValueError(f"the key {str(key)[:40]!r} stands twice, or is none (line "
                                 f"{left.start_mark.line + 1})")
            found[key] = _value(yaml, right)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(yaml, each) for each in node.value]
    if len(node.value) > 1_000 and node.tag.endswith((":int", ":float")):
        raise ValueError("a number of more than 1000 digits")
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node)
    except ValueError as error:
        raise ValueError(f"{node.value[:40]!r}: {error}") from None
