"""Descriptions of very many kinds of layer, or of very many tensors: work grows as they do."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symparam.descriptions.load import load
from symparam.documents.count import count_document
from symparam.documents.count_data import count_model
from symparam.traced.lifted import Given
from tests.helpers import together


def blocks(count: int) -> dict[str, Any]:
    """Kinds of block of one layer each."""
    kinds = [{"name": f"k{i}", "layers": 1, "attention": "mha", "ffn": "mlp", "norm": "rmsnorm"}
             for i in range(count)]
    return {"dims": {"V": 100, "d_model": 64, "n_heads": 4, "d_ff": 128}, "blocks": kinds}


def tensors(count: int) -> dict[str, Any]:
    """Tensors that stand once, each in a part of its own."""
    return {"dims": {"d": 2}, "tensors": [{"pattern": f"a{i}.w", "shape": ["d"]}
                                          for i in range(count)]}


def calls(work: Callable[[], object]) -> int:
    """How many functions of Python are called."""
    made = 0

    def noted(_frame: object, event: str, _argument: object) -> None:
        nonlocal made
        made += event == "call"

    before = sys.getprofile()
    sys.setprofile(noted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.slow
@together("described", [blocks, tensors])
def test_a_count_of_twice_as_many_takes_twice_as_long(
        described: Callable[[int], dict[str, Any]], tmp_path: Path) -> None:
    def counted(count: int) -> int:
        path = tmp_path / f"of_{count}.json"
        path.write_text(json.dumps(described(count)), encoding="utf-8")
        return calls(lambda: count_document(count_model(load(str(path))), False))

    counted(10)  # (what is made once)
    assert counted(160) < 2.3 * counted(80)


def test_names_of_parts_that_are_called_alike_are_given_one_after_the_other() -> None:
    names, alike = Given(["w_2"]), "w"
    assert [names.free(alike) for _ in range(4)] == ["w", "w_3", "w_4", "w_5"]
    assert names.free("w_4") == "w_4_2"
    assert len({names.free(alike) for _ in range(20_000)}) == 20_000
