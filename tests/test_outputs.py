"""The files in outputs/ are what their commands print now."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from symparam.cli.main import run
from symparam.descriptions import catalogue
from symparam.descriptions.catalogue import lineages

FOLDER = Path(__file__).parent.parent / "outputs"
ROWS = re.findall(r"^\| \[([^]]+)\].*`(.*)` \|$",
                  (FOLDER / "README.md").read_text(encoding="utf-8"), re.M)


def load_gallery() -> ModuleType:
    """The script that writes the gallery."""
    spec = importlib.util.spec_from_file_location("gallery", FOLDER / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "command"), ROWS)
def test_output_is_current(name: str, command: str, tmp_path: Path) -> None:
    fresh = tmp_path / name
    assert run([*shlex.split(command), "-o", str(fresh), "--quiet"]) == 0
    assert fresh.read_bytes() == (FOLDER / name).read_bytes(), "stale: run bash outputs/make"


def test_every_file_has_its_row() -> None:
    kept = {path.name for path in FOLDER.iterdir()} - {"__pycache__", "studies", "gallery"}
    assert kept == {"README.md", "make", "gallery.py", *dict(ROWS)}


@pytest.mark.thinned(3)
def test_the_gallery_has_a_page_for_every_model_of_a_lineage(tmp_path: Path) -> None:
    gallery = load_gallery()
    names = dict(lineages())["gpt2"]
    written = gallery.write(tmp_path, "gpt2", names)
    assert {path.name for path in tmp_path.iterdir()} == {
        "table-gpt2.md", "table-gpt2.tex",
        *(f"{name}.{suffix}" for name in names for suffix in ("md", "tex", "html"))}
    assert written == len(list(tmp_path.iterdir()))
    assert "124,439,808" in (tmp_path / "gpt2.html").read_text(encoding="utf-8")


@pytest.mark.thinned(3)
def test_the_index_of_the_gallery_leads_to_every_page() -> None:
    index = load_gallery().index(lineages())
    assert set(re.findall(r"\]\(([^)]+)\.html\)", index)) == set(catalogue.names())
