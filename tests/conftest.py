"""Switches of the suite: what an ordinary run leaves out, what is drawn at random, golden files."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import random
import secrets
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase

# Under python -O these are the modules beside test_*.py whose asserts are still to hold.
pytest.register_assert_rewrite("tests.helpers", "tests.strategies", "tests.sampled",
                               "tests.formulas", "tests.oracle", "tests.differential",
                               "tests.browser", "tests.hub_server")

#: Workers of one run inherit the number that the first process drew or was given.
SEED = int(os.environ.setdefault("SYMPARAM_SEED", str(secrets.randbelow(10**6))))
#: Examples that failed are kept here and tried first the next time; nothing is put in the clone.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "symparam")
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(CACHE / "hypothesis"))
DATABASE = DirectoryBasedExampleDatabase(
    Path(os.environ["HYPOTHESIS_STORAGE_DIRECTORY"], "examples"))
#: What every test with examples inherits. How long a machine takes for one says nothing of the
#: program; and no service may fix the examples or forget those that failed (Hypothesis's "ci").
hypothesis.settings.register_profile(
    "symparam", hypothesis.settings.get_profile("default"), deadline=None, print_blob=True,
    derandomize=False, database=DATABASE,
    suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("symparam")
#: Every day a test with examples draws one in so many of them, and so many at least.
SHARE, LEAST = 8, 5

#: SymPy keeps the last thousand of each of its results, and models follow each other here.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")

#: No test asks a hub on the network, or finds what a user has in a cache; those of
#: tests/test_hub.py bring a server of their own.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HOME"] = str(CACHE / "no-hub")

LEFT_OUT = ("slow", "latex", "browser", "coq", "differential", "long")
GOLDEN = Path(__file__).parent / "golden"
#: Packages by the names of others, found by the fixture ``library`` alone.
STAND_INS = Path(__file__).parent / "stand_ins"
collect_ignore = ["stand_ins"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--all``, ``--long``, ``--sample`` and ``--update-golden``."""
    parser.addoption("--all", action="store_true",
                     help="also run tests marked slow, latex or browser")
    parser.addoption("--long", action="store_true",
                     help="run everything: every model, and the comparison with transformers "
                     "where it is installed")
    parser.addoption("--sample", type=int, default=1, metavar="N",
                     help="of the cases of each test that is left out every day, run each N-th")
    parser.addoption("--update-golden", action="store_true",
                     help="write tests/golden/ anew instead of comparing with it")


def pytest_configure(config: pytest.Config) -> None:
    """Say to those that list their cases that all are wanted, and let them take their time."""
    if config.getoption("--long"):
        os.environ["SYMPARAM_MODELS"] = "all"  # (which workers inherit)
        config.option.timeout = 0


def pytest_sessionstart(session: pytest.Session) -> None:
    """The second of two workers loads the tests from the end, if all are wanted, so that each
    compiles a half: in a new clone that takes longer than any test."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" and "tests" in session.config.args:
        files = sorted(Path(__file__).parent.glob("test_*.py"))
        for path in reversed(files[len(files) // 2:]):
            with contextlib.suppress(Exception, pytest.skip.Exception):  # (said where collected)
                importlib.import_module(f"tests.{path.stem}")


def pytest_report_header() -> str:
    """What has to be known to draw the same examples again."""
    return f"random examples: SYMPARAM_SEED={SEED} draws these again"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A folder all of whose tests are left out is not read."""
    return True if collection_path.parent == Path(__file__).parent and (
        collection_path.name in _left_out(config)) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow, unless an option or ``-m`` asks for it; give the rest the seed."""
    for function in {getattr(item, "obj", None) for item in items}:
        if getattr(function, "is_hypothesis_test", False):
            _drawn(getattr(function, "__func__", function), _every_day(config))
    if not config.getoption("--update-golden"):
        _thinned(items)
    left_out = _left_out(config)
    sampled = _sampled(items, config.getoption("--sample"))
    gone = {item for item in items if any(item.get_closest_marker(m) for m in left_out)} | sampled
    if gone:
        config.hook.pytest_deselected(items=[item for item in items if item in gone])
        items[:] = [item for item in items if item not in gone]


def pytest_collection_finish() -> None:
    """Some ten thousand tests stay until the end: they are not to be looked through for garbage
    again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _every_day(config: pytest.Config) -> bool:
    """Whether no option asks for more than what runs every day."""
    return not (config.getoption("--all") or config.getoption("--long"))


def _drawn(function: Any, few: bool) -> None:
    """Give a test with examples the seed, and let it draw ``few`` of its examples or all."""
    own = function._hypothesis_internal_use_settings
    most = max(own.max_examples // SHARE, min(own.max_examples, LEAST)) if few else own.max_examples
    hypothesis.seed(SEED)(function)  # which takes the database away
    function._hypothesis_internal_use_settings = hypothesis.settings(
        own, max_examples=most, database=DATABASE)


def _left_out(config: pytest.Config) -> list[str]:
    """The marks whose tests do not run."""
    if config.getoption("--long"):
        return [] if importlib.util.find_spec("transformers") else ["differential"]
    kept_out = ("differential", "long") if config.getoption("--all") else LEFT_OUT
    return [mark for mark in kept_out if mark not in str(config.option.markexpr)]


def _thinned(items: list[pytest.Item]) -> None:
    """Of a test marked ``thinned(n)`` every day each n-th case, beginning with one that the seed
    of the run says, and one without cases on a day in n; the others are slow."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("thinned") and not any(
                item.get_closest_marker(other) for other in LEFT_OUT):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, found in cases.items():
        every = found[0].get_closest_marker("thinned").args[0]  # type: ignore[union-attr]
        among = min(every, len(found)) if len(found) > 1 else every
        first = random.Random(f"{SEED} {name}").randrange(among)
        for i, item in enumerate(found):
            if i % every != first:
                item.add_marker(pytest.mark.slow)


def _sampled(items: list[pytest.Item], every: int) -> set[pytest.Item]:
    """Of each test that is left out every day, all cases but the first and each N-th after it."""
    seen: Counter[str] = Counter()
    gone: set[pytest.Item] = set()
    for item in items:
        if any(item.get_closest_marker(mark) for mark in LEFT_OUT):
            name = item.nodeid.partition("[")[0]
            if seen[name] % every:
                gone.add(item)
            seen[name] += 1
    return gone


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """A file that is written here need not outlive a failure of power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


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


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
         capsys: pytest.CaptureFixture[str]) -> Callable[[str], tuple[int, str, str]]:
    """Run a command line in an empty folder: exit code, stdout, stderr."""
    from symparam.cli.main import run

    monkeypatch.chdir(tmp_path)

    def ran(text: str) -> tuple[int, str, str]:
        code = run(shlex.split(text))
        out = capsys.readouterr()
        return code, out.out, out.err

    return ran


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The stand-in for transformers; what was loaded under these names comes back."""
    def loaded() -> list[str]:
        return [name for name in sys.modules if name.partition(".")[0] in (
            "torch", "transformers", "transformers_modules")]
    for name in loaded():
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(STAND_INS))
    yield importlib.import_module("transformers")
    for name in loaded():
        del sys.modules[name]


@pytest.fixture
def ours(library: Any) -> Any:
    """The configurations of the stand-in."""
    return library.models.ours.configuration_ours
