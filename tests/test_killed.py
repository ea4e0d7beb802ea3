"""Ended at any moment: no file is ever half written, none is lost, and Ctrl-C says one line."""

from __future__ import annotations

import ast
import contextlib
import io
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import symparam
from symparam.cli.main import run
from symparam.errors import OutputError
from symparam.files.writing import uninterrupted, write_files
from tests.helpers import dotted, message, together

STALE = "# A page\n\n<!-- symparam: count gpt2 -->\nold\n<!-- /symparam -->\n"


def quietly(*arguments: str | Path) -> int:
    """A command of this process, heard by nobody."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run([str(word) for word in arguments])


def sweeping(path: Path) -> None:
    """A sweep that notes after each of its blocks how far it is."""
    from symparam.api import load
    from symparam.sweep import write as writing
    from symparam.sweep.sweep import sweep

    writing.PAUSE = 0.0
    writing.write(sweep(load("gpt2"), {"L": range(1, 65), "d_model": range(12, 1200, 12)},
                        block=256), path, "csv", force=True)


#: What writes a file, and what stands in it before.
WRITERS: dict[str, tuple[str, Callable[[Path], Any], str | None]] = {
    "-o": ("out.md", lambda path: quietly("count", "gpt2", "-o", path), None),
    "-o --force": ("out.json", lambda path: quietly(
        "count", "gpt2", "--force", "-o", path), "the old one"),
    "docs build": ("page.md", lambda path: quietly("docs", "build", path), STALE),
    "plot": ("flow.mmd", lambda path: quietly("plot", "flow", "gpt2", "-o", path), None),
    "sweep": ("out.csv", sweeping, "the old one")}


def killed(folder: Path, name: str, times: int, seed: int) -> int:
    """Kill what writes at random moments; how often it was killed before it was done."""
    file, write, before = WRITERS[name]
    path, whole = folder / "here" / file, folder / "whole" / file
    warm = folder / "warm" / file
    for each in (path, whole, warm):
        each.parent.mkdir()
        if before is not None:
            each.write_text(before)
    write(warm)
    start = time.monotonic()
    write(whole)
    usual, chance, early = time.monotonic() - start, random.Random(seed), 0
    good = {whole.read_bytes(), None if before is None else before.encode()}
    for _ in range(times):
        process = multiprocessing.get_context("fork").Process(target=write, args=(path,))
        process.start()
        process.join(chance.uniform(0, usual))
        process.kill()  # no signal that it could answer
        process.join()
        early += process.exitcode == -signal.SIGKILL
        found = path.read_bytes() if path.exists() else None
        assert found in good
        if found == whole.read_bytes() or chance.random() < 0.2:
            for each in path.parent.iterdir():
                if each.is_file():
                    each.unlink()
            if before is not None:
                path.write_text(before)
    while name == "sweep" and path.read_bytes() != whole.read_bytes():
        write(path)
    return early


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", WRITERS)
def test_no_file_is_half_written_or_lost(name: str, tmp_path: Path) -> None:
    assert killed(tmp_path, name, 4, seed=3)


@pytest.mark.long
@pytest.mark.parametrize("name", WRITERS)
def test_no_file_is_half_written_or_lost_in_many_times(name: str, tmp_path: Path) -> None:
    assert killed(tmp_path, name, 250, seed=random.randrange(2**32)) > 50


@pytest.mark.parametrize("step", range(1, 7))
def test_files_that_belong_together_are_written_all_or_none(
        step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken at each of its calls of the system in turn."""
    calls = iter(range(1, 100))

    def breaking(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if next(calls) == step:
                raise OSError(28, "No space left on device")
            return real(*args, **kwargs)
        return call

    for name in ("open", "fsync"):
        monkeypatch.setattr(f"symparam.files.writing.os.{name}", breaking(getattr(os, name)))
    files = [(tmp_path / "a", b"1"), (tmp_path / "b", b"2")]
    if step <= 4:
        with pytest.raises(OutputError, match="No space left"):
            write_files(files, force=False)
    else:
        write_files(files, force=False)
    monkeypatch.undo()
    assert sorted(each.name for each in tmp_path.iterdir()) == ([] if step <= 4 else ["a", "b"])


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path: Path) -> None:
    """It may have been put there to have a file made elsewhere."""
    path, victim = tmp_path / "out.md", tmp_path / "victim"
    path.symlink_to(victim)
    with pytest.raises(OutputError, match="exists"):
        write_files([(path, b"x")], force=False)
    assert not victim.exists()


def test_a_link_of_another_user_is_not_followed(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, victim = tmp_path / "out.md", tmp_path / "victim"
    victim.write_text("kept")
    path.symlink_to(victim)
    monkeypatch.setattr("os.geteuid", lambda: path.lstat().st_uid + 1)
    with pytest.raises(OutputError) as caught:
        write_files([(path, b"x")], force=True)
    assert "another user's" in message(caught.value)
    assert victim.read_text() == "kept"


def test_a_file_that_appears_while_another_is_written_is_kept(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.md"
    monkeypatch.setattr("os.fsync", lambda _: path.write_text("somebody's"))
    with pytest.raises(OutputError, match="exists"):
        write_files([(path, b"x")], force=False)
    assert path.read_text() == "somebody's"
    assert list(tmp_path.iterdir()) == [path]


# --- Ctrl-C -------------------------------------------------------------------------------------

#: Lines that take seconds, one of each kind of work.
LONG = {
    "sweep": "sweep llama-2-7b L=1:400 d_model=64:8192:64 n_kv=1,2,4,8 --quantity P,flops "
             "-o {}/a.csv --force",
    "solve": "solve P=7e9 d_ff=? n_kv=? --attention gqa --ffn swiglu",
    "derive": "derive deepseek-v3 --detail full --sensitivity -o {}/a.md",
    "suite": "solve --ladder 1e8,1e9,7e9,7e10 -o {}/a.json",
    "plot": "plot contours llama-2-7b -o {}/a.svg",
    "sensitivity": "sensitivity deepseek-v3 -o {}/a.html", "cost": "cost deepseek-v3 -o {}/a.tex",
    "diff": "diff gpt2 deepseek-v3 -o {}/a.md",
    "check": "check llama-2-7b --claim P=6.9B -o {}/a.md",
    "align": "align deepseek-v3 -o {}/a.md"}


def not_ignored() -> None:
    """A job in the background ignores SIGINT, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupted(line: str, folder: Path, after: float) -> tuple[int, str, float]:
    """The exit code and stderr of a command that is interrupted, and the seconds it then took."""
    process = subprocess.Popen([sys.executable, "-m", "symparam", *line.format(folder).split()],
                               stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               preexec_fn=not_ignored)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(after)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    return process.returncode, err, time.monotonic() - start


#: A module that is loaded after Ctrl-C is heard.
HEARD = re.compile(r"symparam/(?!(?:__init__|__main__|begun)\.py)[\w/]+\.py")


def obeys(line: str, folder: Path, after: float) -> bool:
    """Whether it was interrupted at all; where it was, it said one line and left nothing."""
    code, err, took = interrupted(line, folder, after)
    partial = [each for each in folder.iterdir() if each.name.startswith(".")
               and not each.name.endswith(".sweep")]
    assert not partial
    if code != 130:  # it was done, or was still to begin
        assert code in {0, 1, 2} or (code == -signal.SIGINT and not HEARD.search(err)), err
        return False
    assert err.endswith("\n")
    lines = [each for each in err.splitlines() if not each.startswith(("note: ", "wrote ", "\r"))]
    assert len(lines) == 1, err
    assert lines[0].startswith("symparam: interrupted")
    assert took < 20  # a second where nothing else runs: this is not to hang
    return True


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["sweep", "derive"])
def test_ctrl_c_is_answered_by_one_line(name: str, tmp_path: Path) -> None:
    # How long a start takes is the machine's matter: one of these moments is in the midst.
    moments = (0.25, 0.4, 0.6, 0.15, 0.9, 1.4, 2.0, 3.0, 4.5)
    assert any(obeys(LONG[name], tmp_path, after) for after in moments)


#: What is loaded between Python's own start and the command, the first and the last.
LOADED = ("fractions", "click", "symparam.errors", "symparam.cli.main")
PROJECT = Path(symparam.__file__).parent.parent
STARTS = {"module": ["-m", "symparam"], "script": ["{}/symparam"]}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", LOADED)
@pytest.mark.parametrize("begun", STARTS)
def test_ctrl_c_while_it_is_loading_is_one_line(begun: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "symparam").write_text("from symparam.cli.start import main\nmain()")
    (tmp_path / "sitecustomize.py").write_text(f"""
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
""")
    found = subprocess.run(
        [sys.executable, *(each.format(tmp_path) for each in STARTS[begun]), "count", "gpt2"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(PROJECT)))},
        preexec_fn=not_ignored, timeout=100,
        capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "symparam: interrupted\n")


def test_a_program_that_imports_the_package_keeps_its_handlers() -> None:
    code = "import signal, symparam; print(signal.getsignal(signal.SIGINT).__name__)"
    assert subprocess.run([sys.executable, "-c", code, "-m", "symparam"], text=True, timeout=100,
                          capture_output=True, check=True,
                          preexec_fn=not_ignored).stdout == "default_int_handler\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_at_any_moment(name: str, tmp_path: Path) -> None:
    chance = random.Random(7)
    assert sum(obeys(LONG[name], tmp_path, chance.uniform(0.02, 1.2)) for _ in range(20))


@pytest.fixture
def _heard() -> Iterator[None]:
    """Ctrl-C is an exception, in a job that ignores it too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_heard")
def test_what_is_written_is_finished_before_ctrl_c_is_answered() -> None:
    done = []

    def write(times: int) -> None:
        with uninterrupted():
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)
            done.append(times)

    with pytest.raises(KeyboardInterrupt):
        write(1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        write(2)
    assert done == [1]


# --- who may open files -------------------------------------------------------------------------

#: What opens, moves or removes files, by the last part of its name.
FILES = frozenset(
    "open read_text read_bytes write_text write_bytes fdopen mkstemp NamedTemporaryFile "
    "TemporaryFile mkdtemp TemporaryDirectory unlink rename link symlink symlink_to hardlink_to "
    "copyfile copy2 rmtree memmap mmap fromfile loadtxt genfromtxt read_csv".split())
WHOLE = frozenset("os.replace os.remove shutil.move json.load json.dump tomllib.load pickle.load "
                  "np.load np.save".split())
NAMED = re.compile(rf"\b(?:{'|'.join(name.rpartition('.')[2] for name in FILES | WHOLE)})\b")
#: The one place for that; functions of it and names of other things that are called alike.
HOME = "files"
OWN = frozenset({"read_bytes", "read_text", "write_text"})
OTHERS = {("hub/ranges.py", "open"),  # an address
          ("certificate/check.py", "open"),  # a program that imports nothing of the package
          ("explore/page.py", "read_text"),  # the package's own scripts
          ("sweep/write.py", "open"), ("sweep/formats.py", "open"),
          ("tracing/child.py", "fdopen"), ("tracing/supervised.py", "TemporaryFile"),
          ("tracing/supervised.py", "read_text")}  # between the two, and of /proc


def opening(source: str) -> set[str]:
    """What a source calls that opens or moves files; ``os.replace`` and ``json.load`` too."""
    found = set[str]()
    if not NAMED.search(source):
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            last = name.rpartition(".")[2]
            own = isinstance(node.func, ast.Name) and last in OWN
            if (last in FILES and not own) or name in WHOLE:
                found.add(last)
    return found


def test_files_are_opened_in_one_place() -> None:
    root = Path(symparam.__file__).parent
    found = {(str(path.relative_to(root)), name) for path in root.rglob("*.py")
             if path.relative_to(root).parts[0] != HOME
             for name in opening(path.read_text(encoding="utf-8"))}
    assert found <= OTHERS, found - OTHERS
    assert opening((root / "files" / "writing.py").read_text(encoding="utf-8")) >= {"open", "link"}


@together("source", [
    "open('x')", "with path.open('rb') as f: pass", "import os\nos.open('x', 0)",
    "def f(p):\n    return p.read_text()", "json.load(f)", "os.replace(a, b)"])
def test_another_way_to_open_one_is_noticed(source: str) -> None:
    assert opening(source)
