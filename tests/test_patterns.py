"""A pattern of layers is a rule of L: followed by every command, or the change is refused."""

from __future__ import annotations

import json
import shlex
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.api import load
from symparam.cli.main import run
from symparam.descriptions import catalogue
from symparam.descriptions.assembling.windows import all_but_every
from symparam.descriptions.config import read_config
from symparam.descriptions.pattern import Pattern, counted, cycle_of
from symparam.errors import ConstraintViolated, SpecError, SymparamError
from symparam.model import Model
from symparam.quantities.quantity import Subject
from symparam.resolve import numbers, resolve, with_overrides
from symparam.solve.searching.stepwise import grows
from tests.helpers import message

DEPTHS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers")

#: Configurations that name layers by their numbers: built for another depth with the same list,
#: the family puts them where they were; here the cycle that the list shows goes on.
LISTED = {"bamba-9b": "attn_layer_indices", "ernie-4.5-21b-a3b": "moe_layer_end_index",
          "deepseek-v4-pro": "compress_ratios", "deepseek-v4-flash": "compress_ratios"}
#: The family takes a list for another depth by its first layers alone.
SHORT = ("gpt-neo-125m", "gpt-neo-1.3b", "gpt-neo-2.7b")

CONFIGURED = [(name, key, found[1]) for name in catalogue.names()
              if (found := catalogue.configuration(name))
              for key in [next((k for k in DEPTHS if k in found[1]), "")] if key]
#: Every day the first of each type of model, and those that are told apart here.
FIRST = {config.get("model_type"): name for name, _, config in reversed(CONFIGURED)}
EVERY_DAY = {*FIRST.values(), *LISTED, *SHORT}


def everything(model: Model) -> tuple[int, dict[str, int]]:
    """The count, and all dims of weights and work."""
    values = resolve(model, model.dims_at_work).values
    Subject.of(model)
    return int(model.ledger(numbers(model).values).total()), dict(values)


@pytest.mark.thinned(6)
@pytest.mark.parametrize(("name", "key", "config"), [
    pytest.param(*case, id=case[0], marks=() if case[0] in EVERY_DAY else pytest.mark.slow)
    for case in CONFIGURED])
def test_a_published_model_follows_its_familys_pattern_or_refuses(
        name: str, key: str, config: dict[str, Any]) -> None:
    """With another depth it is what its family builds from a configuration of that depth."""
    model = load(name)
    depth = model.values.get("L")
    if depth is None or config[key] != depth:
        return
    assert everything(with_overrides(model, {"L": depth})) == everything(model)
    if name in LISTED or name in SHORT:
        assert name in SHORT or LISTED[name] in config
        return
    for other in (depth + 1, 2 * depth + 5, max(2, depth // 2)):
        try:
            built = everything(read_config(name, {**config, key: other}, name))
        except SymparamError:
            continue  # its list of kinds does not fit
        try:
            ours = everything(with_overrides(model, {"L": other}))
        except SymparamError as error:
            ours = None
            words = str(error)
        if ours is None:
            assert "for which" in words or "at least 0" in words or "would have" in words
            continue
        assert ours == built, other


def test_a_list_without_a_cycle_is_for_its_own_depth() -> None:
    model = load("nemotron-h-8b")
    with pytest.raises(ConstraintViolated) as caught:
        model.count(L=60)
    assert "L_mamba" in message(caught.value)
    assert model.count(L=60, L_mamba=28, L_dense=28) > model.count()
    assert model.count(L=52) == model.count()


def test_every_command_follows_the_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    """26 layers of recurrentgemma, one in three attends; 38 by count, evaluate, sweep and solve."""
    model = load("recurrentgemma-2b")
    wanted = [model.count(L=depth, L_attention=depth // 3, L_recurrent=depth - depth // 3)
              for depth in (25, 26, 27, 38)]
    assert [model.count(L=depth) for depth in (25, 26, 27, 38)] == wanted
    assert model.evaluate(L=np.array([25, 26, 27, 38])).tolist() == wanted

    def told(line: str) -> Any:
        assert run(shlex.split(line)) in {0, 1}
        return capsys.readouterr().out

    rows = [json.loads(line) for line in told(
        "sweep recurrentgemma-2b L=25,26,27,38 --format jsonl").splitlines()]
    assert [row["P"] for row in rows] == wanted
    found = json.loads(told(f"solve recurrentgemma-2b P={wanted[3]} L=? --json"))
    assert found["configurations"][0]["dims"]["L"] == 38
    assert found["configurations"][0]["P"] == wanted[3]


def test_windows_follow_the_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    """gemma-3: one layer in six sees all. The cache by hand, and L_window=... by hand."""
    model = load("gemma-3-1b")
    entry, window = 2 * 2 * 1 * 256, 512
    for depth in (10, 26, 72):
        full = depth // 6
        cache = entry * (full * 4096 + (depth - full) * window)
        assert model.quantity("kv_cache", L=depth, s=4096) == cache
    assert model.quantity("kv_cache", L=10, L_window=8, s=4096) == entry * (
        2 * 4096 + 8 * window)
    assert run(shlex.split("cost gemma-3-1b L=10")) == 0
    assert run(shlex.split("cost gemma-3-1b L=10 L_window=8 --json")) == 0
    capsys.readouterr()


kinds = st.lists(st.sampled_from("ab"), min_size=1, max_size=4)


@given(head=st.integers(0, 5), cycle=st.lists(st.booleans(), min_size=1, max_size=8),
       depth=st.integers(0, 60))
def test_a_rule_counts_the_layers_of_its_pattern(head: int, cycle: list[bool], depth: int) -> None:
    pattern = Pattern((True, *(False,) * (head - 1)) if head else (), tuple(cycle))
    listed = sum(n in pattern for n in range(depth))
    assert pattern.count(depth) == listed == pattern.shortest().count(depth)
    assert pattern.others().count(depth) == depth - listed
    rule = pattern.rule("L")
    if depth >= head:
        assert ex.evaluate(rule, {"L": depth}) == listed
    assert grows(rule, "L")


@given(cycle=kinds, times=st.integers(2, 5), more=st.integers(0, 3))
def test_a_list_that_goes_in_a_cycle_is_read_as_one(cycle: list[str], times: int,
                                                    more: int) -> None:
    listed = (cycle * (times + 1))[:len(cycle) * times + min(more, len(cycle))]
    found = cycle_of(listed)
    assert found is not None
    before, length = found
    assert (before == 0 and len(cycle) % length == 0) or before + length <= len(cycle)
    inside = [n for n, kind in enumerate(listed) if kind == "a"]
    result = counted("L_a", "L", len(listed), inside, found)
    values = dict(result.values)
    values |= {eq.dim: eq.value({"L": len(listed)}) for eq in result.equations if inside}
    assert values.get("L_a", 0) == len(inside)


@settings(max_examples=50)
@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=30))
def test_no_list_is_read_as_a_cycle_that_it_does_not_show(listed: list[str]) -> None:
    found = cycle_of(listed)
    if found is not None:
        before, length = found
        assert len(listed) - before >= 2 * length
        assert all(listed[n] == listed[n + length] for n in range(before, len(listed) - length))


# --- kinds of which there are none --------------------------------------------------------------

@pytest.mark.parametrize(("name", "depth", "kind"), [
    ("qwen3-next-80b-a3b", 3, "attention_sparse"), ("jamba-v0.1", 4, "attention"),
    ("deepseek-v3", 3, "sparse")])
def test_no_layers_of_a_kind_count_nothing(name: str, depth: int, kind: str) -> None:
    """They have no tensors, and all others are as they are where there are some."""
    model = load(name, L=depth)
    values = resolve(model).values
    ledger = model.ledger(values)
    parts = [m.size() for m in ledger if m.path.startswith(f"layers[{kind}].")]
    assert values[f"L_{kind}"] == 0
    assert set(parts) == {0}
    assert model.derive().value == model.count() == ledger.total()
    tensors = model.tensors()
    assert sum(t.numel for t in tensors) == ledger.total()
    assert 0 not in {t.copies for t in tensors}
    deeper = load(name, L=depth + 1)
    more = {m.path: m.size() for m in deeper.ledger(numbers(deeper).values)
            if m.status != "buffer"}
    assert deeper.count() - model.count() == sum(
        size for path, size in more.items() if path.startswith(f"layers[{kind}]."))


def test_fewer_layers_than_none_are_refused() -> None:
    with pytest.raises(SymparamError) as error:
        load("deepseek-v3", L=2).count()
    assert "L_sparse = -1: must be at least 0" in message(error.value)


def test_all_layers_slide_but_one_of_each_period() -> None:
    """By a sieve over the numbers of layers; one of one is none, and less is no period."""
    for period, depth, offset in product(range(1, 8), range(1, 15), (0, 1)):
        config: Any = SimpleNamespace(data={"every": period})
        full = set(range(-offset % period, depth, period))
        found = set(all_but_every(3, offset, "every")(config, depth))
        assert found == set(range(depth)) - full
        assert set(all_but_every(period, offset)(config, depth)) == found
    for wrong in (0, -1, True, 2.0, "2", None):
        bad: Any = SimpleNamespace(data={"every": wrong},
                                   error=lambda key, text: SpecError("x", key, text))
        with pytest.raises(SpecError, match="a number of layers"):
            all_but_every(3, 1, "every")(bad, 9)


@pytest.mark.parametrize(("cycle", "rule"), [
    ((True, False), "up(L/2)"), ((False, True), "down(L/2)"),
    ((True, True, False), "L - down(L/3)"), ((True, False, False), "up(L/3)")])
def test_a_pattern_is_counted_by_the_fewer_of_both(cycle: tuple[bool, ...], rule: str) -> None:
    assert str(Pattern((), cycle).rule("L")) == rule
