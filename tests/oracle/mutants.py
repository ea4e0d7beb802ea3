"""Wrong answers that a comparison by name and shape must notice.

Each function takes right rows and returns wrong ones, leaving the given rows as they were, or
None where its mistake cannot be made. Some keep the total, so comparing totals is not enough.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from .decoder import Rows

Mutant = Callable[[Rows], Rows | None]

# Token table -> the output matrix that would repeat it.
TIES = {
    "model.embed_tokens.weight": "lm_head.weight",
    "transformer.wte.weight": "lm_head.weight",
    "bert.embeddings.word_embeddings.weight": "cls.predictions.decoder.weight",
}
TABLES = ("embed_tokens", "embed_positions", "wte", "wpe", "_embeddings")


def drop_row(rows: Rows) -> Rows | None:
    """Lose the row with the fewest elements, the easiest one to overlook."""
    if not rows:
        return None
    lost = min(rows, key=lambda key: prod(key[1]) * rows[key])
    return {key: copies for key, copies in rows.items() if key != lost}


def transpose(rows: Rows) -> Rows | None:
    """Store one matrix the other way round, in all its copies; the total stays right."""
    matrices = [key for key in rows if len(key[1]) == 2 and key[1][0] != key[1][1]]
    if not matrices:
        return None
    name, shape = turned = max(matrices, key=lambda key: rows[key])
    wrong = {key: copies for key, copies in rows.items() if key != turned}
    key = (name, shape[::-1])
    wrong[key] = wrong.get(key, 0) + rows[turned]
    return wrong


def forget_tie(rows: Rows) -> Rows | None:
    """Count the output matrix again although it is the token table."""
    names = {name for name, _ in rows}
    for name, shape in rows:
        if name in TIES and TIES[name] not in names:
            return {**rows, (TIES[name], shape): 1}
    return None


def copy_too_few(rows: Rows) -> Rows | None:
    """Miss one layer of one repeated row."""
    for key, copies in rows.items():
        if copies > 1:
            return {**rows, key: copies - 1}
    return None


def swap_q_and_k(rows: Rows) -> Rows | None:
    """Give q the width of k and k that of q; the total stays right."""
    swap = {"q_proj": "k_proj", "k_proj": "q_proj"}
    wrong: Rows = {}
    for (name, shape), copies in rows.items():
        other = ".".join(swap.get(part, part) for part in name.split("."))
        wrong[other, shape] = copies
    return None if wrong == rows else wrong


def bias_too_many(rows: Rows) -> Rows | None:
    """Give a bias to a matrix or norm that has none."""
    names = {name for name, _ in rows}
    for (name, shape), copies in rows.items():
        layer = name.removesuffix(".weight")
        bias = f"{layer}.bias"
        if layer != name and not layer.endswith(TABLES) and bias not in names:
            return {**rows, (bias, shape[:1]): copies}
    return None


MUTANTS: dict[str, Mutant] = {
    "drop-row": drop_row,
    "transpose": transpose,
    "forget-tie": forget_tie,
    "copy-too-few": copy_too_few,
    "swap-q-and-k": swap_q_and_k,
    "bias-too-many": bias_too_many,
}
