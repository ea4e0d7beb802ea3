"""Files that a command reads and writes: those without content, endings, what is never replaced."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from symparam.claims.tables import markdown_table
from symparam.descriptions.reading.source import no_content
from tests.helpers import LLAMA, Line, config_folder, together

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@together(("content", "words"), [(POINTER, "Git-LFS pointer"), ("", "is empty")])
@together("name", ["a.json", "a.safetensors", "a.toml"])
def test_a_file_without_content_is_named_as_such(
        name: str, content: str, words: str, line: Line) -> None:
    Path(name).write_text(content)
    code, _, err = line(f"check gpt2 {name}" if "safe" in name else f"count {name}")
    assert (code, words in err, f"{name}: " in err) == (2, True, True)


def test_a_text_that_begins_like_a_pointer_is_none() -> None:
    assert no_content(b"version = 3") == no_content(b"v") == no_content(b"{}") == ""


def test_a_shape_is_refused_with_what_is_wrong_in_it(line: Line) -> None:
    head = json.dumps({"w": {"dtype": "F32", "shape": [2, "x"], "data_offsets": [0, 8]}}).encode()
    Path("a.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + b"\0" * 8)
    assert 'w.shape: expected a list of whole numbers, found "x" in it' in line(
        "check gpt2 a.safetensors")[2]


def standing() -> dict[str, bytes]:
    """What stands below the working folder."""
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


#: A table, a notation, a template and one that it includes, code.
READ = {"t.csv": "model,P\nllama-2-7b,7B\n", "own.toml": "[latex]\nV = 'v'\n",
        "x.txt.j2": "<% include 'y.txt.j2' %>", "parts/y.txt.j2": ".",
        "own.py": "class Model:\n    pass\n"}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("text", [
    "count mine/config.json -o mine/config.json", "count mine -o mine/config.json",
    "count ./mine -o ./mine/../mine/config.json", "count mine -o link.json",
    "count mine -o second.json", "convert mine --to hf -o mine/config.json",
    "check gpt2 kept.txt.safetensors -o kept.txt.safetensors --format text",
    "solve mine P=1e5 --bib mine/config.json", "count mine --bib second.json",
    "sweep mine L=1:3 -o mine/config.json --format csv",
    "check t.csv --bib t.csv", "check t.csv -o t.csv --format text",
    "count gpt2 --notation own.toml -o own.toml --format text",
    "count gpt2 --notation own.toml --bib own.toml",
    "count gpt2 --template x.txt.j2 --template-path parts -o x.txt.j2",
    "count gpt2 --template x.txt.j2 --template-path parts -o parts/y.txt.j2",
    "count gpt2 --template x.txt.j2 --template-path parts --bib parts/y.txt.j2",
    "plot cache mine -o x.svg --data mine/config.json", "plot cache mine --data second.json "
    "--format svg", "derive derivation.json --certificate .", "bundle main.tex.json -o paper",
    "derive mine --exercise --answers second.json", "derive mine --exercise -o a.md --answers "
    "link.json", "trace own.py:Model -o own.py --format text", "trace mine -o second.json"])
def test_what_is_read_is_never_replaced(text: str, line: Line) -> None:
    config_folder("mine", LLAMA)
    Path("link.json").symlink_to("mine/config.json")
    Path("second.json").hardlink_to("mine/config.json")
    Path("derivation.json").write_bytes(Path("mine/config.json").read_bytes())
    Path("kept.txt.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    Path("paper").mkdir()
    Path("main.tex.json").symlink_to("paper/main.tex")
    Path("paper/main.tex").write_bytes(Path("mine/config.json").read_bytes())
    Path("parts").mkdir()
    for name, content in READ.items():
        Path(name).write_text(content)
    before = standing()
    code, _, err = line(f"{text} --force")
    assert (code, "is what is read" in err) == (2, True), err
    assert standing() == before


def test_what_standard_input_is_read_from_is_never_replaced(
        line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("config.json").write_text(json.dumps(LLAMA))
    with Path("config.json").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        code, _, err = line("count - -o config.json --force")
    assert (code, "is what is read" in err) == (2, True), err
    assert json.loads(Path("config.json").read_text()) == LLAMA


@pytest.mark.thinned(3)
@pytest.mark.parametrize("text", [
    "derive gpt2 -o y.tex --bib y.tex", "derive gpt2 -o y.tex --bib ./y.tex",
    "derive gpt2 -o old.tex --bib link.tex", "derive gpt2 -o old.tex --bib second.tex",
    "derive gpt2 --exercise --answers a.tex --bib a.tex",
    "derive gpt2 --exercise -o a.tex --answers ./a.tex",
    "derive gpt2 --certificate cert -o cert/README.md", "plot cache gpt2 -o x.svg --data ./x.svg",
    "plot cache gpt2 -o old.svg --data same.svg"])
def test_two_outputs_are_never_one_file(text: str, line: Line) -> None:
    Path("old.tex").write_text("kept")
    Path("old.svg").write_text("kept")
    for link, target in {"link.tex": "old.tex", "same.svg": "old.svg"}.items():
        Path(link).symlink_to(target)
    Path("second.tex").hardlink_to("old.tex")
    before = standing()
    code, _, err = line(f"{text} --force")
    assert (code, err.count("\n"), "name two files" in err) == (2, 1, True), err
    assert standing() == before
    assert not Path("cert").exists()


@pytest.mark.thinned(3)
@pytest.mark.parametrize("text", [
    "derive gpt2 --bib new.bib -o kept.tex", "derive gpt2 --certificate new -o kept.tex",
    "derive gpt2 -o new.tex --bib kept.tex", "derive gpt2 --certificate new --bib kept.tex",
    "derive gpt2 --exercise -o kept.tex --answers new.tex"])
def test_where_one_output_is_refused_none_is_written(text: str, line: Line) -> None:
    Path("kept.tex").write_text("kept")
    code, out, err = line(text)
    assert (code, out, "kept.tex exists; --force replaces it" in err) == (2, "", True), err
    assert standing() == {"kept.tex": b"kept"}
    assert not Path("new").exists()


def test_a_bibliography_has_what_both_sheets_of_an_exercise_cite(line: Line) -> None:
    assert line("derive gpt2 --exercise -o a.tex --answers b.tex --bib c.bib")[0] == 0
    cited = re.findall(r"\\citep?(?:\[[^]]*\])?{([^}]*)}", Path("b.tex").read_text())
    assert cited
    for key in {key.strip() for keys in cited for key in keys.split(",")}:
        assert f"{{{key}," in Path("c.bib").read_text()


@pytest.mark.thinned(4)
@pytest.mark.parametrize("text", [
    "count gpt2 -o kept.tex", "count gpt2 -o link.tex", "count gpt2 -o a.tex --bib kept.tex",
    "sweep gpt2 L=1:3 --format csv -o kept.tex", "sweep gpt2 L=1:3 --format csv -o link.tex",
    "plot cache gpt2 -o a.svg --data kept.tex"])
@pytest.mark.parametrize("mode", [0o600, 0o444])
def test_a_file_that_is_replaced_keeps_its_mode(text: str, mode: int, line: Line) -> None:
    Path("kept.tex").write_text("private")
    Path("kept.tex").chmod(mode)
    Path("link.tex").symlink_to("kept.tex")
    assert line(f"{text} --force")[0] == 0
    assert Path("kept.tex").read_text() != "private"
    assert Path("kept.tex").stat().st_mode & 0o7777 == mode
    assert Path("link.tex").is_symlink()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files away")
@pytest.mark.parametrize("text", ["count gpt2", "sweep gpt2 L=1:3 --format csv"])
def test_a_file_that_is_replaced_keeps_its_owner(text: str, line: Line) -> None:
    Path("kept.tex").write_text("private")
    os.chown("kept.tex", 12345, 54321)
    assert line(f"{text} -o kept.tex --force")[0] == 0
    state = Path("kept.tex").stat()
    assert (state.st_uid, state.st_gid) == (12345, 54321)


def test_what_replaces_a_private_file_is_private_from_its_first_byte(
        line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    modes, put = list[int](), os.fsync

    def synced(handle: int) -> None:
        modes.append(os.fstat(handle).st_mode & 0o777)
        put(handle)

    monkeypatch.setattr(os, "fsync", synced)
    Path("kept.tex").touch(0o600)
    assert line("count gpt2 -o kept.tex --force")[0] == 0
    assert modes == [0o600]


def test_a_file_beside_it_is_written(line: Line) -> None:
    config_folder("mine", LLAMA)
    assert line("count mine -o mine/count.json")[0] == 0
    assert json.loads(Path("mine/count.json").read_text())["model"] == "mine"


@together(("name", "code"), [
    ("a.pdf", 2), ("a.ipynb", 2), ("llama-2.7b", 2), ("''", 2), ("a.txt", 0), ("a", 0), ("a.md", 0),
    ("a.JSON", 0), ("a.pdf --format text", 0), ("-", 0)])
def test_the_ending_of_a_file_says_its_format_or_is_refused(
        name: str, code: int, line: Line) -> None:
    found, out, err = line(f"count gpt2 -o {name}")
    assert found == code, err
    assert bool(out) == (name == "-")
    if name == "a.JSON":
        assert json.loads(Path("a.JSON").read_text())["total"] == 124_439_808


def test_marks_of_markdown_are_no_part_of_a_cell() -> None:
    table = markdown_table.read("t.md", "| model | a \\| b | note |\n|---|---|---|\n"
                                "| **gpt2** | [1](x) | `x`&nbsp;y |\n")
    assert table.header == ("model", "a | b", "note")
    assert table.rows == ((3, ("gpt2", "1", "x y")),)


@together("text", ["check gpt2 {}", "check gpt2 {}.safetensors", "docs check {}/d.md",
                   "trace {}/m.py:M", "bundle gpt2 -o {}"])
def test_a_file_that_cannot_be_looked_at_is_named(text: str, line: Line) -> None:
    code, out, err = line(text.format("x" * 300))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("symparam: xxx")
    assert "cannot be reached: File name too long" in err


def test_of_a_folder_that_nobody_may_look_into_it_is_not_said_what_is_in_it(
        line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    Path("mine").mkdir()
    assert "has none" in line("count mine")[2]
    monkeypatch.setattr(Path, "lstat", refused)
    assert "has none" not in line("count mine")[2]
