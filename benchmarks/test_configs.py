"""Configurations counted in one process: a deep mixture against GPT-2, and many at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from symparam.descriptions.config import read_config
from symparam.errors import SymparamError
from symparam.quantities import parameters
from symparam.resolve import numbers
from tests.helpers import truth

RECORDS = {record["id"]: record["config"] for record in truth()}
CASES = {"gpt2": ["hf-causal-gpt2"], "deepseek-v3, 61 layers": ["hf-causal-deepseek_v3"],
         f"all {len(RECORDS)} configurations": list(RECORDS)}


def count(names: Iterable[str]) -> int:
    """The total of every configuration that is understood, tensors listed as well."""
    total = 0
    for name in names:
        try:
            model = read_config(name, RECORDS[name], name)
        except SymparamError:
            continue
        ledger = model.ledger(numbers(model).values)
        model.layout.tensors(ledger)
        total += parameters.total(ledger)
    return total


@pytest.mark.benchmark(group="configurations")
@pytest.mark.parametrize("case", CASES)
def test_configurations(case: str, benchmark: Any) -> None:
    """From the keys of a configuration to its total and its tensors."""
    rounds = 3 if len(CASES[case]) > 1 else 50
    assert benchmark.pedantic(count, (CASES[case],), rounds=rounds, warmup_rounds=1) > 0
