"""The studies in outputs/studies/ are what their script writes now."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.helpers import data, together

FOLDER = Path(__file__).parent.parent / "outputs" / "studies"
CLAIMS: list[dict[str, Any]] = data("claims.json")
NAMES = ("nanochat", "counting", "perseid", "guide", "gpt2")


def load_script() -> ModuleType:
    """The script that writes the studies."""
    spec = importlib.util.spec_from_file_location("make_studies", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_study_is_current(name: str) -> None:
    script, kept = load_script(), set()
    for path, wanted in script.files(name):
        if path.endswith(".pdf"):  # written for the LaTeX, and not kept
            assert wanted.startswith(b"%PDF")
            continue
        kept.add(path)
        found = (FOLDER / path).read_bytes()
        if path.endswith(".svg"):  # bytes of one release of matplotlib
            assert found.startswith(b"<?xml")
        else:
            assert found == wanted, f"{path} is stale: run python outputs/studies/make.py"
    assert kept == {f"{name}/{path.name}" for path in (FOLDER / name).iterdir()
                    if path.suffix in {".csv", ".html", ".md", ".mmd", ".svg", ".tex"}}


def test_the_index_is_current() -> None:
    assert load_script().index() == (FOLDER / "README.md").read_text(encoding="utf-8")


def test_a_stale_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = load_script()
    monkeypatch.setattr(script, "HERE", tmp_path)
    assert script._put("a/b.md", b"124,439,808", True)
    assert not script._put("a/b.md", b"124,439,808", False)
    assert script._put("a/b.md", b"124,439,809", False)


@together("name", NAMES)
def test_every_claim_stands_in_its_study(name: str) -> None:
    own = {c["id"]: c for c in CLAIMS if c["source"] == name}
    page = (FOLDER / name / "study.md").read_text(encoding="utf-8")
    rows = {row[0]: row for row in (
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in page.splitlines()
        if line.startswith("| "))}
    cells = {re.sub(r"&#\d+;", lambda m: chr(int(m[0][2:-1])), key.replace("\\", "")): row
             for key, row in rows.items()}
    for number, claim in own.items():
        assert number in cells, number
        if isinstance(claim["computed"], int) and "of" in claim:
            assert cells[number][3].replace("−", "-") == f"{claim['computed']:,}"


@together("name", NAMES)
def test_what_is_false_is_said_with_its_reason(name: str) -> None:
    note = load_script().notes()[name]
    false = {c["id"] for c in CLAIMS if c["source"] == name and c["verdict"] not in {
        "exact", "rounds_to", "derived", "true_bound"}}
    near = {"B14d"}  # about 130 GB, with three sequences: that is what B14b would need
    assert set(note["wrong"]) == false - near


def test_numbers_in_the_words_are_those_of_the_claims() -> None:
    known = {f"{abs(n):,}" for c in CLAIMS if isinstance(c["computed"], int)
             for n in (c["computed"],)}
    known |= {f"{abs(c['computed'] - int(Fraction(c['said'].replace(',', '')))):,}" for c in CLAIMS
              if isinstance(c["computed"], int) and re.fullmatch(r"[\d,]+", c.get("said", ""))}
    for name in NAMES:
        for text in load_script().notes()[name]["wrong"].values():
            assert set(re.findall(r"\d{1,3}(?:,\d{3})+", text)) <= known, text


@pytest.mark.latex
@pytest.mark.parametrize("name", NAMES)
def test_the_latex_of_a_study_compiles(name: str, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex")
    for path, content in load_script().files(name):
        (tmp_path / Path(path).name).write_bytes(content)
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "study.tex"],
                          cwd=tmp_path, capture_output=True, text=True, errors="replace",
                          check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    wide = [float(w) for w in re.findall(r"Overfull .hbox \(([\d.]+)pt", done.stdout)]
    assert all(width < 5 for width in wide), wide
