"""Several models in one count: the table of a comparison, and it fits the page."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from symparam import compare
from symparam.cli.main import run
from symparam.descriptions.catalogue import lineages
from symparam.documents.common.side_by_side import Line as Told
from symparam.documents.common.side_by_side import side_by_side
from symparam.notation.notation import PRESETS
from symparam.writers.document import Table
from symparam.writers.text import TextFormat
from tests.helpers import Line, together
from tests.test_json import valid

GOLDEN = Path(__file__).parent / "golden"
#: The first model of some lineages, and pairs that share little.
FIRST = [names[0] for _, names in lineages()]
GROUPS = [("gpt2", "llama-2-7b"), ("llama-2-7b", "mistral-7b", "gpt2"),
          ("gpt2", "llama-2-7b", "mixtral-8x7b", "deepseek-v3"), ("bert-base", "t5-base"),
          ("mamba-130m", "gpt2"), tuple(random.Random(3).sample(FIRST, 9))]


def tables(names: tuple[str, ...], notation: str = "paper") -> list[Table]:
    """The tables of a comparison of some models."""
    view = compare(*names)
    view.notation = PRESETS[notation]
    return [block for block in view.document().blocks if isinstance(block, Table)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("form", ["text", "latex", "json", "markdown", "html"])
def test_several_models_are_answered_as_a_comparison_is(form: str, line: Line) -> None:
    for names in GROUPS[:3]:
        words = f"{' '.join(names)} --format {form}"
        assert line(f"count {words}") == line(f"compare {words}")


def test_the_data_are_those_of_a_comparison(line: Line) -> None:
    code, out, _ = line("count llama-2-7b mixtral-8x7b whisper-tiny --json")
    assert code == 0
    data = json.loads(out)
    valid("compare", data)
    assert [column["name"] for column in data["columns"]][:2] == ["P", "active"]
    assert [row[:2] for row in data["rows"]][:2] == [
        [6738415616, 6738415616], [46702792704, 12879925248]]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("notation", PRESETS)
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: " ".join(names)[:40])
def test_tables_fit_a_terminal(names: tuple[str, ...], notation: str) -> None:
    text = TextFormat(PRESETS[notation])
    for table in tables(names, notation):
        assert max(map(len, text.table(table).split("\n"))) <= 80


def test_few_models_are_columns_and_many_are_rows() -> None:
    assert tables(GROUPS[1])[0].columns[1].title == "llama-2-7b"
    assert tables(GROUPS[2])[0].columns[0].title == "model"
    assert len(tables(GROUPS[1])) == 1


def test_a_table_loses_no_line() -> None:
    lines = [Told(f"title {i}", (f"{i}a", f"{i}b")) for i in range(40)]
    for names in (["one", "two"], ["a name that is rather long " * 3, "two"]):
        cells = [cell for table in side_by_side(names, lines, PRESETS["paper"])
                 for row in table.rows for cell in row]
        assert {each for told in lines for each in told.cells} <= {*cells}


@together(("line", "part"), [
    ("count gpt2 llama-2-7b L=3", "L=3 goes with one"), ("count L=3 gpt2 llama-2-7b", "L=3"),
    ("count gpt2 llama-2-7b --untied", "tied"), ("count gpt2 llama-2-7b --bias all", "bias"),
    ("count gpt2 llama-2-7b --attention gqa", "attention"),
    ("count gpt2 llama-2-7b --keep-ratios", "keep-ratios"),
    ("count gpt2 llama-2-7b --tensors", "--tensors"), ("count gpt2 gpt2", "twice"),
    ("count gpt2 nope-model", "nope-model"), ("derive gpt2 llama-2-7b", "one MODEL")])
def test_what_would_change_one_of_them_is_refused(
        line: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 2
    out, err = capsys.readouterr()
    assert not out
    assert part in err
    assert len(err.splitlines()) == 1


def test_mtp_is_of_every_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("count deepseek-v3 glm-4.5 --mtp --json".split()) == 0
    data = json.loads(capsys.readouterr().out)
    for each, row in zip(data["models"], data["rows"], strict=True):
        assert run(["count", each["model"], "--mtp", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["total"] == row[0]


def test_tables_of_positions_are_called_so(line: Callable[[str], tuple[int, str, str]]) -> None:
    for name in ("whisper-tiny", "t5-base"):  # sinusoids and relative biases: neither is learned
        assert "without embedding, head and positions" in line(f"count {name}")[1]


def test_what_is_said_of_the_first_model_of_every_second_lineage_is_as_it_was(
        line: Line, golden: Callable[[str, str], None], request: pytest.FixtureRequest) -> None:
    """Part by part, with dims, rules and what is left out; a lineage that is new is not among them
    before the next --update-golden."""
    known = re.findall("^# (.*)$", (GOLDEN / "lineages.txt").read_text("utf-8"), re.MULTILINE)
    names = FIRST[::2] if request.config.getoption("--update-golden") else known
    golden("lineages.txt", "".join(f"# {name}\n{line(f'count {name}')[1]}" for name in names))
