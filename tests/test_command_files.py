"""Files that a command reads and writes: those without content, endings, what is never replaced."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("text", [
    "count mine/config.json -o mine/config.json --force", "count mine -o mine/config.json --force",
    "count ./mine -o ./mine/../mine/config.json --force", "count mine -o link.json --force",
    "check gpt2 kept.txt.safetensors -o kept.txt.safetensors --force --format text"])
def test_what_is_read_is_never_replaced(text: str, line: Line) -> None:
    config_folder("mine", LLAMA)
    Path("link.json").symlink_to("mine/config.json")
    Path("kept.txt.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    before = Path("mine/config.json").read_bytes(), Path("kept.txt.safetensors").read_bytes()
    code, _, err = line(text)
    assert (code, "is what is read" in err) == (2, True), err
    assert before == (Path("mine/config.json").read_bytes(),
                      Path("kept.txt.safetensors").read_bytes())


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
