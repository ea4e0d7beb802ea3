"""Plug-in of pytest for runs under mutants: which test covers which line, and tests in an order.

With ``SYMPARAM_RECORD`` (a folder) lines are recorded for each test, with what each took. With
``SYMPARAM_TESTS`` (a file of node ids) those alone run, in that order. Examples are not shrunk.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

settings.register_profile("mutants", database=None,
                          phases=(Phase.explicit, Phase.generate))
settings.load_profile("mutants")

_FOLDER = os.environ.get("SYMPARAM_RECORD")
_ORDER = os.environ.get("SYMPARAM_TESTS")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that are asked for, in the order in which they are."""
    if _ORDER:
        place = {name: i for i, name in enumerate(
            Path(_ORDER).read_text(encoding="utf-8").splitlines())}
        items[:] = sorted((i for i in items if i.nodeid in place), key=lambda i: place[i.nodeid])


class Recorder:
    """Coverage with the name of the test as its context."""

    def __init__(self, folder: Path, worker: str) -> None:
        import coverage

        self.took: dict[str, float] = {}
        self.failed: set[str] = set()
        self.out = folder / f"took-{worker}.json"
        self.coverage = coverage.Coverage(
            data_file=str(folder / f"lines-{worker}"), source=["symparam"], config_file=False)
        self.coverage.start()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Lines from here on are this test's."""
        self.coverage.switch_context(item.nodeid)
        yield
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """What a test took; one that fails without a mistake can notice none."""
        if report.failed:
            self.failed.add(report.nodeid)
        self.took[report.nodeid] = self.took.get(report.nodeid, 0.0) + report.duration

    def pytest_unconfigure(self) -> None:
        """Write what was recorded."""
        self.coverage.stop()
        self.coverage.save()
        kept = {name: took for name, took in self.took.items() if name not in self.failed}
        self.out.write_text(json.dumps(kept), encoding="utf-8")
        for name in self.failed:
            print(f"fails without a mistake: {name}", file=sys.__stderr__)


def pytest_configure(config: pytest.Config) -> None:
    """Record in the processes that run tests."""
    worker = getattr(config, "workerinput", {}).get("workerid", "")
    if _FOLDER and (worker or not config.getoption("numprocesses", None)):
        config.pluginmanager.register(Recorder(Path(_FOLDER), worker or "main"))
