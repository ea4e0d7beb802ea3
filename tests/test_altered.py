"""Published models with one number altered: what was altered is found again from the size."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symparam.claims.judged import Review
from symparam.claims.tables.table_file import read_table
from symparam.claims.tables.table_rows import review_table
from symparam.descriptions.load import load
from symparam.model import Model
from symparam.resolve import numbers
from tests.helpers import data
from tests.oracle import altered

NAMES = (
    "gpt2 gpt2-medium gpt2-large gpt2-xl gpt3-125m gpt3-175b nanochat-d20 perseid "
    "perseid-288m llama-7b llama-13b llama-30b llama-65b llama-2-70b llama-3-8b llama-3-70b "
    "llama-3.1-405b smollm-135m granite-3.0-8b seed-oss-36b mistral-7b codestral-22b "
    "mistral-nemo-12b mistral-large-2407 qwen1.5-7b qwen2-0.5b qwen2-7b qwen2-72b qwen2.5-14b "
    "qwen3-0.6b qwen3-8b qwen3-32b starcoder2-3b starcoder2-15b gemma-2b gemma-7b "
    "gemma-2-9b phi-4 stablelm-3b-4e1t helium-1-preview-2b internlm3-8b nemotron-4-15b "
    "minitron-4b olmo-1b").split()
DIMS = ("V", "L", "d_model", "n_heads", "n_kv", "d_head", "d_ff", "n_ctx")
TOTALS: dict[str, int] = data("catalogue_totals.json")
ROWS = 40


def described(model: Model) -> tuple[dict[str, Any], dict[str, int]] | None:
    """A model as the oracle describes it; None where it is no such decoder."""
    dims = {k: v for k, v in numbers(model).values.items() if k in DIMS}
    inside: dict[str, list[Any]] = {}
    for stack, slot in model.slots():
        if stack.repeat:
            inside.setdefault(slot.component.slot, []).append(slot.component)
    attention, ffn, norms = (inside.get(k, []) for k in ("attention", "ffn", "norm"))
    outside = {slot.component.slot: slot.component for stack, slot in model.slots()
               if not stack.repeat}
    positions = outside.get("positions") or next(iter(inside.get("positions", [])), None)
    if len(attention) != 1 or len(ffn) != 1 or {type(n) for n in norms} - {type(norms[0])}:
        return None
    if set(dims) - {"n_ctx"} != set(DIMS) - {"n_ctx"}:
        return None
    final = any(stack.name == "final_norm" for stack in model.stacks)
    kind = type(norms[0]).__name__.lower() if norms else "none"
    weights = {"rmsnorm": 1, "layernorm": 2, "layernormgain": 1}.get(kind, 0)
    bias = frozenset(getattr(attention[0], "bias", ())) | frozenset(getattr(ffn[0], "bias", ()))
    learned = any(m.part == "positions" and m.role == "embedding"
                  for m in model.ledger(numbers(model).values))
    if not learned:
        dims.pop("n_ctx", None)
    gated = any(m.name == "W_gate" for m in model.ledger(numbers(model).values))
    rotary = positions is not None and type(positions).__name__.lower() == "rotary"
    return ({"gated": gated, "norm": weights, "norms": len(norms), "final": final, "kind": kind,
             "tied": bool(getattr(outside["head"], "tied", False)), "learned": learned,
             "bias": bias, "qk_norm": bool(getattr(attention[0], "qk_norm", False)),
             "rotary": rotary or _turned(model)}, dims)


def _turned(model: Model) -> bool:
    return any("2 divides d_head" in str(check) for check in model.all_checks())


@cache
def plain() -> dict[str, tuple[dict[str, Any], dict[str, int]]]:
    """The published models that the oracle's formula counts as their recorded total."""
    found = {}
    for name in NAMES:
        if name in TOTALS:
            one = described(load(name))
            if one is not None and altered.size(*one) == TOTALS[name]:
                found[name] = one
    return found


def cells(arch: Mapping[str, Any], dims: Mapping[str, int]) -> list[str]:
    """A row's numbers and options."""
    norm = {"rmsnorm": "rmsnorm", "layernorm": "layernorm", "layernormgain": "layernorm-gain"}
    return [*(str(dims.get(name, "")) for name in DIMS), "swiglu" if arch["gated"] else "mlp",
            norm.get(arch["kind"], "none"), str(arch["norms"]) if arch["norms"] else "",
            "yes" if arch["final"] else "no",
            "+".join(sorted(arch["bias"])).replace("+", ",") or "none",
            "yes" if arch["qk_norm"] else "no", "yes" if arch["tied"] else "no",
            "learned" if arch["learned"] else "rope" if arch["rotary"] else "none"]


HEADER = [*DIMS, "ffn type", "norm", "norms per block", "final norm", "bias", "qk norm", "tied",
          "positions", "params"]


def alter(draw: random.Random, dims: Mapping[str, int]) -> tuple[str, int]:
    """One dim and another number for it."""
    while True:
        name = draw.choice(sorted(dims))
        factor = draw.choice((1 / 4, 1 / 2, 3 / 4, 7 / 8, 9 / 8, 5 / 4, 3 / 2, 2, 4))
        value = max(1, round(dims[name] * factor)) + draw.choice((0, 0, 0, -1, 1, 8, -8))
        if value > 0 and value != dims[name]:
            return name, value


def table(tmp_path: Path, seed: int, count: int) -> tuple[Review, list[Any]]:
    """A table of altered models with its verdicts, and what was done to each row."""
    draw, done = random.Random(seed), []
    lines = ["\t".join(["model", *HEADER])]
    names = sorted(plain())
    for name in draw.sample(names, min(count, len(names))):
        arch, dims = plain()[name]
        dim, value = alter(draw, dims)
        changed = {**dims, dim: value}
        done.append((name, arch, dims, changed, dim))
        lines.append("\t".join([name, *cells(arch, changed), f"{TOTALS[name]:,}"]))
    path = tmp_path / f"altered-{seed}.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return review_table(read_table(path), most=count), done


def check(review: Review, done: list[Any]) -> int:
    """Every row against the brute force; how many rows had one single change that mends them."""
    alone = 0
    for row, (name, arch, dims, changed, dim) in zip(review.rows, done, strict=True):
        hits = altered.single_changes(arch, changed, TOTALS[name])
        assert (dim, dims[dim]) in hits or altered.size(arch, changed) == TOTALS[name]
        listed = {m.dim: m.found for m in row.mends if m.found is not None}
        if altered.size(arch, changed) == TOTALS[name]:
            continue
        assert row.verdict != "exact", name
        for each, value in hits:
            assert each in listed, (name, each, value, row.mends)
            assert listed[each].has(value), (name, each, value)
        if len(hits) == 1:
            alone += 1
            assert listed[dim].nearest == dims[dim]
        for each, found in listed.items():
            for value in found.scattered or range(found.low, min(found.high, found.low + 50) + 1):
                if value <= altered.LATTICE[each]:
                    assert altered.size(arch, {**changed, each: value}) == TOTALS[name]
    return alone


def test_the_oracle_counts_enough_published_models() -> None:
    assert len(plain()) >= ROWS, sorted(set(NAMES) - set(plain()))


@pytest.mark.thinned(3)
def test_a_few_altered_models_are_found_again(tmp_path: Path) -> None:
    review, done = table(tmp_path, 1, 6)
    assert check(review, done) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_forty_altered_models_are_found_again(tmp_path: Path, seed: int) -> None:
    review, done = table(tmp_path, seed, ROWS)
    assert len(review.rows) == ROWS
    assert check(review, done) >= ROWS // 4


def test_an_oracle_that_forgets_the_norms_is_noticed(tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    plain()
    review, done = table(tmp_path, 1, 4)
    true = altered.size
    monkeypatch.setattr(altered, "size", lambda arch, dims: true({**arch, "norms": 0}, dims))
    with pytest.raises(AssertionError):
        check(review, done)
