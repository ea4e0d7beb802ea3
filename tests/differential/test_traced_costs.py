"""Products, caches and active parameters that traces find are those of the families by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest

from symparam import expression as ex
from symparam.traced.known import unset
from symparam.traced.model import model_of
from symparam.traced.records import Trace, Work
from symparam.tracing.sources.configurations import from_config
from symparam.tracing.sources.target import Target
from symparam.tracing.working.calls import called, sizes_of_call
from tests.differential.draw import Config
from tests.differential.drawn import drawn
from tests.differential.traced_costs import DENSE, MIXTURES, differences, traced
from tests.differential.traced_families import _builds

pytest.importorskip("transformers")
pytestmark = pytest.mark.differential


@cache
def found(model_type: str) -> tuple[Config, Trace, Work]:
    """A configuration, its trace, and what forward passes showed."""
    config, trace = traced(model_type)
    assert trace.work is not None
    return config, trace, trace.work


@pytest.mark.parametrize("model_type", DENSE + MIXTURES)
def test_costs_of_a_trace_are_those_of_the_family(model_type: str) -> None:
    config, trace, work = found(model_type)
    model = model_of(trace)
    assert work.unset == "", work.unset
    assert unset(trace, ((s.prefix, slot.component) for s, slot in model.slots())) == ""
    compared, wrong = differences(config, trace)
    assert compared > 15
    assert wrong == []


@pytest.mark.parametrize("model_type", ["bert", "t5", *DENSE, *MIXTURES])
def test_what_is_recorded_of_a_pass_is_what_torch_counts(model_type: str) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    target = target_of(model_type)
    values = {**target.base, **sizes_of_call(target.build(target.base))[1]}
    with FlopCounterMode(display=False) as counter:
        table = called(target, {}, False).table(values)
    made = [2 * math.prod(t.shape) for t in table.values() if t.module in {"weight", "product"}]
    assert sum(made) == counter.get_total_flops() > 0


def target_of(model_type: str) -> Target:
    """A drawn configuration as a target."""
    config = next(c for c in (drawn(model_type, f"pass {n}") for n in range(20)) if _builds(c))
    return from_config(config, {}, model_type)


def _changed(work: Work, kind: str) -> Work:
    """A product of which one factor is another, or a state less."""
    rows = list(work.rows)
    place = next(i for i, row in enumerate(rows) if row.kind == kind)
    if kind == "state":
        del rows[place]
    else:
        shape = rows[place].shape
        rows[place] = replace(rows[place], shape=(*shape[:-1], ex.product_of(ex.Num(2), shape[-1])))
    return replace(work, rows=tuple(rows))


@pytest.mark.parametrize("kind", ["weight", "product", "state"])
def test_a_wrong_product_and_a_missing_state_are_noticed(kind: str) -> None:
    config, trace, work = found("llama")
    assert differences(config, replace(trace, work=_changed(work, kind)))[1]
