"""What a decoder keeps and multiplies, found by going through it token by token.

Every layer, head, query and key is visited on its own and adds what it costs; nothing is
multiplied out. It is slow on purpose, and the ways in which it may be made wrong are beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import decoder
from .decoder import Shape

#: What is looked up or added, not multiplied.
_UNMULTIPLIED = ("embed_tokens", "embed_positions", "layernorm", "norm", ".bias")


@dataclass(frozen=True)
class Rules:
    """What a careful reader does; a mutant breaks one of these rules.

    Attributes:
        cached: key-value heads of a layer, from the dims.
        experts: how many experts a token runs through.
        scored: query heads of a layer that score the keys.
        tied_head: whether a tied head is multiplied all the same.
        per_pair: operations of a multiply-add.
        dropped: whether what a window leaves behind is no longer met.
    """

    cached: Callable[[Mapping[str, int]], int] = lambda dims: dims["n_kv"]
    experts: Callable[[Mapping[str, int]], int] = lambda dims: dims["top_k"]
    scored: Callable[[Mapping[str, int]], int] = lambda dims: dims["n_heads"]
    tied_head: bool = True
    per_pair: int = 2
    dropped: bool = True


CAREFUL = Rules()
MUTANTS: dict[str, Rules] = {
    "keys-of-all-heads": Rules(cached=lambda dims: dims["n_heads"]),
    "all-experts": Rules(experts=lambda dims: dims["n_experts"]),
    "scores-of-key-heads": Rules(scored=lambda dims: dims["n_kv"]),
    "tied-head-forgotten": Rules(tied_head=False),
    "one-operation-a-pair": Rules(per_pair=1),
}


def cached(arch: Mapping[str, Any], dims: Mapping[str, int], tokens: int,
           window: int | None = None, rules: Rules = CAREFUL) -> int:
    """Numbers in the cache after so many tokens, one entry after another."""
    count = 0
    for _ in range(dims["L"]):
        held: list[int] = []
        for _ in range(tokens):
            if arch.get("attention") == "mla":
                held.append(dims["kv_rank"] + dims["d_rope"])
            else:
                entry = 0
                for _ in range(rules.cached(dims)):
                    entry += dims["d_head"]  # a key
                    entry += dims["d_head"]  # a value
                held.append(entry)
            if window is not None and len(held) > window:
                held.pop(0)
        count += sum(held)
    return count


def generated(arch: Mapping[str, Any], dims: Mapping[str, int], tokens: int,
              window: int | None = None, rules: Rules = CAREFUL) -> int:
    """Operations for one token that is generated after tokens − 1 others: it meets what a cache
    holds then, itself among that."""
    held: list[int] = []
    for position in range(tokens):
        held.append(position)
        if rules.dropped and window is not None and len(held) > window:
            held.pop(0)
    pairs = sum(rows * inputs for _, (rows, inputs) in _multiplied(arch, dims, rules))
    query, value = _widths(arch, dims)
    relative = arch.get("positions") == "relative"
    for _ in range(dims["L"]):
        for _ in range(rules.scored(dims)):
            for _ in held:
                pairs += query + value
                pairs += dims["d_head"] if relative else 0
    return rules.per_pair * pairs


def forward(arch: Mapping[str, Any], dims: Mapping[str, int], tokens: int, masked: bool = True,
            rules: Rules = CAREFUL) -> int:
    """Operations of matrix products over a sequence, no layer of which has a window.

    Args:
        arch: the options.
        dims: the numbers.
        tokens: the length of the sequence.
        masked: whether a pair that a causal mask hides is worked out all the same.
        rules: what a careful reader does.
    """
    pairs = 0
    for _ in range(tokens):
        for name, (rows, inputs) in _multiplied(arch, dims, rules):
            del name
            pairs += rows * inputs
    query, value = _widths(arch, dims)
    relative = arch.get("positions") == "relative"
    for _ in range(dims["L"]):
        for _ in range(rules.scored(dims)):
            for i in range(tokens):
                for j in range(tokens):
                    if masked or j <= i:
                        pairs += query + value
                        pairs += dims["d_head"] if relative else 0
    return rules.per_pair * pairs


def _widths(arch: Mapping[str, Any], dims: Mapping[str, int]) -> tuple[int, int]:
    if arch.get("attention") == "mla":
        return dims["d_nope"] + dims["d_rope"], dims["d_v"]
    return dims["d_head"], dims["d_head"]


def _multiplied(arch: Mapping[str, Any], dims: Mapping[str, int],
                rules: Rules) -> Iterator[tuple[str, Shape]]:
    """The matrices that one token is multiplied with."""
    used = {f".experts.{e}." for e in range(rules.experts(dims))} if arch.get("ffn") == "moe" else (
        set[str]())
    for name, shape in decoder.state_dict(arch, dims).items():
        if any(word in name for word in _UNMULTIPLIED):
            continue
        if ".experts." in name and not any(expert in name for expert in used):
            continue
        yield name, shape
    if arch.get("tied") and rules.tied_head:
        yield "lm_head.weight", (dims["V"], dims["d_model"])
