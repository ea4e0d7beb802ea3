"""What the package asks for and offers: extras, each with a command that needs it and no other."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

#: Those for who works on the package, and the old name of one.
ASIDE = {"test", "dev", "site", "transformers"}


def test_every_extra_is_tried_alone() -> None:
    script = (ROOT / "tests/extras").read_text(encoding="utf-8")
    tried = set(re.findall(r"^(\w+)\(\) \{", script, re.M)) - {"install"}
    assert tried == set(EXTRAS) - ASIDE
    assert EXTRAS["transformers"] == ["symparam[torch]"]


def test_no_version_is_bounded_from_above() -> None:
    """A lower bound is tested; an upper one is a guess that keeps two packages apart."""
    asked = [each for each in [*PROJECT["dependencies"], *(
        one for name in EXTRAS for one in EXTRAS[name])] if not each.startswith("symparam[")]
    assert all(re.fullmatch(r"[a-z0-9-]+>=[\d.]+", each) for each in asked), asked


def test_messages_name_extras_that_there_are() -> None:
    named = {extra for path in (ROOT / "symparam").rglob("*.py")
             for extra in re.findall(r"symparam\[(\w+)\]", path.read_text(encoding="utf-8"))}
    assert named
    assert named <= set(EXTRAS) - ASIDE


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no clone")
def test_no_file_of_a_trial_is_kept_in_the_root() -> None:
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout.splitlines()
    assert {name for name in kept if "/" not in name and name[0] != "."} <= {
        "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "mkdocs.yml",
        "pyproject.toml"}
