"""Vocabularies that a framework pads to a multiple."""

from __future__ import annotations

from math import prod

from symparam.descriptions.config import Config


def padded(config: Config, key: str, tokens: int, *steps: int) -> int:
    """The rows of an embedding, which is told where they are more than the tokens.

    Args:
        config: where it is noted.
        key: what the framework calls the padded number.
        tokens: how many tokens there are.
        steps: the factors of what it is rounded up to a multiple of.
    """
    step = prod(steps)
    rows = -(-tokens // step) * step
    config.ask("V", "", step)
    if rows != tokens:
        config.defaulted.append(f"{key} = {rows} ({tokens:,} tokens, padded to a multiple of "
                                f"{' × '.join(map(str, steps))})")
    return rows
