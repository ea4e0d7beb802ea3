"""Sweeps against a plain loop over their points; no number wraps; a killed sweep goes on."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from symparam import expression as ex
from symparam.api import decoder, load
from symparam.cli.main import run
from symparam.documents.sweep import SweepView
from symparam.errors import (
    BadValue,
    ConstraintViolated,
    Contradiction,
    MissingDims,
    NotDerivable,
    OutputError,
    SymparamError,
    UnknownName,
)
from symparam.plot.grids import over
from symparam.polynomial import Polynomial
from symparam.quantities import everything
from symparam.quantities.formats import FORMATS
from symparam.quantities.setting import Setting
from symparam.resolve import with_overrides
from symparam.sweep.compiled import Compiled, compiled
from symparam.sweep.dims import _ends
from symparam.sweep.factored import ALL_ORDERS
from symparam.sweep.formats import ENCODERS
from symparam.sweep.grid import Grid
from symparam.sweep.parsing import parted
from symparam.sweep.sweep import Sweep, sweep
from symparam.sweep.write import _journal, _State, left_behind, stream, write
from tests.helpers import message, together
from tests.oracle import decoder as oracle
from tests.strategies import SEED, Arch, Dims, decoders, quick, switched

SCHEMA = Draft202012Validator(json.loads(
    (Path(__file__).parent.parent / "docs/schema/sweep.schema.json").read_text(encoding="utf-8")))
few = settings(quick, max_examples=25)


def rows(found: Sweep) -> dict[tuple[int, ...], dict[str, Any]]:
    """Each point of a sweep, by the values of its axes."""
    columns = {name: array.tolist() for name, array in found.arrays().items()}
    axes = list(found.grid.values)
    return {tuple(columns[name][i] for name in axes): {n: c[i] for n, c in columns.items()}
            for i in range(len(columns[axes[0]]))}


# --- the numbers ------------------------------------------------------------------------------

@few
@given(decoders(), st.sets(st.sampled_from(["V", "L", "d_model", "d_ff", "n_ctx"]), min_size=1,
                           max_size=3), st.integers(1, 9), st.data())
def test_a_sweep_is_a_loop_over_its_points(case: tuple[Arch, Dims], free: set[str], block: int,
                                           data: st.DataObject) -> None:
    arch, everything = case
    model = decoder(**arch, **switched(arch, everything))
    dims = {name: value for name, value in everything.items() if name in model.dims}
    names = sorted(free & set(dims))
    assume(names)
    axes = {name: data.draw(st.lists(st.integers(1, 50), min_size=1, max_size=3, unique=True))
            for name in names}
    found = rows(sweep(with_overrides(model, dims), axes, ["P"], block=block))
    wanted = {point: oracle.total(arch, {**everything, **dict(zip(names, point, strict=True))})
              for point in product(*(sorted(axes[name]) for name in names))}
    assert {point: row["P"] for point, row in found.items()} == wanted


def test_so_is_one_over_more_axes_than_are_tried_in_every_order() -> None:
    draw = random.Random(SEED)
    arch: Arch = {"attention": "gqa", "ffn": "moe", "bias": ("qkv", "attn-out")}
    dims = {"n_heads": 4, "n_kv": 2, "top_k": 2}
    axes = {name: sorted(draw.sample(range(2, 60, 2), draw.randint(1, 3)))
            for name in ("V", "L", "d_model", "d_head", "n_experts", "d_expert")}
    assert len(axes) > ALL_ORDERS
    found = rows(sweep(decoder(**arch, **dims), axes, ["P"], block=draw.randint(1, 300)))
    assert {point: row["P"] for point, row in found.items()} == {
        point: oracle.total(arch, dims | dict(zip(axes, point, strict=True)))
        for point in product(*axes.values())}


#: Models with rules, windows, latents, experts, recurrent layers and encoders.
GRIDS: tuple[tuple[str, dict[str, list[int]]], ...] = (
    ("gpt2", {"d_model": [384, 768, 1000], "L": [6, 12], "s": [100, 1024]}),
    ("mistral-7b", {"s": [1000, 4096, 5000], "n_kv": [4, 5, 8]}),
    ("gemma-3-1b", {"s": [100, 512, 9000], "L": [26, 30]}),
    ("deepseek-v3", {"L": [40, 61], "s": [128, 4096]}),
    ("mixtral-8x7b", {"n_experts": [8, 16], "top_k": [1, 2, 9], "b": [1, 3]}),
    ("mamba-130m", {"L": [12, 24], "s": [1, 300]}),
    ("t5-small", {"d_model": [512, 640], "s": [64, 128], "s_encoder": [100]}),
)


@pytest.mark.parametrize(("name", "axes"), [
    pytest.param(name, axes, id=name, marks=() if name in {"mistral-7b", "deepseek-v3"} else
                 pytest.mark.slow) for name, axes in GRIDS])
def test_every_quantity_is_what_it_is_at_each_point(name: str, axes: dict[str, list[int]]) -> None:
    """The two ways to a number: over one point, and compiled over names."""
    model = load(name)
    wanted: dict[str, dict[tuple[int, ...], Any]] = {}
    for quantity in everything():
        try:
            found = rows(sweep(model, axes, [quantity], block=5))
        except (BadValue, NotDerivable):  # the model has no such quantity: nor has it at a point
            with pytest.raises(SymparamError):
                at(model, quantity, {n: v[0] for n, v in axes.items()})
            continue
        for point in product(*(sorted(values) for values in axes.values())):
            here = dict(zip(axes, point, strict=True))
            try:
                value = at(model, quantity, here)
            except SymparamError:
                assert point not in found
                continue
            assert found[point][quantity] == value, (quantity, here)
            wanted.setdefault(quantity, {})[point] = value
    assert {"P", "kv_cache", "flops", "training_memory_16"} <= set(wanted)


def at(model: Any, quantity: str, here: Mapping[str, int]) -> Any:
    """A quantity at one point, by the way that takes one point."""
    if quantity == "memory":
        return model.quantity("weights", **here) + model.quantity("kv_cache", **here)
    return model.quantity(quantity, **here)


def test_rules_follow_and_what_does_not_come_out_whole_is_left_out() -> None:
    model = decoder(V=100, L=2, d_ff="8/3*d_model, up to 64", n_heads=4)
    found = sweep(model, {"d_model": range(64, 80)})
    kept = rows(found)
    assert sorted(kept) == [(64,), (72,)]  # heads split the width, and rotary halves them
    assert kept[72,] == {"d_model": 72, "d_ff": 192, "d_head": 18, "P": decoder(
        V=100, L=2, n_heads=4, d_ff=192).count(d_model=72)}
    block, = found.blocks()
    assert sum(block.skipped.values()) == 14
    assert any("d_head = d_model/n_heads" in why for why in block.skipped)


def test_marked_points_stay_and_say_why() -> None:
    found = sweep(load("llama-2-7b"), {"n_kv": [3, 8]}, invalid="mark").arrays()
    assert found["P"].tolist() == [None, 5933109248]
    assert found["invalid"][0].startswith("n_kv divides n_heads")
    assert found["invalid"][1] == ""


def test_a_number_against_a_definition_is_left_out() -> None:
    model = decoder(V=100, L=2, d_model=64, n_heads=4, d_ff=99)
    assert list(rows(sweep(model, {"n_kv": [1, 2, 4]}))) == [(4,)]


def test_more_layers_with_a_window_than_there_are() -> None:
    assert "L_window" in load("gemma-3-1b").dims_at_work
    found = sweep(load("gemma-3-1b"), {"L_window": [22, 26, 27]}, ["kv_cache"])
    assert sorted(rows(found)) == [(22,), (26,)]


def test_the_compute_of_a_mixture_grows_with_the_experts_in_use() -> None:
    found = rows(sweep(load("mixtral-8x7b"), {"top_k": [1, 2]}, ["P", "active", "optimal_compute"]))
    for row in found.values():
        assert row["optimal_compute"] == 120 * row["P"] * row["active"]
    assert found[1,]["optimal_compute"] < found[2,]["optimal_compute"]


# --- 64 bits ----------------------------------------------------------------------------------

@few
@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=4, unique=True),
       st.lists(st.integers(1, 10**12), min_size=1, max_size=3, unique=True))
def test_no_number_wraps(widths: list[int], words: list[int]) -> None:
    model = decoder(positions="none", attention="mqa", L=3, n_heads=5, d_head=7, d_ff=11)
    found = sweep(model, {"d_model": widths, "V": words}, ["P", "optimal_compute"], block=2)
    for (width, vocabulary), row in rows(found).items():
        count = oracle.total({"positions": "none", "attention": "mqa"}, {
            "V": vocabulary, "d_model": width, "L": 3, "n_heads": 5, "n_kv": 1, "d_head": 7,
            "d_ff": 11})
        assert (row["P"], row["optimal_compute"]) == (count, 120 * count**2)
    kinds = {column.name: column.kind for column in found.columns}
    assert kinds["P"] == "integer" or max(r["P"] for r in rows(found).values()) < 2**63


def test_without_the_bound_it_would_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: 64 bits alone give another number."""
    monkeypatch.setattr(Compiled, "most", lambda *_: 1)
    model = decoder(positions="none", attention="mqa", L=3, n_heads=5, d_head=7, d_ff=11)
    found = sweep(model, {"d_model": [10**12], "V": [10**12]}).arrays()["P"]
    with np.errstate(all="ignore"):
        assert found[0] != model.count(d_model=10**12, V=10**12)


def test_fractions_stay_fractions() -> None:
    setting = Setting(cache=FORMATS["int4"])
    model = decoder(attention="mqa", V=10, d_model=8, n_heads=1, d_head=1, d_ff=8, L=1,
                    positions="none")
    found = sweep(model, {"s": [1, 2, 3], "n_kv": [1]}, ["kv_cache"], setting=setting)
    assert found.arrays()["kv_cache"].tolist() == [1, 2, 3]
    assert found.columns[-1].kind == "int64"  # two times a half
    third = sweep(load("mistral-7b"), {"s": [4999, 8192]}, ["train_causal"]).arrays()
    assert third["train_causal"].tolist() == [load("mistral-7b").quantity(
        "train_causal", s=s) for s in (4999, 8192)]
    assert isinstance(third["train_causal"][0], Fraction)


def test_a_compiled_quantity_is_called_with_any_numbers() -> None:
    count = compiled(load("llama-2-7b"), "P", open_dims=["L", "d_ff"])
    assert isinstance(count, Compiled)
    assert isinstance(count.polynomial, Polynomial)
    assert count(L=32, d_ff=11008) == 6738415616
    assert count(L=np.array([[16], [32]]), d_ff=np.array([11008])).tolist() == [
        [3500281856], [6738415616]]
    assert count(L=10**12, d_ff=np.array([10**12])).dtype == object
    with pytest.raises(MissingDims):
        count(L=32)


# --- the grid ---------------------------------------------------------------------------------

@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 40))
@settings(quick, max_examples=60)
def test_boxes_are_the_points_in_order(sizes: list[int], block: int) -> None:
    grid = Grid({str(i): np.arange(size) for i, size in enumerate(sizes)}, block)
    boxes = list(grid.each())
    seen = [point for box in boxes for point in product(*(range(*ends) for ends in box))]
    assert seen == list(product(*map(range, sizes)))
    assert all(np.prod([b - a for a, b in box]) <= block for box in boxes)
    assert len(boxes) == grid.boxes
    assert list(grid.each(len(boxes) // 2)) == boxes[len(boxes) // 2:]


@together(("words", "error"), [
    (["L=1:2:3:4"], BadValue), (["L=4:1"], BadValue),
    (["L=1,2", "L=3,4"], Contradiction), (["nope=1,2"], UnknownName),
    (["L=1:100000000"], BadValue), (["L=1,x"], SymparamError), (["L=1.5,2"], BadValue)])
def test_axes_that_are_none(words: list[str], error: type[SymparamError]) -> None:
    with pytest.raises(error) as caught:
        parted(words)
    message(caught.value)


@together("word", ["L=-1,2", "L=0,2", "L=-1:3", "L=0:3", "L=-4:4:2", "b=-1,2"])
def test_the_least_that_an_axis_may_be_is_that_of_its_dim(
        word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "gpt2", word, "--quantity", "kv_cache"]) == 2
    first = re.split("[,:]", word)[0].replace("=", " = ")
    assert f"{first}: must be at least 1" in capsys.readouterr().err


def test_a_range_is_never_listed() -> None:
    """Of 10^14 points it is said that they are too many, and the first are worked out."""
    tracemalloc.start()
    model = load("llama-2-7b")
    axes = parted(["L=1:10000000", "V=2:10000001"])[1]
    large = sweep(model, axes)
    with pytest.raises(BadValue, match="100,000,000,000,000 points"):
        SweepView(large).document()
    assert next(large.blocks()).columns[2][0] == model.count(L=1, V=2)
    with pytest.raises(BadValue, match="more than a picture shows"):
        over(model, {"L": axes["L"]}, {}, "P", None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * 2**20


def test_a_range_is_what_its_list_is() -> None:
    model, steps = load("llama-2-7b"), range(3, 300_000, 2)
    ranged, listed = (sweep(model, {"L": axis}) for axis in (steps[::-1], list(steps)))
    assert ranged.fingerprint == listed.fingerprint
    assert np.array_equal(ranged.arrays()["P"], listed.arrays()["P"])
    for wrong in (range(0), range(3), range(1, 2 * 10**12, 10**12)):
        with pytest.raises(BadValue):
            sweep(model, {"L": wrong})


def test_what_cannot_be_swept_is_said_before() -> None:
    model = load("llama-2-7b")
    with pytest.raises(BadValue, match="at least 1"):
        sweep(model, parted(["L=0:3"])[1])
    with pytest.raises(UnknownName):
        sweep(model, {"L": [1]}, ["nope"])
    with pytest.raises(BadValue):
        sweep(model, {"L": [1]}, ["P", "P"])
    with pytest.raises(BadValue):
        sweep(model, {"L": [0, 1]})
    with pytest.raises(NotDerivable):
        sweep(model, {"L": [1]}, ["active"])
    with pytest.raises(MissingDims):
        sweep(decoder(), {"L": [1]})
    with pytest.raises(ConstraintViolated):
        sweep(with_overrides(model, {"n_kv": 5}), {"L": [1]})


# --- files ------------------------------------------------------------------------------------

LINE = "sweep llama-2-7b L=16,32 n_kv=5,8,32 --quantity P,kv_cache s=4096 --dtype int4"


def test_csv(capsys: pytest.CaptureFixture[str], golden: Any) -> None:
    assert run([*LINE.split(), "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    golden("sweep-llama-2-7b.csv", out)
    table = list(csv.DictReader(io.StringIO(out)))
    assert [int(row["P"]) for row in table] == [
        load("llama-2-7b").count(L=int(r["L"]), n_kv=int(r["n_kv"])) for r in table]
    assert "2 points left out, where this does not hold: n_kv divides n_heads" in err


def test_json_lines_and_json_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*LINE.split(), "--format", "jsonl", "--invalid", "mark"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert run([*LINE.split(), "--json", "--invalid", "mark"]) == 0
    whole = json.loads(capsys.readouterr().out)
    names = [column["name"] for column in whole["columns"]]
    assert lines == [dict(zip(names, row, strict=True)) for row in whole["rows"]]
    assert [row["P"] is None for row in lines] == [True, False, False] * 2


@pytest.mark.parametrize("line", [LINE, LINE + " --invalid mark", "sweep mistral-7b s=4999,8192 "
                                  "--quantity train_causal,P b=2", "sweep gpt2 d_model=700:800:9"])
def test_json_meets_its_schema(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    run([*line.split(), "--json"])
    data = json.loads(capsys.readouterr().out)
    assert [e.message for e in SCHEMA.iter_errors(data)] == []
    assert SCHEMA.is_valid({**data, "more": 1}) is False
    for key in data:
        assert SCHEMA.is_valid({k: v for k, v in data.items() if k != key}) is False
    assert data["points"] == len(data["rows"]) + sum(data["skipped"].values())
    assert {len(row) for row in data["rows"]} <= {len(data["columns"])}


def test_text(capsys: pytest.CaptureFixture[str], golden: Any) -> None:
    assert run(LINE.split()) == 0
    out = capsys.readouterr().out
    golden("sweep-llama-2-7b.txt", out)
    assert max(map(len, out.splitlines())) <= 80


def test_no_point_is_the_answer_no(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["sweep", "llama-2-7b", "n_kv=5,7"]) == 1
    assert run(["sweep", "llama-2-7b", "n_kv=5,7", "-o", str(tmp_path / "x.csv")]) == 1
    assert "2 points" in capsys.readouterr().out


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    model = decoder(positions="none", attention="mqa", L=3, n_heads=5, d_head=7, d_ff=11)
    found = sweep(model, {"d_model": [3, 10**11], "V": [10, 10**12]},
                  ["P", "optimal_compute", "train_causal"], block=2)
    write(found, tmp_path / "x.parquet", "parquet")
    table = parquet.read_table(tmp_path / "x.parquet").to_pydict()
    arrays = found.arrays()
    assert [int(x) for x in table["P"]] == [int(x) for x in arrays["P"]]
    assert [int(x) for x in table["optimal_compute"]] == arrays["optimal_compute"].tolist()
    assert [str(c) for c in table["train_causal"]] == [str(x) for x in arrays["train_causal"]]
    assert not left_behind(tmp_path / "x.parquet")


def test_without_pyarrow_a_line_says_what_to_install(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert run(["sweep", "gpt2", "L=1,2", "-o", str(tmp_path / "x.parquet")]) == 2
    assert "pip install 'symparam[parquet]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def small(block: int = 7) -> Sweep:
    """A sweep of many blocks."""
    return sweep(load("gpt2"), {"L": range(1, 11), "d_model": range(12, 300, 12)}, block=block)


@pytest.mark.parametrize("kind", ENCODERS)
def test_what_an_earlier_run_left_is_gone_on_with(kind: str, tmp_path: Path,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    """At every block a run breaks down, and bytes that nobody vouched for lie behind the good."""
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.setattr("symparam.sweep.write.PAUSE", 0.0)
    monkeypatch.setattr("os.fsync", lambda _: None)
    whole, path = tmp_path / f"whole.{kind}", tmp_path / f"out.{kind}"
    write(small(), whole, kind)
    stops = iter([0.05, 0.2, 0.2, 0.6, 0.96])

    def breaks(limit: float) -> Any:
        def progress(share: float) -> None:
            if share >= limit:
                raise KeyboardInterrupt
        return progress

    for limit in stops:
        with pytest.raises(KeyboardInterrupt):
            write(small(), path, kind, progress=breaks(limit))
        assert not path.exists()
        partial = tmp_path / f".out.{kind}.sweep" / "rows"
        partial.write_bytes(partial.read_bytes() + b"half a li")
    written = write(small(), path, kind)
    assert 0 < written.resumed <= 1
    assert path.read_bytes() == whole.read_bytes()
    assert not left_behind(path)


def test_files_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write(small(), path, "csv")
    with pytest.raises(OutputError, match="--force"):
        write(small(), path, "csv")
    write(small(), path, "csv", force=True)
    with pytest.raises(OutputError, match="folder"):
        write(small(), tmp_path, "csv")
    with pytest.raises(OutputError, match="cannot write"):
        write(small(), tmp_path / "no" / "x.csv", "csv")
    with pytest.raises(OutputError, match="-o"):
        stream(small(), "parquet", io.BytesIO().write)


def test_another_sweep_that_is_half_written_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(small(), path, "csv", progress=stop)
    other = sweep(load("gpt2"), {"L": [1, 2]}, ["trainable"])
    assert other.fingerprint != small().fingerprint
    with pytest.raises(OutputError, match="another sweep"):
        write(other, path, "csv")
    write(other, path, "csv", force=True)
    assert path.read_text().splitlines()[0] == "L,trainable"


def stopped(path: Path, at: float = 0.0) -> Path:
    """The folder that a sweep leaves which broke down after a share of its blocks."""
    def stop(share: float) -> None:
        if share >= at:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symparam.sweep.write.PAUSE", 0.0)
        with pytest.raises(KeyboardInterrupt):
            write(small(), path, "csv", progress=stop)
    folder = left_behind(path)
    assert folder is not None
    return folder


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    folder = stopped(tmp_path / "x.csv")
    with (folder / "lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match="another process"):
            write(small(), tmp_path / "x.csv", "csv")
    write(small(), tmp_path / "x.csv", "csv")


def rewritten(journal: Path, **changes: Any) -> bytes:
    """A journal with other values, its sum made to fit."""
    state = _State(**{k: v for k, v in json.loads(journal.read_bytes()).items() if k != "sum"})
    return _journal(dataclasses.replace(state, **changes))


LIES: dict[str, Any] = {
    "block": [-1, 99999, "3", None, 3.0, True, 4], "bytes": [3, 10**6, -5, "3", [], 1.5],
    "rows": [-1, 10**9, "1", None], "skipped": [[], None, {"x": -1}, {"x": "1"}, {"x": 10**9}],
    "digest": ["", 3, "0" * 64], "of": ["", None, 3]}


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("key", "value"), [(k, v) for k, vs in LIES.items() for v in vs],
                         ids=repr)
def test_a_journal_that_lies_is_refused_and_nothing_touched(
        key: str, value: Any, tmp_path: Path) -> None:
    """Each with a sum that fits, but for a block that could be: that one's sum gives it away."""
    path = tmp_path / "x.csv"
    folder = stopped(path, 0.5)
    journal, rows = folder / "journal", folder / "rows"
    if (key, value) == ("block", 4):
        journal.write_bytes(journal.read_bytes().replace(b'"block": ', b'"block": 1'))
    else:
        journal.write_bytes(rewritten(journal, **{key: value}))
    before = journal.read_bytes(), rows.read_bytes()
    with pytest.raises(OutputError, match="--force begins anew"):
        write(small(), path, "csv")
    assert (journal.read_bytes(), rows.read_bytes()) == before
    assert not path.exists()
    write(small(), path, "csv", force=True)
    assert len(path.read_text().splitlines()) == 1 + 24 * 10
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"null", b'{"of": 3, "more": 1}', b"\xff",
                                 b"[" * 10**5, b'{"sum": ""}', b" " * (2**20 + 1)],
                         ids=lambda raw: repr(raw[:9]))
def test_a_journal_that_is_none_is_refused(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    journal = stopped(path) / "journal"
    journal.write_bytes(raw)
    with pytest.raises(OutputError, match="--force begins anew"):
        write(small(), path, "csv")
    assert journal.read_bytes() == raw


@pytest.mark.parametrize("name", ["journal", "rows"])
def test_a_folder_in_place_of_a_file_is_named_and_stays(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    folder = stopped(path)
    (folder / name).unlink()
    (folder / name).mkdir()
    with pytest.raises(OutputError, match=f"{name} is not what a sweep leaves: remove "):
        write(small(), path, "csv", force=True)
    assert (folder / name).is_dir()


def test_rows_that_were_changed_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = stopped(path, 0.5) / "rows"
    rows.write_bytes(rows.read_bytes().replace(b"2", b"3", 1))
    with pytest.raises(OutputError, match="does not fit to the rows"):
        write(small(), path, "csv")


@pytest.mark.parametrize("what", ["link", "file", "open folder", "pipe", "dangling link"])
def test_what_is_no_folder_of_a_sweep_is_not_written_in(what: str, tmp_path: Path) -> None:
    """Planted by another user in a folder that both can write in, or the user's own."""
    path, victim = tmp_path / "x.csv", tmp_path / "victim"
    planted = tmp_path / ".x.csv.sweep"
    victim.mkdir()
    (victim / "rows").write_text("kept")
    match what:
        case "link":
            planted.symlink_to(victim)
        case "dangling link":
            planted.symlink_to(tmp_path / "none")
        case "file":
            planted.write_text("the user's own")
        case "pipe":
            os.mkfifo(planted)
        case _:
            planted.mkdir()
            planted.chmod(0o777)
    state = planted.lstat()
    for force in (False, True):
        with pytest.raises(OutputError, match="not what a sweep leaves"):
            write(small(), path, "csv", force=force)
    assert not path.exists()
    assert planted.lstat() == state or what == "link"
    assert [each.read_text() for each in victim.iterdir()] == ["kept"]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["rows", "journal", "journal.new", "lock", "done"])
@pytest.mark.parametrize("how", ["symlink", "hard link", "pipe"])
def test_no_link_inside_the_folder_is_written_through(
        how: str, name: str, tmp_path: Path) -> None:
    """An archive that somebody else packed may hold any of them."""
    path, victim = tmp_path / "x.csv", tmp_path / "victim"
    victim.write_text("kept")
    folder = stopped(path, 0.5)
    planted = folder / name
    planted.unlink(missing_ok=True)
    if how == "pipe":
        os.mkfifo(planted)
    elif how == "symlink":
        planted.symlink_to(victim)
    else:
        planted.hardlink_to(victim)
    for force in (False, True):
        with contextlib.suppress(OutputError):
            write(small(), path, "csv", force=force)
        assert victim.read_text() == "kept"
        assert not path.exists() or len(path.read_text().splitlines()) == 1 + 24 * 10


def test_a_link_in_the_place_of_the_lock_is_named(tmp_path: Path) -> None:
    folder = tmp_path / ".x.csv.sweep"
    folder.mkdir(mode=0o700)
    (folder / "lock").symlink_to(tmp_path / "none")
    with pytest.raises(OutputError, match="lock is not what a sweep leaves"):
        write(small(), tmp_path / "x.csv", "csv")


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"

    def appear(share: float) -> None:
        if share == 1:
            path.write_text("somebody's")

    with pytest.raises(OutputError, match="exists"):
        write(small(), path, "csv", progress=appear)
    assert path.read_text() == "somebody's"


def kill_and_resume(folder: Path, kind: str, times: int, seed: int) -> tuple[int, int]:
    """Kill a sweep at random moments after it has begun to write, then let it go on to its end.

    Returns:
        How often it was killed, and how often it began with what a killed one had left.
    """
    whole, path = folder / f"whole.{kind}", folder / f"out.{kind}"
    start = time.monotonic()
    quickly(whole, kind)
    usual, chance = time.monotonic() - start, random.Random(seed)
    killed = resumed = 0
    while not path.exists():
        resumed += left_behind(path) is not None
        process = multiprocessing.get_context("fork").Process(
            target=quickly, args=(path, kind))
        process.start()
        if killed < times:
            while process.is_alive() and not left_behind(path):
                process.join(0.005)
            process.join(chance.uniform(0, usual / 2))
            if process.exitcode is None:
                process.kill()  # no signal that it could answer
                killed += 1
        process.join()
        if path.exists() and killed < times:
            path.unlink()
    assert path.read_bytes() == whole.read_bytes()
    assert not left_behind(path)
    return killed, resumed


def quickly(path: Path, kind: str) -> None:
    """A sweep of a hundred blocks that notes after each how far it is."""
    from symparam.sweep import write as writing

    writing.PAUSE = 0.0
    axes = {"L": range(1, 101), "d_model": range(64, 4097, 64), "n_kv": [1, 3, 8, 32]}
    write(sweep(load("llama-2-7b"), axes, ["P", "kv_per_token"], block=256), path, kind)


def test_killed_and_started_again(tmp_path: Path) -> None:
    killed, resumed = kill_and_resume(tmp_path, "csv", 3, seed=1)
    assert killed == 3
    assert resumed >= 1


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "times"), [("csv", 50), ("jsonl", 10), ("parquet", 10)])
def test_killed_at_random_moments(kind: str, times: int, tmp_path: Path) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    killed, resumed = kill_and_resume(tmp_path, kind, times, seed=2)
    assert killed == times
    assert resumed >= times // 2


# --- Python, and arrays of another kind -------------------------------------------------------

def test_axes_from_python() -> None:
    model = load("llama-2-7b")
    one = model.sweep("P", L="16:32:16", hidden_size=np.array([4096, 2048]), d_head=128)
    assert list(one.grid.values) == ["L", "d_model"]
    assert rows(one)[32, 4096]["P"] == 6738415616
    for wrong in ({"L": [0]}, {"nope": [1]}, {"L": [1.5]}, {"L": []}, {"L": [[1]]},
                  {"L": [1], "num_hidden_layers": [2]}):
        with pytest.raises(SymparamError):
            model.sweep("P", **wrong)


@pytest.mark.slow
def test_dask_arrays_on_a_cluster() -> None:
    """Lazy chunks on worker processes give what the grid gives: 64 bits, wider ones, windows."""
    da = pytest.importorskip("dask.array")
    distributed = pytest.importorskip("dask.distributed")
    cases: list[tuple[str, str, dict[str, list[int]]]] = [
        ("llama-2-7b", "P", {"L": [1, 16, 32], "d_ff": [11008, 5]}),
        ("llama-2-7b", "optimal_compute", {"L": [1, 16, 10**9], "d_ff": [11008, 5]}),
        ("mistral-7b", "kv_cache", {"L": [1, 32], "s": [100, 4096, 9000]})]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None
                                  ) as cluster, distributed.Client(cluster):
        for name, quantity, axes in cases:
            (first, one), (second, two) = axes.items()
            count = compiled(load(name), quantity, open_dims=[first, second])
            grid = {first: da.from_array(np.array(one), chunks=1)[:, None],
                    second: da.from_array(np.array(two), chunks=2)}
            lazy = count(**grid)
            assert isinstance(lazy, da.Array)
            wanted = rows(load(name).sweep(quantity, **axes))
            found = lazy.compute()
            for (i, x), (j, y) in product(enumerate(one), enumerate(two)):
                assert found[i, j] == wanted[x, y][quantity]


@pytest.mark.slow
def test_the_example_on_dask_runs() -> None:
    pytest.importorskip("dask.distributed")
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, str(root / "examples/sweep_on_dask.py")], check=True,
                          capture_output=True, text=True, timeout=300)
    count = load("llama-2-7b").sweep(L=range(8, 108), d_model=range(512, 8704, 64),
                                     d_ff=range(512, 26112, 256), d_head=128).arrays()["P"]
    near = int((abs(count - 7 * 10**9) <= 7 * 10**7).sum())
    assert done.stdout.startswith(f"{near:,} of {count.size:,} configurations")
    assert f"{count.max():,}" in done.stdout


@given(st.lists(st.tuples(st.integers(-3, 6), st.integers(1, 9), st.integers(0, 9)), min_size=3,
                max_size=3), st.integers(-5, 5))
@quick
def test_an_expression_lies_between_the_ends_that_are_worked_out(
        drawn: list[tuple[int, int, int]], more: int) -> None:
    """Of a sum of multiples, a product and a power, all of which symbols reach: exactly between."""
    names = ("x", "y", "z")
    ends = {name: (Fraction(low), Fraction(low + wide)) for name, (_, low, wide) in zip(
        names, drawn, strict=True)}
    a, b, c = (factor for factor, _, _ in drawn)
    x, y, z = map(ex.Sym, names)
    exprs = (a * x + b * y + c * z + more, x * y * z, x**3, ex.Extreme("max", (x, y)), x / y)
    for expr in exprs:
        corners = [ex.evaluate(expr, dict(zip(names, at, strict=True)))
                   for at in product(*(ends[name] for name in names))]
        assert _ends(expr, ends) == (min(corners), max(corners))
