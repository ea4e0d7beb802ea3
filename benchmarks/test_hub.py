"""A model by its name on a hub, from the local cache, against the same one of the catalogue."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from symparam.descriptions.catalogue import configuration

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAMES = {"of the catalogue": "qwen3-8b", "of the cache": "Qwen/Qwen3-8B"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A cache with one model."""
    own = tmp_path / "hub" / "models--Qwen--Qwen3-8B"
    found = configuration("qwen3-8b")
    assert found is not None
    for part in ("refs", f"snapshots/{COMMIT}"):
        (own / part).mkdir(parents=True)
    (own / "refs" / "main").write_text(COMMIT)
    (own / "snapshots" / COMMIT / "config.json").write_text(json.dumps(found[1]))
    return tmp_path


@pytest.mark.benchmark(group="hub")
@pytest.mark.parametrize("name", NAMES)
def test_count(name: str, home: Path, benchmark: Any) -> None:
    """One command from start to exit."""
    command = [sys.executable, "-m", "symparam", "count", NAMES[name]]
    benchmark.pedantic(subprocess.run, (command,), {
        "stdout": subprocess.DEVNULL, "check": True,
        "env": {**os.environ, "HF_HOME": str(home)}}, rounds=15, warmup_rounds=1)
