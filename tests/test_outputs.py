"""The files in outputs/ are what their commands print now."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from symparam.cli.main import run

FOLDER = Path(__file__).parent.parent / "outputs"
ROWS = re.findall(r"^\| \[([^]]+)\].*`(.*)` \|$",
                  (FOLDER / "README.md").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize(("name", "command"), ROWS)
def test_output_is_current(name: str, command: str, tmp_path: Path) -> None:
    fresh = tmp_path / name
    assert run([*shlex.split(command), "-o", str(fresh), "--quiet"]) == 0
    assert fresh.read_bytes() == (FOLDER / name).read_bytes(), "stale: run bash outputs/make"


def test_every_file_has_its_row() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {"README.md", "make", *dict(ROWS)}
