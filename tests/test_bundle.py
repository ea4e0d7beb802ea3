"""A folder for a paper: what its files name is there, no macro twice, and it compiles as it is."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

import symparam
from symparam import load
from symparam.cli.main import run
from symparam.documents.bundle import Bundle
from symparam.errors import BadValue, OutputError
from tests.helpers import DATA, Line, message
from tests.test_json import schema

HYBRID = DATA / "hybrid.toml"
CITED = re.compile(r"\\cite[pt]?(?:\[[^\]]*\])?\{([^}]+)\}")


def texts(folder: Path) -> dict[str, str]:
    """The files of a folder that are LaTeX or BibTeX, by their names in it."""
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8")
            for path in folder.rglob("*") if path.suffix in {".tex", ".bib"}}


MODELS = ("gpt2", "mixtral-8x7b")


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A folder that the command made, and what it printed to either side."""
    folder, out, err = tmp_path_factory.mktemp("bundle") / "paper", io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert run(["bundle", *MODELS, "-o", str(folder), "s=64", "--json"]) == 0
    return folder, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def made() -> Bundle:
    return symparam.bundle("gpt2", s=64, cite="cite")


def test_what_the_files_name_is_there(bundled: tuple[Path, str, str]) -> None:
    folder, found = bundled[0], texts(bundled[0])
    whole = "".join(found.values())
    for fit in ("page", "column"):
        main = found["main.tex"].replace(r"\bundlefit/", f"{fit}/")
        inside = re.findall(r"\\input\{([^}]+)\}", main)
        assert f"fragments/{fit}/gpt2-appendix" in inside
        assert {f"{name}.tex" for name in inside} == {"macros.tex", *(
            name for name in found if f"/{fit}/" in name)}
        figures = re.findall(r"\\includegraphics\{([^}]+)\}", main)
        assert {f"{name}.pdf" for name in figures} == {
            str(path.relative_to(folder)) for path in folder.glob(f"figures/{fit}/*")}
        assert bool(figures) == bool(find_spec("matplotlib"))
        assert all((folder / f"{name}.pdf").read_bytes().startswith(b"%PDF") for name in figures)
    assert found["fragments/page/gpt2-appendix.tex"] != found["fragments/column/gpt2-appendix.tex"]
    entries = re.findall(r"@\w+\{([^,]+),", found["references.bib"])
    assert {*CITED.findall(whole)} == {*entries}
    assert max(Counter(entries).values()) == 1
    defined = re.findall(r"\\newcommand\{\\(\w+)\}", found["macros.tex"])
    assert max(Counter(defined).values()) == 1
    assert {"GptTwoTotal", "GptTwoFlops", "MixtralEightXSevenBActive"} <= {*defined}
    total = f"{load('gpt2').count():,}".replace(",", "{,}")
    assert rf"\newcommand{{\GptTwoTotal}}{{{total}}}" in found["macros.tex"]


def test_a_cost_tells_all_but_what_data_are_wanted(bundled: tuple[Path, str, str]) -> None:
    cost = texts(bundled[0])["fragments/page/gpt2-cost.tex"]
    assert all(title in cost for title in ("Weights", "FLOPs", "Training"))
    assert "shard" not in cost


def test_what_was_made_is_listed(bundled: tuple[Path, str, str]) -> None:
    folder, found = bundled[0], json.loads(bundled[1])
    assert list(schema("bundle").iter_errors(found)) == []
    assert found["models"] == [*MODELS]
    assert {*found["files"]} == {str(path.relative_to(folder)) for path in folder.rglob("*")
                                 if path.is_file()}


def test_a_count_and_its_cost_name_nothing_twice(line: Line) -> None:
    defined = [name for command in ("count", "cost", "derive") for name in re.findall(
        r"\\newcommand\{\\(\w+)\}", line(f"{command} llama-2-7b --format macros")[1])]
    assert max(Counter(defined).values()) == 1
    assert len(defined) > 30


def test_what_cannot_be_made_is_said_and_the_rest_is_made(
        bundled: tuple[Path, str, str]) -> None:
    missing = re.findall(r"note: (\S+):", bundled[2])
    for fit in ("page", "column"):
        assert {path.stem for path in (bundled[0] / "fragments" / fit).iterdir()} | {
            each for each in missing if "/" not in each} >= {
                f"{name}-{part}" for name in MODELS for part in ("appendix", "cost")}


@pytest.mark.parametrize(("words", "why"), [
    ("bundle -o x", "name the models"), ("bundle gpt2", "-o"), ("bundle gpt2 gpt2 -o x", "once"),
    ("bundle gpt2 llama-2-7b L=3 -o x", "none is changed"), ("bundle nope-model -o x", "nope")])
def test_wrong_use_is_one_line(words: str, why: str, line: Line) -> None:
    code, out, err = line(words)
    assert (code, out) == (2, "")
    assert why in err
    assert not Path("x").exists()


def test_a_folder_that_is_there_is_kept(line: Line, tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for where in (tmp_path, tmp_path / "file"):
        code, _, err = line(f"bundle gpt2 -o {where}")
        assert code == 2
        assert len(err.splitlines()) == 1
    assert (tmp_path / "main.tex").read_text() == "mine"


@pytest.mark.thinned(4)
@pytest.mark.parametrize("planted", ["fragments", "fragments/page", "figures/column"])
def test_no_link_below_the_folder_leads_out_of_it(planted: str, made: Bundle,
                                                  tmp_path: Path) -> None:
    """Nobody named what is in the folder; the folder itself may be a link to where it should be."""
    outside, paper = tmp_path / "outside", tmp_path / "paper"
    outside.mkdir()
    (paper / planted).parent.mkdir(parents=True)
    (paper / planted).symlink_to(outside)
    for force in (False, True):
        with pytest.raises(OutputError) as caught:
            made.save(paper, force=force)
        assert f"{paper / planted} is a link" in message(caught.value)
    assert list(outside.iterdir()) == []
    assert not (paper / "main.tex").exists()
    (tmp_path / "named").symlink_to(outside)
    made.save(tmp_path / "named")
    assert (outside / "main.tex").exists()


def test_a_link_below_the_folder_is_one_line(line: Line, tmp_path: Path) -> None:
    """Before a model is looked for."""
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "figures").symlink_to(tmp_path)
    code, out, err = line("bundle nope-model -q -o paper --force")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "figures is a link" in err


@pytest.mark.thinned(4)
def test_widths_are_those_that_were_asked_for(line: Line, tmp_path: Path) -> None:
    assert line(f"bundle gpt2 -q -o {tmp_path / 'x'} --text-width 12.5 --column-width 8.25")[0] == 0
    found = texts(tmp_path / "x")
    assert "textwidth=12.5cm" in found["main.tex"]
    assert "textwidth=16.9cm,columnsep=0.4cm" in found["main.tex"]
    assert "of about 12.5 cm" in found["fragments/page/gpt2-cost.tex"]
    assert "of about 8.25 cm" in found["fragments/column/gpt2-cost.tex"]


@pytest.mark.thinned(4)
def test_from_python_it_is_the_same(made: Bundle, line: Line, tmp_path: Path) -> None:
    assert line(f"bundle gpt2 s=64 -q --cite cite -o {tmp_path / 'x'}")[0] == 0
    assert made.models == ("gpt2",)
    written = made.save(tmp_path / "y")
    assert {path.relative_to(tmp_path / "y") for path in written} == {
        path.relative_to(tmp_path / "x") for path in (tmp_path / "x").rglob("*") if path.is_file()}
    assert all((tmp_path / "x" / name).read_bytes() == each for name, each in made.files.items())
    with pytest.raises(OutputError, match="exists"):
        made.save(tmp_path / "y")
    assert made.save(tmp_path / "y", force=True) == written
    with pytest.raises(BadValue, match="own"):
        symparam.bundle("gpt2", L=3)
    with pytest.raises(BadValue, match="width"):
        symparam.bundle("gpt2", column_width=0.5)


@pytest.mark.latex
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bibtex") is None, reason="there is no bibtex")
def test_it_compiles_in_one_column_and_in_two(line: Line, tmp_path: Path) -> None:
    """No citation is undefined, no macro redefined, nothing sticks out of its column."""
    pytest.importorskip("matplotlib")
    folder = tmp_path / "paper"
    assert line("bundle llama-3-8b qwen3-30b-a3b mixtral-8x7b deepseek-v3 -q "
                f"-o {folder}")[0] == 0
    main = folder / "main.tex"
    one = main.read_text(encoding="utf-8")
    two = one.replace("\n\\documentclass{", "\n\\documentclass[twocolumn]{")
    assert one != two
    for text in (one, two):
        main.write_text(text, encoding="utf-8")
        for command in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
            modes = ["-interaction=nonstopmode", "-halt-on-error"] * (command == "pdflatex")
            done = subprocess.run([command, *modes, "main"], cwd=folder, capture_output=True,
                                  check=False)
            assert done.returncode == 0, done.stdout[-1500:]
            assert command == "pdflatex" or b"Warning" not in done.stdout
        log = (folder / "main.log").read_text(encoding="latin-1")
        assert "undefined" not in log
        assert "already defined" not in log
        assert [float(each) for each in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)
                if float(each) > 1] == []


@pytest.mark.thinned(4)
def test_a_long_name_makes_no_long_name_of_a_file(line: Line, tmp_path: Path) -> None:
    """One that no folder can hold."""
    (tmp_path / "own.json").write_text(json.dumps({
        "name": "x" * 900, "dims": {"V": 9, "L": 1, "d_model": 8, "d_ff": 8, "n_heads": 1},
        "blocks": [{"attention": {"kind": "mha"}, "ffn": {"kind": "mlp"},
                    "norm": {"kind": "rmsnorm"}}]}))
    assert line("bundle own.json -q -o paper")[0] == 0
    assert line("derive own.json -q -o out.txt --certificate proof")[0] == 0
    for folder in ("paper/fragments/page", "proof"):
        assert 90 < max(len(each.name) for each in (tmp_path / folder).iterdir()) < 130
