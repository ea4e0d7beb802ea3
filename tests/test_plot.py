"""Pictures: their numbers are the ledger's, their bytes the same on every run, their text whole."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import symparam
from symparam.api import compare, load
from symparam.cli.main import run
from symparam.errors import BadValue, NotDerivable, OutputError, UnknownName
from symparam.parts import one_part
from symparam.plot.data import AXES, KINDS, OF_MODELS, USUAL, picture
from symparam.plot.labels import spread
from symparam.plot.mermaid import mermaid
from symparam.plot.picture import Picture
from symparam.plot.save import FORMATS, render
from symparam.plot.shares import parts
from symparam.plot.style import COLOURS, FILLS, NARROW
from symparam.quantities.setting import Setting

SCHEMA = Draft202012Validator(json.loads(
    (Path(__file__).parent.parent / "docs/schema/plot.schema.json").read_text(encoding="utf-8")))

#: Few numbers for each kind, so that its golden table can be read.
LINES = {
    "shapes": "shapes", "depth": "depth L=16:48:16 d_model=1024,2048,4096",
    "heads": "heads", "cache": "cache s=4096,131072", "parts": "parts", "shares": "shares",
    "pie": "pie gpt2 --bias attn-out,ffn", "contours": "contours L=16:48:16 d_model=1024:4096:1024",
    "flow": "flow gpt2 --bias attn-out,ffn",
    "isoflop": "isoflop --compute 1e19,1e20 --sizes 100M,300M --ffn swiglu s=2048",
    "over": "over llama-2-70b s=4096,8192 n_kv=1,8 --quantity kv_cache",
    "layers": "layers gemma-3-1b deepseek-v3 nemotron-h-8b t5-small",
    "compare": "compare gpt2 mixtral-8x7b mamba-130m --columns P,active,kv_cache,P/active s=64"}


def table(line: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    """The numbers of a picture, as they are written."""
    assert run(["plot", *line.split(), "--format", "csv"]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


@pytest.mark.parametrize("kind", KINDS)
def test_tables(kind: str, golden: Callable[[str, str], None],
                capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plot", *LINES[kind].split(), "--format", "csv"]) == 0
    golden(f"plot-{kind}.csv", capsys.readouterr().out)


DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"flow"}))
def test_the_tables_of_the_documentation_are_current(
        kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plot", kind, "--format", "csv"]) == 0
    assert (DOCS / "pictures" / f"{kind}.csv").read_text(encoding="utf-8") == (
        capsys.readouterr().out)
    assert (DOCS / "pictures" / f"{kind}.svg").exists()
    assert f"(pictures/{kind}.svg)" in (DOCS / "pictures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["pie", "flow"])
def test_mermaid_in_the_documentation_is_current(
        kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plot", kind, "--format", "mermaid"]) == 0
    text = (DOCS / "pictures.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{capsys.readouterr().out}```" in text


def test_every_kind_is_known_to_all() -> None:
    from symparam.cli.commands.plot import NAMES, SEVERAL
    from symparam.plot.draw import DRAWN

    assert KINDS == NAMES == tuple(LINES)
    assert set(OF_MODELS) == SEVERAL
    assert set(DRAWN) == set(KINDS) - {"flow"}
    assert set(USUAL) == set(KINDS) >= set(AXES)


# --- equal compute ----------------------------------------------------------------------------

def profiles(line: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The rows of profiles, with whole numbers as such."""
    return [{name: int(cell) if cell.isdigit() else cell for name, cell in row.items()}
            for row in table(f"isoflop {line}", capsys)]


def recounted(row: dict[str, Any], V: int, s: int, causal: bool = False) -> tuple[int, int]:
    """Parameters and training FLOPs for a token of a row, of a decoder with a gated network: each
    weight of a matrix six times, and two products with every position (or half of them)."""
    d, depth, ffn = row["d_model"], row["L"], row["d_ff"]
    matrices = depth * (4 * d * d + 3 * d * ffn) + V * d
    positions = (s + 1) // 2 if causal else s
    return matrices + V * d + (2 * depth + 1) * d, 6 * matrices + 12 * depth * d * positions


def test_every_point_of_a_profile_is_counted_again(capsys: pytest.CaptureFixture[str]) -> None:
    rows = profiles("--compute 1e19,1e20,1e21 --ffn swiglu V=50304 s=2048", capsys)
    assert {row["C"] for row in rows} == {10**19, 10**20, 10**21}
    for compute in (10**19, 10**20, 10**21):
        here = [row for row in rows if row["C"] == compute]
        assert len(here) > 3
        losses = []
        for row in here:
            parameters, flops = recounted(row, 50304, 2048)
            assert (row["P"], row["FLOPs/token"]) == (parameters, flops)
            assert row["D"] == compute // flops
            assert flops != recounted(row, 50304, 2048, causal=True)[1]
            losses.append(1.69 + 406.4 / parameters**0.34 + 410.7 / row["D"] ** 0.28)
            assert float(row["loss"]) == pytest.approx(losses[-1], abs=6e-5)
        assert [bool(row["best"]) for row in here] == [loss == min(losses) for loss in losses]


@pytest.mark.parametrize(("by", "exponent", "anchor"), [
    ("hoffmann-1", 0.50, 1.21e20), ("hoffmann-2", 0.49, 1.20e20), ("2*C**0.4", None, None)])
def test_the_best_size_is_the_one_nearest_to_the_fit(
        by: str, exponent: float | None, anchor: float, capsys: pytest.CaptureFixture[str]) -> None:
    rows = profiles(f"gpt2 --compute 1e20,1e22 --sizes 300M,1B,3B,9B --fit {by}", capsys)
    for compute in (10**20, 10**22):
        here = [row for row in rows if row["C"] == compute]
        wanted = 2 * compute**0.4 if exponent is None else 1e9 * (compute / anchor) ** exponent
        nearest = min(here, key=lambda row: abs(math.log(row["P"] / wanted)))
        assert [row for row in here if row["best"]] == [nearest]
        assert "loss" not in nearest


@pytest.mark.parametrize(("line", "words"), [
    ("--compute 1e3", "from 1e12 to 1e30"), ("--compute 1e20,1e20", "none twice"),
    ("--compute x", "x"), ("--fit N", "expected hoffmann-1"),
    ("--fit chinchilla", "expected hoffmann-1"),
    ("--fit C**9**99", "exponent"), ("--fit C**64", "no positive number"),
    ("--fit 1-C", "no positive number"),
    ("D=1e12", "its tokens follow"), ("--fit N^2", "write ** for a power"),
    ("--width 0 -o x.svg", "above 0"),
    ("--quantity kv_cache", "FLOPs of training"), ("--sizes 1.5", "whole number")])
def test_profiles_that_cannot_be_are_refused(line: str, words: str,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plot", "isoflop", *line.split()]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert len(err.splitlines()) == 1


# --- the numbers ------------------------------------------------------------------------------

def test_counts_are_those_of_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    for row in table("shapes", capsys):
        assert int(row["P"]) == load(row["model"]).count()
        assert int(row["d_model"]) == load(row["model"]).values["d_model"]


def test_shares_sum_to_one_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    sums: dict[str, Fraction] = defaultdict(Fraction)
    counts: dict[str, int] = defaultdict(int)
    assert run(["plot", "shares", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    for name, _, parameters, share in rows:
        sums[name] += Fraction(share)
        counts[name] += parameters
    assert set(sums.values()) == {1}
    for row, (*_, share) in zip(table("shares", capsys), rows, strict=True):
        assert abs(Fraction(row["share"]) - Fraction(share)) < Fraction(1, 10**19)
    assert counts == {name: load(name).count() for name in counts}


def test_the_cache_is_what_the_sources_say(capsys: pytest.CaptureFixture[str]) -> None:
    """343,597,383,680 bytes at 131,072 tokens without shared heads, an eighth with eight."""
    found = {(row["attention"], int(row["s"])): int(row["kv_cache"])
             for row in table("cache s=4096,131072", capsys)}
    assert found["MHA", 131072] == 343_597_383_680
    assert found["GQA", 131072] == 42_949_672_960 == load("llama-2-70b").kv_cache(131072)
    assert found["MQA", 4096] * 64 == found["MHA", 4096]


def test_two_thirds_of_a_layer(capsys: pytest.CaptureFixture[str]) -> None:
    for row in table("parts", capsys):
        dims = load(row["model"]).values
        if row["model"].startswith("llama"):
            d, f, kv = dims["d_model"], dims["d_ff"], dims.get("n_kv", dims["n_heads"])
            assert int(row["attention"]) == 2 * d * d + 2 * d * kv * (d // dims["n_heads"])
            assert int(row["feed-forward"]) == 3 * d * f


def test_depth_keeps_the_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    for row in table(LINES["depth"], capsys):
        width, layers = int(row["d_model"]), int(row["L"])
        assert int(row["P"]) == load("llama-2-7b").count(
            L=layers, d_model=width, n_heads=width // 128, n_kv=width // 128, d_head=128,
            d_ff=43 * width // 16)


def test_heads_split_the_width(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table("heads d_model=768,1024,2048,4096", capsys)
    assert all(int(r["n_heads"]) * int(r["d_head"]) == int(r["d_model"]) for r in rows)
    count = [sum(r["d_model"] == w for r in rows) for w in ("768", "1024", "2048", "4096")]
    assert count == [7, 4, 4, 4]


# --- Mermaid ----------------------------------------------------------------------------------

def test_a_pie_has_the_share_of_each_part_of_a_composite() -> None:
    model = load("gemma-4-e4b")
    rows = {part: count for part, count, _ in picture("pie", [model]).rows}
    for words, part in (("vision tower", "vision"), ("audio tower", "audio"),
                        ("projector", "projector")):
        assert rows.pop(words) == symparam.Model.wrap(one_part(model, part)).count()
    assert sum(rows.values()) == symparam.Model.wrap(one_part(model, "text")).count()


def test_a_pie_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Four slices that sum to GPT-2 without biases of queries, keys and values."""
    assert run(["plot", *LINES["pie"].split(), "--format", "mermaid"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "pie showData"
    slices = dict(re.fullmatch(r'    "([^"]+)" : (\d+)', line).groups()  # type: ignore[union-attr]
                  for line in lines[2:])
    assert len(slices) == 4
    assert sum(map(int, slices.values())) == 124_412_160
    assert slices["embeddings"] == "39383808"


def test_a_flowchart_as_text(capsys: pytest.CaptureFixture[str],
                             golden: Callable[[str, str], None]) -> None:
    assert run(["plot", *LINES["flow"].split(), "--format", "mermaid"]) == 0
    out = capsys.readouterr().out
    golden("plot-flow.mmd", out)
    steps = re.findall(r'^    (?:subgraph )?S(\d)\["\d\. [^"]*: ([\d,]+)"\]$', out, re.M)
    assert [number for number, _ in steps] == list("12345")
    assert sum(int(count.replace(",", "")) for _, count in steps) == 124_412_160
    assert out.count("-->") == 4


def test_names_of_users_stay_labels() -> None:
    wild = Picture("pie", 'a"b;c', ("part", "parameters"), (('x"] --> y\n<b>#', 1), ("z", 2)))
    text = mermaid(wild)
    assert len(text.splitlines()) == 4
    assert "#quot;" in text
    assert "<b>" not in text
    with pytest.raises(BadValue):
        mermaid(picture("heads", ()))


# --- what is refused --------------------------------------------------------------------------

@pytest.mark.parametrize(("words", "said"), [
    ("heads gpt2", "no MODEL"), ("pie gpt2 bert-base", "one MODEL"), ("pie L=1,2", "no axis"),
    ("shapes mamba-130m nope-model", "nope-model"), ("parts mamba-130m", "mamba-130m"),
    ("cache mamba-130m", "mamba-130m"), ("heads d_model=1021", "no heads"),
    ("depth t5-small L=1,2", "L"), ("pie --format mermaid --data x.csv", "--data"),
    ("contours", "--format csv"), ("flow -o x.svg", "mermaid"), ("shapes -o x.zip", ".svg"),
    ("depth gpt2 d_model=100", "no point"), ("pie --standalone -o x.svg", "--standalone"),
    ("contours L=1:1000 d_model=1:1000", "50,000"), ("heads d_model=1:41", "40"),
    ("depth d_model=128:12800:128", "40"),
    ("pie -o x.svg --data ./x.svg", "name two files"),
    ("depth --ffn swiglu V=9 n_heads=8 d_model=1024", "d_ff = 8/3*d_model")])
def test_one_line_says_what_is_wrong(words: str, said: str, tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch,
                                     capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["plot", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err
    assert list(tmp_path.iterdir()) == []


def test_wrong_asks_from_python() -> None:
    with pytest.raises(UnknownName):
        picture("cake", ())
    with pytest.raises(BadValue):
        picture("depth", [])
    with pytest.raises(NotDerivable):
        picture("parts", [load("mamba-130m")])


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"contours"}))
def test_text_and_json(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plot", *LINES[kind].split()]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
    assert run(["plot", *LINES[kind].split(), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [e.message for e in SCHEMA.iter_errors(data)] == []
    assert not any(SCHEMA.is_valid({k: v for k, v in data.items() if k != key}) for key in data)
    assert len({len(row) for row in (data["columns"], *data["rows"])}) == 1


# --- drawing ----------------------------------------------------------------------------------

def test_labels_move_apart_and_keep_their_order() -> None:
    places = [5.0, 1.0, 1.2, 1.1, 9.0]
    found = spread(places, 1.0)
    order = sorted(range(5), key=lambda i: places[i])
    ends = [found[i] for i in order]
    assert all(b - a >= 1 - 1e-9 for a, b in pairwise(ends))
    assert (found[0], found[4]) == (5.0, 9.0)
    assert sum(found) == pytest.approx(sum(places))


def luminance(colour: str) -> float:
    """How light a colour looks in grey (ITU-R BT.709)."""
    red, green, blue = (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_neighbours_differ_in_grey() -> None:
    greys = [luminance(fill) for fill in FILLS]
    assert all(abs(a - b) > 0.15 for a, b in pairwise(greys))
    assert len(set(COLOURS)) == len(COLOURS)


@pytest.mark.slow
def test_a_picture_and_its_table_are_written_together(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    line = ["plot", "heads", "d_model=768", "-o", str(tmp_path / "a.svg")]
    assert run(line) == 0
    first = (tmp_path / "a.svg").read_bytes()
    assert run(line) == 2
    assert run([*line, "--force"]) == 0
    assert (tmp_path / "a.svg").read_bytes() == first
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 8
    (tmp_path / "b.csv").write_text("mine")
    assert run(["plot", "heads", "-o", str(tmp_path / "b.svg")]) == 2
    assert not (tmp_path / "b.svg").exists()
    assert run(["plot", "heads", "-o", str(tmp_path / "b.svg"), "--data",
                str(tmp_path / "c.csv")]) == 0
    assert (tmp_path / "b.csv").read_text() == "mine"
    capsys.readouterr()


def test_dollars_in_names_are_no_mathematics() -> None:
    pytest.importorskip("matplotlib")
    wild = Picture("pie", "$\\frac$", ("part", "parameters"), (("$x_{$", 1), ("a$", 2)))
    assert render(wild, "svg").startswith(b"<?xml")


@pytest.mark.parametrize("time", ["xx", "9" * 17, ""])
def test_a_time_that_is_none_is_refused(time: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", time)
    if not time:
        assert render(Picture("pie", "x", ("part", "parameters"), (("a", 1),)), "svg")
        return
    with pytest.raises(BadValue, match="SOURCE_DATE_EPOCH"):
        render(Picture("pie", "x", ("part", "parameters"), (("a", 1),)), "svg")


def test_a_matplotlib_that_cannot_be_loaded_is_said_in_a_line(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = subprocess.run(
        [sys.executable, "-m", "symparam", "plot", "shares", "gpt2", "-o", str(tmp_path / "a.svg")],
        env={**os.environ, "MPLBACKEND": "nope"}, text=True, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("symparam: matplotlib cannot be loaded: ")
    assert len(done.stderr.splitlines()) == 1


def test_without_matplotlib_a_line_says_what_to_install(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(["plot", "heads", "-o", str(tmp_path / "x.svg")]) == 2
    assert "pip install 'symparam[plot]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert run(["plot", "heads"]) == 0  # the numbers need none


def test_in_python_an_axis_is_known_by_any_name_of_its_dim() -> None:
    usual = symparam.picture("over", "gpt2", L=[6, 12], d_model=[768]).csv()
    assert symparam.picture("over", "gpt2", n_layer=[6, 12], hidden_size=[768]).csv() == usual
    with pytest.raises(UnknownName, match="did you mean n_layer"):
        symparam.picture("over", "gpt2", n_layr=[6])


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"flow"}))
def test_every_picture_in_every_format(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    models = [load(name) for name in USUAL[kind]]
    found = picture(kind, models)
    for form in FORMATS:
        if form == "pgf" and shutil.which("pdflatex") is None:
            with pytest.raises(OutputError):
                render(found, form)
            continue
        one, two = render(found, form), render(found, form)
        assert one == two
        assert one[:8].startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF",
                                   "pgf": b"%% Creat"}[form])
        assert b"CreationDate" not in one
        assert b"<dc:date>" not in one


def drawn_on(shown: Picture, width: float = 6.6, dpi: int = 100) -> Any:
    """The axes that a picture was drawn on, so many inches wide."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from symparam.plot.draw import draw

    canvas = FigureCanvasAgg(figure := Figure(figsize=(width, 4.2), dpi=dpi))
    draw(shown, axes := figure.add_subplot())
    canvas.draw()
    return axes


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"flow", "parts", "contours"}))
def test_no_words_lie_over_others(kind: str) -> None:
    """The boxes of all labels that a picture has are apart."""
    pytest.importorskip("matplotlib")
    axes = drawn_on(picture(kind, [load(name) for name in USUAL[kind]]), dpi=150)
    canvas = axes.figure.canvas
    words: list[Any] = [t for t in (*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels())
                        if t.get_text().strip() and t.get_visible()]
    boxes = [(t.get_text(), t.get_window_extent(canvas.get_renderer())) for t in words]
    over = [(a, b) for i, (a, x) in enumerate(boxes) for b, y in boxes[i + 1:]
            if x.shrunk(0.9, 0.7).overlaps(y.shrunk(0.9, 0.7))]
    assert over == []


def artists(axes: Any) -> Iterator[str]:
    """Everything on some axes, a line each: what it is, where, and with which words."""
    def at(values: Any) -> str:
        return " ".join(f"{float(each):.4g}" for each in values)

    for name in ("x", "y"):
        low, high = sorted(limits := getattr(axes, f"get_{name}lim")())
        yield (f"{name}: {getattr(axes, f'get_{name}label')()!r} {at(limits)} "
               f"{getattr(axes, f'get_{name}scale')()}")
        labels = getattr(axes, f"get_{name}ticklabels")()  # (some stand outside of the picture)
        ticks = [label.get_text() for place, label in zip(
            getattr(axes, f"get_{name}ticks")(), labels, strict=True) if low <= place <= high]
        yield f"{name} ticks: {' | '.join(ticks)}"
    for line in axes.lines:
        yield f"line {line.get_label()!r}: {at(line.get_xdata())} / {at(line.get_ydata())}"
        yield (f"drawn: {line.get_linestyle()} {line.get_linewidth():g} {line.get_marker()} "
               f"{line.get_markersize():g}; order: {line.get_zorder()}")
    for patch in axes.patches:
        box = patch.get_path().transformed(patch.get_patch_transform()).get_extents()
        kind = type(patch).__name__.replace("Polygon", "Rectangle")  # spans, by matplotlib's age
        yield f"{kind}: {at(box.extents)}"
    for group in axes.collections:
        yield f"{type(group).__name__}: {at(value for xy in group.get_offsets() for value in xy)}"
        yield (f"areas: {at(getattr(group, 'get_sizes', list)())}; lines: "
               f"{at(group.get_linewidths())}; order: {group.get_zorder()}")
    for text in axes.texts:
        placed = getattr(text, "xyann", text.get_position())
        yield f"text {text.get_text()!r}: {at(placed)} {text.get_ha()} {text.get_va()}"
    if legend := axes.get_legend():
        yield f"legend: {' | '.join(each.get_text() for each in legend.get_texts())}"


def test_what_is_drawn_is_where_it_was(golden: Callable[[str, str], None]) -> None:
    """Lines, bars, wedges, words, limits and ticks of each kind, as numbers that can be read."""
    pytest.importorskip("matplotlib")
    found: list[str] = []
    drawn = {kind: picture(kind, [load(name) for name in USUAL[kind]])
             for kind in sorted(USUAL) if kind != "flow"}
    drawn["over, with lines of a second"] = picture(
        "over", [load("llama-2-7b")], {"s": [1000, 9000, 20_000], "n_kv": [8, 32]},
        quantity="kv_cache")
    for kind in ("isoflop", "layers"):
        drawn[f"{kind}, in a column"] = drawn[kind]
    for name, shown in drawn.items():
        axes = drawn_on(shown, 3.0 if "column" in name else 6.6)
        found += [f"== {name}", *artists(axes)]
    golden("plot-drawn.txt", "\n".join(found) + "\n")


@pytest.mark.parametrize(("width", "folded"), [(NARROW - .1, True), (NARROW, False)])
def test_a_long_title_is_folded_in_a_column_alone(width: float, folded: bool) -> None:
    pytest.importorskip("matplotlib")
    shown = replace(picture("heads", []), title="of a model " * 9)
    axes = drawn_on(shown, width)
    assert ("\n" in axes.get_title(loc="left")) is folded


@pytest.mark.parametrize("kind", ["parts", "shares"])
def test_where_a_picture_is_no_column_it_has_the_words_of_a_wide_one(kind: str) -> None:
    pytest.importorskip("matplotlib")
    shown, said = picture(kind, [load(name) for name in USUAL[kind]]), list[list[str]]()
    for width in (NARROW - .01, NARROW, NARROW + .01):
        said.append([text.get_text() for text in drawn_on(shown, width).texts])
    assert said[0] != said[1] == said[2]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["shapes", "cache", "shares", "isoflop", "layers", "compare"])
def test_a_picture_is_as_wide_as_it_is_told(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for width in (8.4, 16):
        out = tmp_path / f"{width}.svg"
        assert run(["plot", kind, "--width", str(width), "-o", str(out)]) == 0
        found = re.search(r'width="([\d.]+)pt"', out.read_text(encoding="utf-8"))
        assert found is not None
        assert float(found[1]) / 72 * 2.54 == pytest.approx(width, abs=0.3)


def words(drawn: bytes) -> str:
    """What a drawing in SVG says."""
    return " ".join(re.findall(r">([^<>]+)</text>", drawn.decode()))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", ["heads", "parts", "shares"])
def test_a_title_stands_above_a_picture_unless_a_caption_will(kind: str) -> None:
    pytest.importorskip("matplotlib")
    found = picture(kind, [load(name) for name in USUAL[kind]])
    first = found.title.split()[0]
    shown, bare = words(found.render("svg")), words(found.render("svg", title=False))
    assert first in shown
    assert shown.count(first) == bare.count(first) + 1
    if kind == "heads":
        as_it_is, without, with_it = (found.render("pdf", title=each)
                                      for each in (None, False, True))
        assert as_it_is == without != with_it


def test_the_option_for_a_title_goes_with_a_picture(tmp_path: Path,
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert run(["plot", "heads", "--no-title"]) == 2
    assert "--title goes with a picture" in capsys.readouterr().err
    for option, there in (("--no-title", False), ("--title", True)):
        out = tmp_path / f"{there}.svg"
        assert run(["plot", "heads", option, "-o", str(out)]) == 0
        assert ("Heads that split a width" in words(out.read_bytes())) is there


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("by", "said", "width"), [
    ("hoffmann-1", "Hoffmann et al. 2022, approach 1", 16),
    ("hoffmann-3", "Hoffmann et al. 2022, approach 3", 8), ("3*C**0.4", "the formula 3*C**0.4", 8),
    ("1.5 + 300/N**0.3 + 9/D**0.2", "the formula 1.5 + 300/N**0.3 + 9/D**0.2", 8)])
def test_a_drawn_profile_names_its_fit(by: str, said: str, width: int, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "drawn.svg"
    assert run(["plot", "isoflop", "--fit", by, "--compute", "1e19", "--width", str(width),
                "-o", str(out)]) == 0
    assert f"ring: best by {said}" in words(out.read_bytes())


@pytest.mark.latex
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_every_picture_in_pgf_is_set_by_latex(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    if subprocess.run(["kpsewhich", "pgf.sty"], capture_output=True, check=False).returncode:
        pytest.skip("there is no pgf (texlive-pictures)")
    kinds = sorted(set(KINDS) - {"flow"})
    for kind in kinds:
        drawn = render(picture(kind, [load(name) for name in USUAL[kind]]), "pgf", 8.4)
        (tmp_path / f"{kind}.pgf").write_bytes(drawn)
    inside = "\n\n".join(rf"\noindent\input{{{kind}.pgf}}" for kind in kinds)
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\n\\usepackage{pgf}\n\\usepackage{underscore}\n"
        f"\\setlength{{\\textwidth}}{{8.6cm}}\n\\begin{{document}}\n{inside}\n\\end{{document}}\n",
        encoding="utf-8")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
                          cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "all.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-2000:]
    assert "Overfull" not in log


def test_every_depth_and_width_has_its_tick() -> None:
    pytest.importorskip("matplotlib")
    names = ("gpt2", "llama-2-7b", "qwen3-8b", "llama-2-13b", "llama-2-70b", "deepseek-v3")
    for inches in (6.6, 3.0):
        found = picture("shapes", [load(name) for name in names])
        axes = drawn_on(found, inches, dpi=150)
        for axis, column in ((axes.xaxis, "L"), (axes.yaxis, "d_model")):
            ticks = {*axis.get_majorticklocs(), *axis.get_minorticklocs()}
            assert set(found.column(column)) <= ticks


def test_widths_are_those_that_a_models_ratios_split() -> None:
    assert {row % 288 for row in picture("depth", [load("gemma-3-1b")]).column("d_model")} == {0}


def test_a_picture_says_what_its_quantity_was_counted_with(
        capsys: pytest.CaptureFixture[str]) -> None:
    line = ("plot depth llama-2-7b --quantity flops L=16 d_model=1024 --context 100 "
            "--attention-count causal")
    assert run(line.split()) == 0
    out, err = capsys.readouterr()
    whole = load("llama-2-7b", d_model=1024, L=16, n_heads=8, n_kv=8, d_ff=2752)
    assert f"{whole.quantity('flops', s=100, attention='causal'):,}" in out
    assert "a causal mask hides not counted (causal)" in " ".join(out.split())
    assert "does not enter" not in err


def test_any_quantity_is_drawn_over_any_dim(capsys: pytest.CaptureFixture[str]) -> None:
    model = load("llama-2-70b")
    for row in table("over llama-2-70b s=1024,4096,16384 n_kv=1,8,64 --quantity kv_cache", capsys):
        assert int(row["kv_cache"]) == 2 * 80 * int(row["n_kv"]) * 128 * int(row["s"]) * 2
    for row in table("over llama-2-70b L=8,16 d_ff=1024,2048", capsys):
        assert int(row["P"]) == model.count(L=int(row["L"]), d_ff=int(row["d_ff"]))
    assert run(["plot", "over", "gpt2", "L=1,2", "s=1,2", "b=1,2"]) == 2
    assert "more than two" in capsys.readouterr().err


def test_profiles_say_what_they_were_counted_with(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plot", "isoflop", "--compute", "1e19", "--sizes", "100M", "--ffn", "swiglu"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "at s = 4096 (nobody said)" in out
    assert "V = 32000" in out


def test_a_quantity_that_stays_along_an_axis_is_told() -> None:
    model = load("llama-2-7b")
    still = "P is the same at every s here"
    assert picture("over", [model], {"s": [1024, 4096]}).remarks[0] == still
    assert still not in picture("over", [model], {"s": [1024, 4096]}, quantity="flops").remarks
    assert still not in picture("over", [model], {"s": [1024]}).remarks
    assert picture("over", [model], {"s": [8, 16], "L": [2, 3]}).remarks[0] == still
    assert still not in picture("over", [model], {"L": [2, 3], "s": [8, 16]}).remarks


@pytest.mark.parametrize("compute", ["1e19", "1e21", "1e24", "1e19,1e20,1e21"])
def test_tables_of_profiles_fit_a_terminal(compute: str, capsys: pytest.CaptureFixture[str]
                                           ) -> None:
    assert run(["plot", "isoflop", "--compute", compute]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


# --- layers in their order ---------------------------------------------------------------------

def kinds_of(name: str, column: str, **changes: int) -> list[str]:
    """What a column says of each layer of a model, from the first to the last."""
    model = load(name, **changes)
    found = picture("layers", [one_part(model, "text") if model.parts else model])
    return [each for row in found.rows for each in [
        row[found.columns.index(column)]] * row[2]]  # type: ignore[operator]


@pytest.mark.parametrize(("name", "layers", "full"), [
    ("gemma-3-1b", 26, lambda n: n % 6 == 5), ("gemma-3-27b", 62, lambda n: n % 6 == 5),
    ("gemma-2-9b", 42, lambda n: n % 2 == 1), ("gpt-oss-20b", 24, lambda n: n % 2 == 1),
    ("modernbert-base", 22, lambda n: n % 3 == 0), ("gpt-neo-125m", 12, lambda n: n % 2 == 0),
    ("mistral-7b", 32, lambda n: False), ("gpt2", 12, lambda n: True)])
def test_windows_stand_in_the_layers_where_the_source_has_them(
        name: str, layers: int, full: Callable[[int], bool]) -> None:
    assert kinds_of(name, "mixing") == [
        "full attention" if full(n) else "sliding window" for n in range(layers)]


def test_dense_layers_and_hybrids_stand_where_the_source_has_them() -> None:
    assert kinds_of("deepseek-v3", "network") == ["SwiGLU"] * 3 + ["mixture of experts"] * 58
    assert kinds_of("qwen3-next-80b-a3b", "mixing") == (
        ["Gated DeltaNet"] * 3 + ["full attention"]) * 12
    jamba = kinds_of("jamba-v0.1", "mixing")
    assert [n for n, each in enumerate(jamba) if each == "full attention"] == [4, 12, 20, 28]
    assert [n for n, each in enumerate(kinds_of("jamba-v0.1", "network"))
            if each == "mixture of experts"] == list(range(1, 32, 2))
    zamba = kinds_of("zamba2-2.7b", "mixing")
    assert [n for n, each in enumerate(zamba) if each != "Mamba-2"] == [
        6, 12, 18, 24, 30, 36, 42, 47, 51]
    # nvidia/Nemotron-H-8B-Base-8K, hybrid_override_pattern of its config.json
    pattern = "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-"
    words = {"M": "Mamba-2", "-": "none", "*": "full attention"}
    assert kinds_of("nemotron-h-8b", "mixing") == [words[letter] for letter in pattern]


@pytest.mark.parametrize("name", ["gemma-3-1b", "deepseek-v3", "jamba-v0.1", "whisper-tiny",
                                  "nemotron-h-8b", "gpt2", "mamba-130m", "mimo-v2-flash"])
def test_layers_add_up_to_what_the_model_has_in_them(name: str) -> None:
    model = load(name)
    found = picture("layers", [model])
    inside = sum(row.numel for row in model.breakdown()
                 if row.path.partition("[")[0].partition(".")[0] in {
                     "layers", "encoder", "decoder"})
    assert sum(row[2] * row[-1] for row in found.rows) == inside  # type: ignore[operator]


def test_a_cycle_goes_on_in_a_deeper_model_and_no_other_is_guessed(tmp_path: Path) -> None:
    assert kinds_of("gemma-3-1b", "mixing", L=40) == [
        "full attention" if n % 6 == 5 else "sliding window" for n in range(40)]
    assert kinds_of("deepseek-v3", "network", L=5) == ["SwiGLU"] * 3 + ["mixture of experts"] * 2
    lines = ('name = "x"\ndims = {{ V = 8, L = 4, d_model = 8, n_heads = 2, d_ff = 8 }}\n'
             + "".join(f'[[blocks]]\nname = "{name}"\nlayers = {{}}\nattention = "mha"\n'
                       f'norm = "rmsnorm"\nffn = "{name}"\n' for name in ("mlp", "swiglu")))
    (tmp_path / "counted.toml").write_text(lines.format("1", '"L - 1"'))
    (tmp_path / "numbered.toml").write_text(lines.format("[2]", '"rest"'))
    with pytest.raises(NotDerivable, match="not which"):
        picture("layers", [load(tmp_path / "counted.toml")])
    found = picture("layers", [load(tmp_path / "numbered.toml")])
    assert [(row[1], row[2], row[5]) for row in found.rows] == [
        (0, 2, "SwiGLU"), (2, 1, "MLP"), (3, 1, "SwiGLU")]


@pytest.mark.thinned(3)
def test_a_drawn_layer_is_a_row_of_the_table() -> None:
    """The bars cover each layer twice, above and below, and no two kinds look alike."""
    pytest.importorskip("matplotlib")
    names = ("gemma-3-1b", "jamba-v0.1", "nemotron-h-8b", "zamba2-2.7b", "t5gemma-2b-2b")
    found = picture("layers", [load(name) for name in names])
    axes = drawn_on(found, 3.3)
    assert sum(patch.get_width() for patch in axes.patches) == 2 * sum(found.column("layers"))
    looks = {}
    for legend in axes.figure.legends:
        for handle, text in zip(legend.get_patches(), legend.get_texts(), strict=True):
            look = (handle.get_facecolor(), handle.get_hatch())
            assert looks.setdefault(look, text.get_text()) == text.get_text()
    assert {*looks.values()} == {*found.column("mixing"), *found.column("network")}


def test_the_picture_of_a_comparison_shows_its_numbers() -> None:
    names = ("gpt2", "mixtral-8x7b", "mamba-130m")
    models = [load(name) for name in names]
    columns = ["P", "active", "kv_cache", "n_kv"]
    found = picture("compare", models, setting=Setting(run={"s": 64}), columns=columns)
    told = compare(*models, columns=columns, s=64).json()["rows"]
    assert [["–" if cell is None else cell for cell in row] for row in told] == [
        list(row[1:]) for row in found.rows]
    assert {"kv_cache", "active"} <= {remark.partition(":")[0] for remark in found.remarks}
    for words in ("parts --columns P", "compare --quantity P", "compare gpt2 L=3"):
        assert run(["plot", *words.split()]) == 2


def test_what_a_size_of_a_profile_does_not_hold_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plot", "isoflop", "--compute", "1e19,1e20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    said, = (each for each in found["remarks"] if " is not held by " in each)
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    apart = {row["P"] for row in rows if abs(row["d_ff"] - 2.6875 * row["d_model"]) > 256}
    assert 0 < len(apart) < len({row["P"] for row in rows})
    assert {int(n.replace(",", "")) for n in re.findall(r"[\d,]{9,}", said)} == apart


def test_the_table_beside_a_picture_says_whose_it_is(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, other = str(tmp_path / "p.svg"), str(tmp_path / "p.png")
    assert run(["plot", "pie", "gpt2", "-o", picture, "-q"]) == 0
    capsys.readouterr()
    assert run(["plot", "pie", "gpt2", "-o", other, "-q"]) == 2
    table = tmp_path / "p.csv"
    assert capsys.readouterr().err == (
        f"symparam: {table} exists; --force replaces it (the table of {other}; "
        "--data FILE names another)\n")
    assert not Path(other).exists()


def test_bars_of_parts_have_no_lines_across_them() -> None:
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    axes.grid(True)
    parts(picture("parts", [load("gpt2"), load("llama-2-7b")]), axes)
    assert not any(line.get_visible() for line in axes.get_ygridlines())


@pytest.mark.parametrize("kind", ["layers", "parts", "compare"])
def test_a_picture_is_as_wide_as_was_asked_for_and_no_wider(kind: str) -> None:
    pytest.importorskip("matplotlib")
    drawn = render(picture(kind, [load("gpt2"), load("llama-2-7b")][:1 if kind == "layers" else 2]),
                   "svg", width=12.0)
    found = re.search(r'<svg[^>]* width="([\d.]+)pt"', drawn.decode())
    assert found
    assert 12 / 2.54 * 72 - 8 <= float(found[1]) <= 12 / 2.54 * 72 + 0.8
