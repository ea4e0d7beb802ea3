"""Files from outside: only regular ones are read, a bounded part, and none is waited for."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symparam.cli.main import run
from symparam.descriptions.reading.source import read_standard_input
from symparam.errors import FileError
from symparam.files.reading import opened, read_bytes, read_stdin, read_text
from tests.helpers import message, together

#: Whatever is read by a command, with the name that a file of its kind has.
READERS = {
    "config.json": ["count", "{}"], "own.toml": ["count", "{}"], "sizes.csv": ["check", "{}"],
    "sizes.md": ["check", "{}"], "sizes.tex": ["check", "{}"],
    "letters.toml": ["count", "gpt2", "--notation", "{}"],
    "own.txt.j2": ["count", "gpt2", "--template", "{}"],
    "model.safetensors": ["check", "gpt2", "{}"],
    "model.safetensors.index.json": ["check", "gpt2", "{}"],
    "page.md": ["docs", "check", "{}"], "page.tex": ["docs", "build", "{}"]}

#: A process of its own, so that one that waits or grows can be ended.
ENTRY = "import sys; from symparam.cli.main import run; sys.exit(run(sys.argv[1:]))"
EACH = """
import contextlib, io, json, resource, sys
from symparam.cli.main import run
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
for line in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(line)
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize("what", ["a pipe", "a device", "a large file"])
def test_no_command_waits_for_a_file_or_reads_without_an_end(what: str, tmp_path: Path) -> None:
    lines = []
    for name, words in READERS.items():
        path = tmp_path / name
        if what == "a pipe":
            os.mkfifo(path)
        elif what == "a device":
            path.symlink_to("/dev/zero")
        else:
            with path.open("wb") as file:
                file.truncate(2**36)
        lines.append([word.format(path) for word in words])
    done = subprocess.run([sys.executable, "-c", EACH], input=json.dumps(lines), text=True,
                          capture_output=True, timeout=60, cwd=tmp_path, check=True,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for name, (code, out, err) in zip(READERS, answers, strict=True):
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("symparam: ")
        assert name in err
        assert what == "a large file" or f"is {what}" in err, err


#: Whatever reads or writes a file that a link may stand for.
LINKED = [
    ["count", "{}/config.json"], ["docs", "check", "{}/page.md"],
    ["count", "gpt2", "--force", "-o", "{}/out.md"],
    ["derive", "gpt2", "--force", "--bib", "{}/out.bib"],
    ["sweep", "gpt2", "L=1:3", "--force", "-o", "{}/out.csv"],
    ["explore", "gpt2", "--force", "-o", "{}/out.html"]]


@together("words", LINKED)
def test_links_that_lead_in_a_circle_are_said_in_a_line(words: list[str], tmp_path: Path) -> None:
    for name in ("config.json", "own.md.j2", "out.md", "out.bib", "out.csv", "out.html"):
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / name).symlink_to(tmp_path / name)
    (tmp_path / "page.md").write_text(
        "<!-- symparam: count gpt2 --template own.md.j2 -->\n<!-- /symparam -->\n")
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        code = run([word.format(tmp_path) for word in words])
    assert code == 2
    assert told.getvalue().endswith("Too many levels of symbolic links\n")
    assert len(told.getvalue().splitlines()) == 1
    assert (tmp_path / "out.md").is_symlink()


def test_a_device_in_place_of_what_was_looked_at_is_refused(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = tmp_path / "good"
    good.write_bytes(b"x")
    state = good.stat()
    monkeypatch.setattr("os.stat", lambda _: state)
    with pytest.raises(FileError, match="is a device"):
        read_bytes("/dev/zero", "a table", 10)


@pytest.mark.parametrize(("size", "fits"), [(99, True), (100, True), (101, False)])
def test_a_file_may_be_as_large_as_was_said(size: int, fits: bool, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a" * size)
    if fits:
        assert read_text(path, "a table", 100) == "a" * size
    else:
        with pytest.raises(FileError, match="larger than 0 KiB: not a table"):
            read_text(path, "a table", 100)


def test_a_size_that_is_not_told_is_found_by_reading() -> None:
    """Files in /proc say that they are empty."""
    path = Path("/proc/self/maps")
    if not path.exists():
        pytest.skip("this system has no /proc")
    with pytest.raises(FileError, match="larger than"):
        read_bytes(path, "a table", 20)


def test_of_a_large_file_a_bounded_part_can_be_read_from_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    with path.open("wb") as sparse:
        sparse.truncate(2**40)
        sparse.seek(2**39)
        sparse.write(b"here")
    with opened(path, "a header", 100) as file:
        assert file.size == 2**40
        file.seek(2**39)
        assert file.read(4) == b"here"
        assert file.tell() == 2**39 + 4
        assert file.read(96) == bytes(96)
        with pytest.raises(FileError, match="not a header"):
            file.read(1)


def test_a_file_as_long_as_the_limit_is_read_to_its_end(tmp_path: Path) -> None:
    """Whoever asks for more than is left of it gets what is there."""
    path = tmp_path / "header"
    path.write_bytes(bytes(100))
    with opened(path, "a header", 100) as file:
        assert file.read(60) + file.read(60) == bytes(100)


@together("path", ["", "\0", "x" * 5000, "no/such/file", "\udcff"])
def test_what_is_no_file_is_said_in_a_line(path: str) -> None:
    with pytest.raises(FileError) as caught:
        read_bytes(path, "a table", 10)
    assert "\n" not in message(caught.value)


def heard(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(raw)))


def test_standard_input_is_read_once_and_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    heard(b"abc", monkeypatch)
    assert read_stdin("a table", 3) == read_stdin("a table", 3) == b"abc"
    heard(b"abcd", monkeypatch)
    with pytest.raises(FileError, match="larger than"):
        read_stdin("a table", 3)


@pytest.mark.parametrize("text", ['{"dims": {"L": 2}}', " \n{\"dims\":{\"L\":2}}", "[dims]\nL = 2",
                                  "\ufeffdims.L = 2"])
def test_a_description_from_standard_input_is_json_or_toml(
        text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heard(text.encode(), monkeypatch)
    assert read_standard_input() == {"dims": {"L": 2}}


# --- what a header of a checkpoint may take -----------------------------------------------------

def header(path: Path, body: bytes, room: int = 0) -> Path:
    """A safetensors file with a header, and so many bytes of weights that take no disk."""
    with path.open("wb") as file:
        file.write(len(body).to_bytes(8, "little") + body)
        file.truncate(8 + len(body) + room)
    return path


def many(count: int, spread: Any = lambda i: i) -> tuple[bytes, int]:
    """The header of so many tensors, no two of one name without its numbers, and their bytes."""
    entries, end = {}, 0
    for i in range(count):
        start, end = end, end + 8 * (i % 7 + 1)
        entries[f"n{spread(i):x}.weight"] = {
            "dtype": "F32", "shape": [i % 7 + 1, 2], "data_offsets": [start, end]}
    return json.dumps(entries).encode(), end


#: How it begins, what is repeated in it, how often, and how it ends.
HUGE = {"lists": (b'{"a":[', b"[],", 30_000_000, b"[]]}"),
        "tables": (b'{"a":{', b'"":{},', 15_000_000, b'"":{}}}'),
        "metadata": (b'{"__metadata__":{', b'"a":"b",', 11_000_000, b'"a":"b"}}'),
        "nothing": (b"{", b" ", 90_000_000, b"}")}


@pytest.mark.slow
@pytest.mark.parametrize("what", HUGE)
def test_a_huge_header_takes_little_memory_and_time(what: str, tmp_path: Path) -> None:
    begin, each, times, end = HUGE[what]
    path = header(tmp_path / "x.safetensors", begin + each * times + end)
    done = measured(path, tmp_path)
    assert "Traceback" not in done.stderr


def measured(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """A check of a header with half a gigabyte, and an end of processor time far above its need."""
    limited = ("import resource as r; r.setrlimit(r.RLIMIT_CPU, (20, 20)); "
               "import symparam.cli.commands.check; m = 500 * 2**20; "
               "r.setrlimit(r.RLIMIT_DATA, (m, m)); ")
    done = subprocess.run([sys.executable, "-c", limited + ENTRY, "check", "gpt2", str(path)],
                          capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode in {1, 2}, done.stderr
    assert "too large" not in done.stderr
    return done


@pytest.mark.slow
@pytest.mark.parametrize("spread", [lambda i: i, lambda i: i * 2654435761 % 2**32],
                         ids=["numbered", "distinct"])
def test_a_hundred_thousand_tensors_are_read_and_compared_in_time(
        spread: Any, tmp_path: Path) -> None:
    done = measured(header(tmp_path / "x.safetensors", *many(100_000, spread)), tmp_path)
    assert done.returncode == 1
