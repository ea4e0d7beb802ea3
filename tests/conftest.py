"""Switches of the suite: what an ordinary run leaves out, and how golden files are renewed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

LEFT_OUT = ("slow", "latex", "browser", "differential")
GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--all`` and ``--update-golden``."""
    parser.addoption("--all", action="store_true",
                     help="also run tests marked slow, latex or browser")
    parser.addoption("--update-golden", action="store_true",
                     help="write tests/golden/ anew instead of comparing with it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow, unless ``--all`` or ``-m`` asks for it."""
    asked = str(config.option.markexpr)
    kept_out = ("differential",) if config.getoption("--all") else LEFT_OUT
    left_out = [m for m in kept_out if m not in asked]
    gone = {item for item in items if any(item.get_closest_marker(m) for m in left_out)}
    if gone:
        config.hook.pytest_deselected(items=[item for item in items if item in gone])
        items[:] = [item for item in items if item not in gone]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file of tests/golden, or write it there with ``--update-golden``."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        assert path.exists(), f"no {path}; run pytest --update-golden, then read what it wrote"
        assert text == path.read_text(encoding="utf-8")

    return compare
