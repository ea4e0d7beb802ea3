"""The files in outputs/ are what their commands print now."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from symparam.cli.main import run
from symparam.spec.catalogue import lineages

FOLDER = Path(__file__).parent.parent / "outputs"
ROWS = re.findall(r"^\| \[([^]]+)\].*`(.*)` \|$",
                  (FOLDER / "README.md").read_text(encoding="utf-8"), re.M)
EVERY_DAY = {"gpt2", "deepseek"}


def load_gallery() -> ModuleType:
    """The script that writes the gallery."""
    spec = importlib.util.spec_from_file_location("gallery", FOLDER / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "command"), ROWS)
def test_output_is_current(name: str, command: str, tmp_path: Path) -> None:
    fresh = tmp_path / name
    assert run([*shlex.split(command), "-o", str(fresh), "--quiet"]) == 0
    assert fresh.read_bytes() == (FOLDER / name).read_bytes(), "stale: run bash outputs/make"


def test_every_file_has_its_row() -> None:
    kept = {path.name for path in FOLDER.iterdir()} - {"__pycache__", "studies"}
    assert kept == {"README.md", "make", "gallery.py", "gallery", *dict(ROWS)}


@pytest.mark.parametrize(("lineage", "names"), [
    pytest.param(lineage, names, id=lineage,
                 marks=[] if lineage in EVERY_DAY else [pytest.mark.slow])
    for lineage, names in lineages()])
def test_the_gallery_is_current(lineage: str, names: list[str]) -> None:
    assert load_gallery().stale(lineage, names, write=False) == []


def test_the_gallery_has_a_page_for_every_model_and_no_other() -> None:
    gallery = load_gallery()
    assert {path.name for path in gallery.FOLDER.iterdir()} == gallery.expected()
    assert gallery.index() == (gallery.FOLDER / "README.md").read_text(encoding="utf-8")


def test_a_stale_page_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = load_gallery()
    monkeypatch.setattr(gallery, "FOLDER", tmp_path)
    assert "gpt2.md" in gallery.stale("gpt2", ["gpt2"], write=True)
    assert gallery.stale("gpt2", ["gpt2"], write=False) == []
    page = tmp_path / "gpt2.html"
    page.write_text(page.read_text(encoding="utf-8").replace("124,439,808", "124,439,809"))
    assert gallery.stale("gpt2", ["gpt2"], write=False) == ["gpt2.html"]
