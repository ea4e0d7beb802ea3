"""Heads that a width splits into, and what is aligned to what."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam.align import alignment_checks, head_configurations
from symparam.cli.main import run
from symparam.descriptions.catalogue import published
from symparam.errors import BadValue
from symparam.solve.requests.request import Wishes
from symparam.solve.solver import solve
from tests.helpers import together
from tests.strategies import quick
from tests.test_json import valid


@together(("width", "splits"), [
    (768, [(24, 32), (16, 48), (12, 64), (8, 96), (6, 128), (4, 192), (3, 256)]),
    (1024, [(32, 32), (16, 64), (8, 128), (4, 256)]),
    (2048, [(64, 32), (32, 64), (16, 128), (8, 256)]),
    (4096, [(128, 32), (64, 64), (32, 128), (16, 256)]),
    (1021, []),
])
def test_splits_of_known_widths(width: int, splits: list[tuple[int, int]]) -> None:
    assert head_configurations(width) == splits


@quick
@given(st.integers(1, 3000), st.integers(1, 80), st.integers(0, 300))
def test_splits_are_all_that_there_are(width: int, low: int, more: int) -> None:
    high = low + more
    brute = [(width // d, d) for d in range(low, high + 1) if width % d == 0]
    assert head_configurations(width, low, high) == brute


def test_a_large_width_takes_no_time() -> None:
    assert (10**12 // 250, 250) in head_configurations(10**12)


def test_llama_7b_passes_everything() -> None:
    checks = alignment_checks({"d_model": 4096, "n_heads": 32, "d_ff": 11008, "V": 32000,
                               "n_kv": 32})
    assert all(check.passed for check in checks)
    assert len(checks) == 2 * 5 + 4 + 6 + 2 + 2


def test_gpt2_xl_fails_the_best_multiples_and_the_heads() -> None:
    failed = {c.name: c.detail for c in alignment_checks(
        {"d_model": 1600, "n_heads": 25, "d_ff": 6400}) if c.passed is False}
    assert failed == {"d_model multiple of 128 (best)": "1600 = 12·128 + 64",
                      "d_model multiple of 256 (bandwidth)": "1600 = 6·256 + 64",
                      "d_model in quantisation groups of 32, 128 and 256":
                          "1600 = 12·128 + 64 (GPTQ and AWQ); 1600 = 6·256 + 64 (GGUF k-quants)",
                      "d_head multiple of 128 (best)": "64 = 0·128 + 64",
                      "n_heads multiple of 8 (8-way tensor parallelism)": "25 = 3·8 + 1"}


def test_only_what_is_given_is_looked_at() -> None:
    assert alignment_checks({}) == []
    assert {c.name.split()[0] for c in alignment_checks({"d_ff": 1536})} == {"d_ff"}
    assert [c.passed for c in alignment_checks({"V": 50257})] == [False, False]


def test_heads_that_do_not_split_the_width() -> None:
    bad = {c.name: c.passed for c in alignment_checks({"d_model": 640, "n_heads": 3, "n_kv": 2})}
    assert bad["n_heads divides d_model"] is False
    assert bad["n_kv divides n_heads"] is False
    assert not any(name.startswith("d_head") for name in bad)


def test_a_head_width_of_its_own_need_not_split_the_width() -> None:
    checks = {c.name: c for c in alignment_checks({"d_model": 640, "n_heads": 4, "d_head": 256})}
    assert checks["n_heads divides d_model"].passed is None
    assert checks["n_heads divides d_model"].detail == "4·256 = 1024, d_model = 640"
    assert checks["d_head from 64 to 128"].passed is False


def test_latent_attention_has_no_one_head_width(capsys: pytest.CaptureFixture[str]) -> None:
    """The widths of DeepSeek-V3 are looked at, and no d_model/n_heads = 56."""
    assert run(["align", "deepseek-v3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    valid("align", data)
    looked_at = {check["name"].split()[0] for check in data["checks"]}
    assert {"d_nope", "d_rope", "d_v", "d_expert", "d_shared", "n_heads·d_v"} <= looked_at
    assert not {"d_head", "n_heads·d_head"} & looked_at
    assert all(check["value"] != 56 for check in data["checks"])
    assert "n_heads divides d_model" not in {check["name"] for check in data["checks"]}
    assert data["head_configurations"] == []
    by_hand = alignment_checks({"d_model": 7168, "n_heads": 128, "d_rope": 63})
    assert {c.name: c.passed for c in by_hand}["d_rope multiple of 8 (FP16 tensor cores)"] is False
    assert not any("d_head" in c.name for c in by_hand)
    best = solve(published("deepseek-v3"), given={"L_sparse": 58}, limit=1, wishes=Wishes(
        unknown=["d_expert"]), target=671_026_404_352).configurations[0]
    assert {"d_v", "d_expert"} <= {c.name.split()[0] for c in best.checks}
    assert not any("d_head" in c.name for c in best.checks)


def test_an_odd_head_width_fails_rotary_positions() -> None:
    checks = {c.name: c for c in alignment_checks({"d_head": 75})}
    assert checks["d_head multiple of 2 (even, for rotary positions)"].passed is False


@together(("kv", "ranks", "passed"), [
    (8, 8, True), (2, 8, True), (1, 8, True), (16, 8, True), (6, 8, False), (4, 6, False)])
def test_key_value_heads_go_over_devices(kv: int, ranks: int, passed: bool) -> None:
    checks = {c.name: c.passed for c in alignment_checks({"n_heads": 48, "n_kv": kv}, ranks)}
    assert checks[f"n_kv and {ranks} ranks: one divides the other"] is passed
    assert checks[f"n_heads multiple of {ranks} ({ranks}-way tensor parallelism)"] is True


def test_what_is_summed_over_comes_in_groups() -> None:
    checks = {c.name: c for c in alignment_checks({
        "d_model": 2048, "n_heads": 24, "d_head": 100, "d_ff": 11008, "d_expert": 1408})}
    even = {name.split()[0]: c.passed for name, c in checks.items() if "groups" in name}
    assert even == {"d_model": True, "d_ff": True, "d_expert": False, "n_heads·d_head": False}


@together("call", [
    lambda: alignment_checks({"n_heads": 8}, 0), lambda: head_configurations(0),
    lambda: head_configurations(768, 0, 64),
    lambda: head_configurations(768, 65, 64), lambda: alignment_checks({"d_ff": -8})])
def test_impossible_numbers_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadValue):
        call()


def test_it_needs_no_sympy() -> None:
    code = "import sys, symparam.align; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
