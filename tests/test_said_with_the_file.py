"""Rules of a description that give no number: said with the file that states them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import symparam as sp
from symparam.errors import BadValue
from tests.helpers import together

BLOCK = {"attention": "gqa", "ffn": "mlp", "norm": "rmsnorm"}
DIMS = {"V": 100, "L": 2, "d_model": 2048, "n_heads": 4}
KINDS = [{"name": "a", "layers": 8, **BLOCK}, {"name": "b", "layers": "L - 8", **BLOCK}]


@together(("dims", "blocks", "said"), [
    ({"n_kv": "d_ff", "d_ff": "n_kv"}, [BLOCK],
     "n_kv = d_ff; d_ff = n_kv: the rules go round in a circle: give one of them as a number"),
    ({"n_kv": 2, "d_ff": "8/3*d_model"}, [BLOCK],
     "d_ff = 8/3*d_model = 16384/3: not a whole number"),
    ({"n_kv": 2, "d_ff": 8}, KINDS, "L_b = -6: must be at least 0")])
def test_a_rule_without_a_number_is_said_with_the_file_that_states_it(
        dims: dict[str, Any], blocks: list[Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"dims": {**DIMS, **dims}, "blocks": blocks}), encoding="utf-8")
    with pytest.raises(BadValue) as found:
        sp.load(str(path)).count()
    assert found.value.where == str(path)
    assert str(found.value).startswith(f"{path}: {said}")


def test_a_rule_that_was_given_beside_the_file_is_said_without_it(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"dims": {**DIMS, "n_kv": 2, "d_ff": 8}, "blocks": [BLOCK]}),
                    encoding="utf-8")
    for given, said in ({"d_ff": "8/3*d_model"}, "d_ff = 8/3"), (
            {"d_ff": "n_kv", "n_kv": "d_ff"}, "n_kv = d_ff; d_ff = n_kv: the rules"):
        with pytest.raises(BadValue, match=f"^{re.escape(said)}") as found:
            sp.load(str(path)).count(**given)
        assert not found.value.where


def test_a_rule_of_a_file_that_gives_no_number_may_be_put_right_by_one(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"dims": {**DIMS, "n_kv": 2, "d_ff": "8/3*d_model"},
                                "blocks": [BLOCK]}), encoding="utf-8")
    assert sp.load(str(path)).count(d_ff=5632) > 0
