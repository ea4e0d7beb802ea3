"""Plug-in of pytest for runs under mutants: which test covers which line, and tests in an order.

With ``SYMPARAM_RECORD`` (a folder) lines are recorded for each test, with ``SYMPARAM_TIMES`` (a
folder) what each took. With ``SYMPARAM_TESTS`` (a file of node ids, or of files) those alone run,
in that order. Examples are not shrunk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

settings.register_profile("mutants", database=None,
                          phases=(Phase.explicit, Phase.generate))
settings.load_profile("mutants")

_FOLDER = os.environ.get("SYMPARAM_RECORD")
_TIMES = os.environ.get("SYMPARAM_TIMES")
_ORDER = os.environ.get("SYMPARAM_TESTS")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that are asked for, in the order in which they are."""
    if _ORDER:
        place = {name: i for i, name in enumerate(
            Path(_ORDER).read_text(encoding="utf-8").splitlines())}
        found = [(at, item) for item in items if (at := place.get(
            item.nodeid, place.get(item.nodeid.partition("::")[0]))) is not None]
        items[:] = [item for _, item in sorted(found, key=lambda pair: pair[0])]


class Timer:
    """What each test took of the processor, with the processes that it started: whatever else the
    machine does falls on none. One that fails without a mistake can notice none."""

    def __init__(self, out: Path) -> None:
        self.took: dict[str, float] = {}
        self.failed: set[str] = set()
        self.out = out

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Whether a part of a test failed."""
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """What it takes from its fixtures to their end."""
        before = sum(os.times()[:4])
        yield
        self.took[item.nodeid] = sum(os.times()[:4]) - before

    def pytest_unconfigure(self) -> None:
        """Write what was seen."""
        self.out.write_text(json.dumps({
            "passed": {name: took for name, took in self.took.items() if name not in self.failed},
            "failed": sorted(self.failed)}), encoding="utf-8")


class Recorder:
    """Coverage with the name of the test as its context."""

    def __init__(self, out: Path) -> None:
        import coverage

        self.coverage = coverage.Coverage(data_file=str(out), source=["symparam"],
                                          config_file=False)
        self.coverage.start()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Lines from here on are this test's."""
        self.coverage.switch_context(item.nodeid)
        os.environ["SYMPARAM_CONTEXT"] = item.nodeid  # for the processes that it starts
        yield
        self.coverage.switch_context("")
        os.environ.pop("SYMPARAM_CONTEXT", None)

    def pytest_unconfigure(self) -> None:
        """Write what was recorded."""
        self.coverage.stop()
        self.coverage.save()


def pytest_configure(config: pytest.Config) -> None:
    """Record in the processes that run tests."""
    worker = getattr(config, "workerinput", {}).get("workerid", "")
    if worker or not config.getoption("numprocesses", None):
        name = worker or "main"
        if _TIMES:
            config.pluginmanager.register(Timer(Path(_TIMES, f"took-{name}.json")))
        if _FOLDER:
            config.pluginmanager.register(Recorder(Path(_FOLDER, f"lines-{name}")))
