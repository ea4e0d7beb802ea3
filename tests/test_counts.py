"""Several models side by side: each number is the model's own, and the table fits the page."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from symparam.cli.main import run
from symparam.descriptions.catalogue import lineages
from symparam.descriptions.load import load
from symparam.documents import counts as counts
from symparam.documents.count_data import count_json, count_model
from symparam.documents.counts import counts_json
from symparam.notation.notation import PRESETS
from symparam.writers.document import Table
from symparam.writers.text import TextFormat
from tests.helpers import Line, ledger, together
from tests.test_json import OPTIONAL, schema, shown, spoiled, valid

#: The first model of some lineages, and pairs that share little.
FIRST = [names[0] for _, names in lineages()]
GROUPS = [("gpt2", "llama-2-7b"), ("llama-2-7b", "mistral-7b", "gpt2"),
          ("gpt2", "llama-2-7b", "mixtral-8x7b", "deepseek-v3"), ("bert-base", "t5-base"),
          ("mamba-130m", "gpt2"), tuple(random.Random(3).sample(FIRST, 9))]


def tables(names: tuple[str, ...], notation: str = "paper") -> list[Table]:
    """The tables of a document with the counts of some models."""
    results = [count_model(load(name)) for name in names]
    document = counts.counts_document(results, PRESETS[notation])
    return [block for block in document.blocks if isinstance(block, Table)]


def read(names: tuple[str, ...]) -> dict[tuple[str, str], str]:
    """Every cell by what it is and by its model, whichever way round the tables are."""
    text, found = TextFormat(), {}
    for table in tables(names):
        head = [text.cell(column.title) for column in table.columns]
        for row in table.rows:
            title, *cells = map(text.cell, row)
            for column, cell in zip(head[1:], cells, strict=True):
                found[(column, title) if head[0] == "model" else (title, column)] = cell
    return found


def wanted(name: str, dims: set[str]) -> dict[str, int]:
    """What the table has to say of a model, from the model's own matrices."""
    model = load(name)
    values = count_model(model).resolution.values
    found = {dim: values[dim] for dim in dims if dim in values}
    titles = {"token": "embedding", "ffn": "feed-forward", "norm": "norms"}
    for m in ledger(model):
        size = m.size() if m.status != "buffer" and m.tied_to is None else 0
        title = titles.get(m.part, m.part.replace("-", " "))
        if m.status != "buffer":
            found[title] = found.get(title, 0) + int(size)
    return found | {"total": sum(n for title, n in found.items() if title not in dims)}


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: " ".join(names)[:40])
def test_every_number_is_the_models_own(names: tuple[str, ...]) -> None:
    cells = read(names)
    dims = {dim for name in names for dim in load(name).dims}
    own = {name: wanted(name, dims) for name in names}
    titles = {title for numbers in own.values() for title in numbers}
    for name, numbers in own.items():
        for title in titles:
            shown_as = f"{numbers[title]:,}" if title in numbers else counts.NONE
            assert cells[title, name] == shown_as


def test_a_lost_row_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = counts._parts
    monkeypatch.setattr(counts, "_parts", lambda results: [
        {part: n for part, n in sums.items() if part != "norm"} for sums in whole(results)])
    with pytest.raises((AssertionError, KeyError)):
        test_every_number_is_the_models_own(GROUPS[0])


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: " ".join(names)[:40])
def test_conventions_are_those_of_each_count(names: tuple[str, ...]) -> None:
    results = [count_model(load(name)) for name in names]
    data = counts_json(results)
    valid("count", data)
    assert data["models"] == [count_json(result, False) for result in results]
    cells = read(names)
    for each in data["models"]:
        less, active = each["non_embedding"], each["active"]
        for key, long, short in (
                ("without_input", "without the input embedding", "no input"),
                ("without_embeddings", "without embedding and head", "no embeddings")):
            found = {cells.get((title, each["model"])) for title in (long, short)}
            assert f"{less[key]:,}" in found
            if active:
                found = {cells.get((f"active, {title}", each["model"])) for title in (long, short)}
                assert f"{active[key]:,}" in found
        if any(model["active"] for model in data["models"]):
            assert cells["active", each["model"]] == (
                f"{active['all']:,}" if active else counts.NONE)
    for i, model in enumerate(data["models"]):
        assert sum(part["numel"][i] or 0 for part in data["parts"]) == model["total"]


@pytest.mark.parametrize("notation", PRESETS)
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: " ".join(names)[:40])
def test_tables_fit_a_terminal(names: tuple[str, ...], notation: str) -> None:
    text = TextFormat(PRESETS[notation])
    for table in tables(names, notation):
        assert max(map(len, text.table(table).split("\n"))) <= 80


def test_few_models_are_columns_and_many_are_rows() -> None:
    assert tables(GROUPS[1])[0].columns[1].title == "llama-2-7b"
    assert tables(GROUPS[2])[0].columns[0].title == "model"
    assert len(tables(GROUPS[1])) == 3
    assert [table.total for table in tables(GROUPS[1])] == [False, True, False]


def test_json_meets_its_schema_and_spoiled_json_does_not(
        capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, "count llama-2-7b mixtral-8x7b")
    valid("count", data)
    passed = [what for what, wrong in spoiled(data) if schema("count").is_valid(wrong)]
    assert [what for what in passed if not OPTIONAL.search(what)] == []
    assert not schema("count").is_valid({**data, "models": data["models"][:1]})


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
    found = json.loads(capsys.readouterr().out)["models"]
    for each in found:
        assert run(["count", each["model"], "--mtp", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["total"] == each["total"]


def test_what_it_looks_like(capsys: pytest.CaptureFixture[str],
                            golden: Callable[[str, str], None]) -> None:
    assert run("count llama-2-7b mistral-7b".split()) == 0
    golden("count-models.txt", capsys.readouterr().out)
    assert run("count gpt2 llama-2-7b mixtral-8x7b deepseek-v3 --latex".split()) == 0
    golden("count-models.tex", capsys.readouterr().out)


def test_tables_of_positions_are_called_so(line: Line) -> None:
    for name in ("whisper-tiny", "t5-base"):  # sinusoids and relative biases: neither is learned
        assert "without embedding, head and positions" in line(f"count {name}")[1]
