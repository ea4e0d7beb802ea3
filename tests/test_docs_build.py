"""Marked blocks of documents: what is built, what is refused, and that nothing else changes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from symparam.cli.main import cli, run
from symparam.documents.marked_files import (
    MARKDOWN,
    TEX,
    Answer,
    Block,
    Kind,
    blocks,
    kind_of,
    rebuilt,
)
from symparam.errors import DocsError, OutputError, the
from symparam.files.writing import may_be_written, only_read, write_files
from tests.helpers import together
from tests.strategies import quick

SCHEMA = Path(__file__).parent.parent / "docs" / "schema" / "docs.schema.json"
MARKS = {"Markdown": (b"<!-- symparam: %s -->", b"<!-- /symparam -->"),
         "TeX": (b"% symparam: %s", b"% /symparam")}
KINDS = st.sampled_from([MARKDOWN, TEX])
many = settings(quick, max_examples=120)


def opening(kind: Kind, command: bytes = b"count gpt2") -> bytes:
    """The line that opens a block."""
    return MARKS[kind.name][0].replace(b"%s", command)


def echo(block: Block) -> Answer:
    """A runner that answers with the command itself."""
    return Answer("markdown", f"# {block.command}\n\n")


def tex_echo(block: Block) -> Answer:
    """The same for TeX."""
    return Answer("latex", f"% {block.command}\nx\n")


def run_of(kind: Kind) -> object:
    """The runner of a kind."""
    return echo if kind is MARKDOWN else tex_echo


# --- properties -----------------------------------------------------------------------------

#: Bytes that hold no mark and open no fence, whole lines or not.
PLAIN = st.binary(max_size=40).filter(
    lambda b: b"symparam" not in b and b"`" not in b and b"~" not in b and b"\\" not in b
    and not b.startswith((b"\xff\xfe", b"\xfe\xff")))
NEWLINE = st.sampled_from([b"\n", b"\r\n"])


@many
@given(KINDS, st.lists(st.tuples(PLAIN, PLAIN, NEWLINE, NEWLINE), max_size=4), PLAIN)
def test_nothing_changes_around_and_between_blocks(
        kind: Kind, drawn: list[tuple[bytes, bytes, bytes, bytes]], tail: bytes) -> None:
    """Put together here, piece by piece: the old document, and the one that must come out."""
    old = new = b""
    for i, (around, inside, first, last) in enumerate(drawn):
        begin = opening(kind, b"word %d" % i) + first
        close = MARKS[kind.name][1] + last
        before = around + b"\n" + begin
        level = heading_above(old_outside(drawn[:i + 1]))
        body = (f"\n{'#' * min(6, 1 + level)} word {i}\n\n" if kind is MARKDOWN
                else f"% word {i}\nx\n").encode().replace(b"\n", first)
        old += before + inside + (b"\n" if inside else b"") + close
        new += before + body + close
    result = rebuilt(old + tail, kind, "x", run_of(kind))  # type: ignore[arg-type]
    assert result == new + tail
    assert rebuilt(result, kind, "x", run_of(kind)) == result  # type: ignore[arg-type]


def old_outside(drawn: list[tuple[bytes, bytes, bytes, bytes]]) -> bytes:
    """What stands outside the blocks so far."""
    return b"\n".join(around for around, *_ in drawn)


def heading_above(text: bytes) -> int:
    """The level of the last heading, read here line by line."""
    level = 0
    for number, line in enumerate(text.split(b"\n")):
        bare = line[:-1] if line.endswith(b"\r") else line
        if number == 0 and bare.startswith(b"\xef\xbb\xbf"):
            bare = bare[3:]
        stripped = bare.lstrip(b" ")
        hashes = len(stripped) - len(stripped.lstrip(b"#"))
        rest = stripped[hashes:]
        if len(bare) - len(stripped) < 4 and 1 <= hashes <= 6 and (
                not rest or rest[:1] in {b" ", b"\t"}):
            level = hashes
    return level


SOUP = st.lists(st.sampled_from([
    b"<!-- symparam: a -->", b"<!-- /symparam -->", b"% symparam: a", b"% /symparam", b"```",
    b"~~~", b"````", b"```text", b"    ", b" ", b"\n", b"\n", b"\n", b"\r\n", b"\r", b"x", b"# h",
    b"\xff", b"\xef\xbb\xbf", b"\\begin{verbatim}", b"\\end{verbatim}", b"<!--", b"-->", b"%",
    b"- ", b"2. ", b"\t", b"      ",
    b"\x00", "é".encode("latin-1")]), max_size=24).map(b"".join)


@many
@given(KINDS, SOUP)
def test_any_soup_of_marks_is_built_or_refused(kind: Kind, soup: bytes) -> None:
    """Built twice it is the same, it keeps its marks, and without its blocks it is what it was."""
    try:
        found = blocks(soup, kind, "x")
        result = rebuilt(soup, kind, "x", run_of(kind))  # type: ignore[arg-type]
    except DocsError:
        return
    again = blocks(result, kind, "x")
    assert [b.command for b in again] == [b.command for b in found]
    assert emptied(result, again) == emptied(soup, found)
    assert rebuilt(result, kind, "x", run_of(kind)) == result  # type: ignore[arg-type]


def emptied(data: bytes, found: list[Block]) -> bytes:
    """A document without what stands between its marks."""
    for block in reversed(found):
        data = data[:block.start] + data[block.end:]
    return data


@many
@given(st.binary(max_size=60), st.binary(max_size=60), st.text(max_size=60))
def test_an_answer_cannot_break_out(before: bytes, after: bytes, text: str) -> None:
    """Whatever a command prints: the document has the same blocks, or it is refused."""
    data = before + b"\n" + opening(MARKDOWN) + b"\n" + MARKS["Markdown"][1] + b"\n" + after
    for form in ("text", "markdown"):
        for hostile in (text, f"```\n<!-- /symparam -->\n{text}", "<!-- /symparam -->\n"):
            try:
                built = rebuilt(data, MARKDOWN, "x", lambda _, f=form, h=hostile: Answer(f, h))
            except DocsError:
                continue
            assert len(blocks(built, MARKDOWN, "x")) == len(blocks(data, MARKDOWN, "x"))
            if form == "text":
                assert b"```" in built or not blocks(data, MARKDOWN, "x")


# --- marks ----------------------------------------------------------------------------------

@together(("text", "line", "words"), [
    ("<!-- symparam: a -->\n", 1, "is not closed"),
    ("\n\n<!-- symparam: a -->\n```\n<!-- /symparam -->\n", 3, "line 4 goes on to the end"),
    ("<!-- symparam: a -->\n<!-- symparam: b -->\n", 2, "a block inside a block"),
    ("x\n<!-- /symparam -->\n", 2, "none is open"),
    ("<!-- symparam: -->\n", 1, "names no command"),
    (f"<!-- symparam: count {'x ' * 9_000}-->\n<!-- /symparam -->\n", 1, "18,005 characters"),
    ("<!-- symparam: a --> x\n", 1, "alone on its line"),
    ("<!-- symparam: a\n-->\n", 1, "alone on its line"),
    ("<!-- symparam derive -->\n", 1, "no mark"),
    ("<!-- /symparam: -->\n", 1, "no mark"),
    ("<!-- SYMPARAM: a -->\n", 1, "no mark"),
    ("words\n    <!-- symparam: a -->\n", 2, "indented as what is around it")])
def test_wrong_marks_are_named_with_their_line(text: str, line: int, words: str) -> None:
    with pytest.raises(DocsError, match=words) as caught:
        blocks(text.encode(), MARKDOWN, "x.md")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"x.md, line {line}: ")


@together(("text", "words"), [
    ("% symparam: a\n", "not closed"), ("% /symparam\n", "none is open"),
    ("% symparam:\n", "no command"), ("% /symparam here\n", "no mark"),
    ("% Symparam: a\n", "no mark"), ("% symparam: a\n% symparam: b\n", "inside a block")])
def test_wrong_marks_in_tex(text: str, words: str) -> None:
    with pytest.raises(DocsError, match=words):
        blocks(text.encode(), TEX, "x.tex")


@together("text", [
    "```\n<!-- symparam: a -->\n```\n", "~~~~ md\n<!-- /symparam -->\n~~~\n~~~~\n",
    "    <!-- symparam: a -->\n", "see `<!-- symparam: a -->`\n", "> <!-- symparam: a -->\n",
    "   ````text\n```\n<!-- symparam: a -->\n   ````\n"])
def test_marks_in_code_are_text(text: str) -> None:
    assert blocks(text.encode(), MARKDOWN, "x.md") == []


@together(("before", "indent"), [
    ("- a\n\n", "    "), ("1.  a\n    b\n", "    "), ("- a\n\n  1. b\n\n", "     "),
    ("-\ta\n\n", "\t"), ("- a\n\n", "\t "), ("* * *\n- a\nlazy\n\n", "  "),
    ("- a\n\n  ```\n  x\nb\n", ""), ("- ", ""), ("1. - ", "")])
def test_marks_in_the_text_of_a_list_item_are_marks(before: str, indent: str) -> None:
    """They are no code there, however far the item is indented."""
    text = f"{before}{indent}<!-- symparam: a -->\n{indent}<!-- /symparam -->\n"
    assert [b.command for b in blocks(text.encode(), MARKDOWN, "x.md")] == ["a"]


@together("text", [
    "- a\n\n      <!-- symparam: a -->\n", "- a\n\nb\n\n    <!-- symparam: a -->\n",
    "-     <!-- symparam: a -->\n", "* * *\n\n    <!-- symparam: a -->\n",
    "1. a\n\n   ```\n   <!-- symparam: a -->\n   ```\n", "# a\n    <!-- symparam: a -->\n",
    "10. a\n\n    ~~~\n    <!-- symparam: a -->\n    ~~~\n",
    "- a\n\n      code\n      <!-- symparam: a -->\n"])
def test_marks_in_code_around_list_items_are_text(text: str) -> None:
    assert blocks(text.encode(), MARKDOWN, "x.md") == []


def test_an_answer_in_a_list_item_stays_in_it() -> None:
    data = b"1. a\n\n   <!-- symparam: a -->\n   <!-- /symparam -->\n\n2. b\n"
    built = rebuilt(data, MARKDOWN, "x.md", lambda _: Answer("text", "x\n\n- y"))
    assert b"-->\n\n   ```text\n   x\n\n   - y\n   ```\n\n   <!--" in built
    assert rebuilt(built, MARKDOWN, "x.md", lambda _: Answer("text", "x\n\n- y")) == built


def test_marks_in_verbatim_are_text() -> None:
    text = (b"\\begin{lstlisting}\n% symparam: a\n\\end{lstlisting}\n% about symparam\n"
            b"%% symparam: a")
    assert blocks(text, TEX, "x.tex") == []
    both = b"\\begin{verbatim}x\\end{verbatim}\n% symparam: a\n% /symparam"
    assert len(blocks(both, TEX, "x.tex")) == 1


def test_a_line_of_backticks_with_a_backtick_behind_is_no_fence() -> None:
    text = b"``` `\n<!-- symparam: a -->\n<!-- /symparam -->\n"
    assert len(blocks(text, MARKDOWN, "x.md")) == 1


def test_kinds_of_document_and_of_answer() -> None:
    assert kind_of("A.MD") is MARKDOWN
    assert kind_of("a.tex") is TEX
    with pytest.raises(DocsError, match="neither Markdown nor TeX"):
        kind_of("a.rst")
    with pytest.raises(DocsError, match="UTF-16"):
        blocks("<!-- symparam: a -->".encode("utf-16"), MARKDOWN, "x.md")
    data = opening(TEX) + b"\n" + MARKS["TeX"][1]
    with pytest.raises(DocsError, match="markdown makes no sense in a TeX file: latex, macros do"):
        rebuilt(data, TEX, "x.tex", lambda _: Answer("markdown", "x"))


def test_a_line_of_an_answer_in_tex_that_looks_like_a_mark_is_none() -> None:
    data = opening(TEX) + b"\n" + MARKS["TeX"][1] + b"\n"
    for line in ("% symparam: a model of this name", "% /symparam"):
        built = rebuilt(data, TEX, "x.tex", lambda _, t=line: Answer("latex", t))
        assert f"%{line}".encode() in built


def test_headings_stand_below_the_one_above() -> None:
    data = b"## Sub\n\n" + opening(MARKDOWN) + b"\n" + MARKS["Markdown"][1] + b"\n"
    built = rebuilt(data, MARKDOWN, "x.md", lambda _: Answer("markdown", "# A\n\n###### B"))
    assert b"\n### A\n\n###### B\n" in built


# --- the command ----------------------------------------------------------------------------

def written(path: Path, command: str, inside: str = "") -> Path:
    """A file with one block."""
    mark, end = (m.decode() for m in MARKS[kind_of(path.name).name])
    path.write_text(f"before \n{mark.replace('%s', command)}\n{inside}{end}\nafter",
                    encoding="utf-8")
    return path


def test_build_then_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = written(tmp_path / "page.md", "count gpt2", "124 million\n")
    paper = written(tmp_path / "paper.tex", "symparam derive --ffn swiglu --leading")
    assert run(["docs", "check", str(page), str(paper)]) == 1
    shown = capsys.readouterr().out
    assert "-124 million" in shown
    assert "+| token embedding" in shown
    assert page.read_text(encoding="utf-8").startswith("before \n<!-- symparam: count gpt2 -->\n12")
    assert run(["docs", "build", str(page), str(paper)]) == 0
    assert run(["docs", "check", str(page), str(paper)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "124,439,808" in text
    assert text.startswith("before \n")
    assert text.endswith("<!-- /symparam -->\nafter")
    assert r"\underbrace" in paper.read_text(encoding="utf-8")
    stamps = [path.stat().st_mtime_ns for path in (page, paper)]
    assert run(["docs", "build", str(page), str(paper)]) == 0
    assert [path.stat().st_mtime_ns for path in (page, paper)] == stamps


def test_what_is_around_a_block_may_be_in_any_encoding(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    head = b"\xef\xbb\xbf# Z\xfcrich\r\n\r\n<!-- symparam: align d_model=1024 -->\r\n"
    tail = b"<!-- /symparam -->\r\n\xff\xfe \t \r\nno end"
    page.write_bytes(head + tail)
    assert run(["docs", "build", str(page), "-q"]) == 0
    built = page.read_bytes()
    assert built.startswith(head)
    assert built.endswith(tail)
    inside = built[len(head):-len(tail)]
    assert inside.count(b"\n") == inside.count(b"\r\n") > 5
    assert b"\r\n## d_model=1024" in inside.replace(b"\\_", b"_")


@together(("command", "words"), [
    ("count gpt2 -o x.md", "-o writes files"), ("count gpt2 --output=x", "-o writes files"),
    ("count gpt2 --force", "--force writes files"),
    ("derive gpt2 --bib x.bib", "--bib writes files"),
    ("plot shares gpt2 --data x.csv", "--data writes files"),
    ("trace x.py:M", "trace runs code"), ("count config.json --trace", "runs code"),
    ("check gpt2 transformers", "runs code"),
    ("derive gpt2 --template /etc/t.md.j2", "outside of the document's folder"),
    ("derive gpt2 --template t.md.j2 --template-path ..", "outside of the document's folder"),
    ("docs build x.md", "docs is not for documents"), ("rm -rf /", "no command 'rm'"),
    ("count gpt2 --latex", "latex makes no sense in a Markdown file"),
    ("count gpt2 --standalone", "standalone makes no sense"),
    ("count 'gpt2", "No closing quotation"), ("count nope-model", "unknown model"),
    ("count gpt2 --nope", "nope"), ("count --help", "no answer"),
    ("count gpt2; ls", "unknown model"),
    ("derive $(ls)", "unknown model"), ("", "names no command")])
def test_a_command_that_a_block_may_not_have_is_refused(
        command: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By name, with file and line; and no file is changed, nor another one written."""
    page, good = written(tmp_path / "page.md", command), written(tmp_path / "good.md", "count gpt2")
    before = page.read_bytes(), good.read_bytes()
    assert run(["docs", "build", str(good), str(page)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "page.md, line 2" in error
    assert (page.read_bytes(), good.read_bytes()) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["good.md", "page.md"]


WRITING = re.compile(r"\b(?:[Ww]rite|where .* goes?|answers)\b")


def test_no_option_writes_a_file_from_within_a_block(tmp_path: Path) -> None:
    """Of every command: each option that takes a path, and each that says that it writes."""
    tried = 0
    root = click.Context(cli)
    for name in cli.list_commands(root):
        for option in the(click.Command, cli.get_command(root, name)).params:
            if not isinstance(option, click.Option) or not (
                    isinstance(option.type, click.Path) or WRITING.search(option.help or "")):
                continue
            words = f"{name} gpt2 {option.opts[-1]}{'' if option.is_flag else ' new'}"
            page = written(tmp_path / "page.md", words)
            run(["docs", "build", str(page), "-q"])
            assert [each.name for each in tmp_path.iterdir()] == ["page.md"], words
            tried += 1
    assert tried > 60


def test_what_is_only_read_is_not_written(tmp_path: Path) -> None:
    for write in (lambda path: write_files([(path, b"x")], force=True),
                  lambda path: may_be_written(path, force=True)):
        with only_read(), pytest.raises(OutputError, match="only read"):
            write(tmp_path / "new")
    assert not list(tmp_path.iterdir())
    write_files([(tmp_path / "new", b"x")], force=False)


def test_paths_are_those_of_the_documents_folder(tmp_path: Path) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    (folder / "t.md.j2").write_text("own: << document.title >>\n", encoding="utf-8")
    page = written(folder / "page.md", "count ./config.json --template t.md.j2")
    here = Path.cwd()
    assert run(["docs", "build", str(page)]) == 0
    assert Path.cwd() == here
    assert "own: sub" in page.read_text(encoding="utf-8")


def test_a_template_reached_by_a_link_is_outside(tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.md.j2").write_text("x", encoding="utf-8")
    folder = tmp_path / "sub"
    folder.mkdir()
    (folder / "t.md.j2").symlink_to(tmp_path / "t.md.j2")
    page = written(folder / "page.md", "count gpt2 --template t.md.j2")
    assert run(["docs", "build", str(page)]) == 2
    assert "outside of the document's folder" in capsys.readouterr().err


def test_mode_and_link_stay(tmp_path: Path) -> None:
    page = written(tmp_path / "page.md", "count gpt2")
    page.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to("page.md")
    assert run(["docs", "build", str(link), str(page), "-q"]) == 0
    assert link.is_symlink()
    assert page.stat().st_mode & 0o7777 == 0o640
    assert "124,439,808" in page.read_text(encoding="utf-8")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.md", "page.md"]


def test_a_file_with_a_second_name_is_refused_and_both_stay(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = written(tmp_path / "page.md", "count gpt2")
    (tmp_path / "other.md").hardlink_to(page)
    old = page.read_bytes()
    assert run(["docs", "build", str(page)]) == 2
    assert f"{page} has a second name (a hard link)" in capsys.readouterr().err
    assert page.samefile(tmp_path / "other.md")
    assert page.read_bytes() == old
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.md", "page.md"]


@pytest.mark.parametrize(("name", "words"), [
    ("none.md", "cannot be read"), ("folder.md", "is a folder"), ("a.rst", "neither Markdown"),
    ("\0.md", "cannot be read")])
def test_files_that_cannot_be_built(name: str, words: str, tmp_path: Path,
                                    capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "a.rst").write_text("x", encoding="utf-8")
    assert run(["docs", "check", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert str(tmp_path / name).replace("\0", "\\x00") in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    page = written(tmp_path / "page.md", "count gpt2")
    tmp_path.chmod(0o500)
    assert run(["docs", "build", str(page)]) == 2
    tmp_path.chmod(0o700)
    assert "124" not in page.read_text(encoding="utf-8")


def test_a_file_that_changes_meanwhile_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    from symparam.cli.commands import docs

    page = written(tmp_path / "page.md", "count gpt2")
    worked_out = docs._worked_out

    def slowly(path: Path) -> object:
        found = worked_out(path)
        page.write_text("mine", encoding="utf-8")
        return found

    monkeypatch.setattr(docs, "_worked_out", slowly)
    assert run(["docs", "build", str(page)]) == 2
    assert "has changed while it was built" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == "mine"


def three(tmp_path: Path) -> dict[Path, bytes]:
    """Files of which each would be written, with what they hold."""
    found = [written(tmp_path / name, "count gpt2") for name in ("a.md", "b.tex", "c.md")]
    return {path: path.read_bytes() for path in found}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("broken", ["mark", "changed", "replace"])
def test_several_files_are_all_written_or_none(
        place: int, broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    files = three(tmp_path)
    bad = list(files)[place]
    real = Path.replace

    def refused(self: Path, target: Path) -> Path:
        if target == bad:
            raise OSError(1, "Operation not permitted")
        return real(self, target)

    if broken == "mark":
        files[bad] = written(bad, "count no-such-model").read_bytes()
    elif broken == "changed":
        monkeypatch.setattr("symparam.files.writing.read_bytes", lambda path, *_: (
            b"mine" if path == bad else path.read_bytes()))
    else:
        monkeypatch.setattr(Path, "replace", refused)
    assert run(["docs", "build", *map(str, files)]) == 2
    monkeypatch.undo()
    err = capsys.readouterr().err
    assert "none of 3 files is written" in err
    assert "wrote" not in err
    assert bad.name in err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files
    for path in files:
        written(path, "count gpt2")
    assert run(["docs", "build", *map(str, files)]) == 0
    assert capsys.readouterr().err.count("wrote") == 3


@pytest.mark.parametrize("form", ["text", "json", "mkdocs"])
def test_other_formats_in_markdown(form: str, tmp_path: Path) -> None:
    page = written(tmp_path / "page.md", f"count gpt2 --format {form}")
    assert run(["docs", "build", str(page), "-q"]) == 0
    assert (f"\n```{form}\n" in page.read_text(encoding="utf-8")) is (form != "mkdocs")


def test_macros_in_tex(tmp_path: Path) -> None:
    paper = written(tmp_path / "paper.tex", "count gpt2 --format macros")
    assert run(["docs", "build", str(paper), "-q"]) == 0
    assert r"\newcommand{\GptTwoTotal}" in paper.read_text(encoding="utf-8")


def test_data_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = written(tmp_path / "page.md", "count gpt2")
    schema = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    for action, code, current in (("check", 1, False), ("build", 0, False), ("check", 0, True)):
        assert run(["docs", action, str(page), "--json", "-q"]) == code
        data = json.loads(capsys.readouterr().out)
        assert schema.is_valid(data)
        assert data == [{"file": str(page), "current": current, "blocks": [
            {"line": 2, "command": "count gpt2", "current": current}]}]


def test_a_marked_command_has_the_options_that_it_has_elsewhere(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    from symparam.cli.commands.count import count

    monkeypatch.setattr(count, "_help_option", None, raising=False)  # made once, and then kept
    assert run(["docs", "build", str(written(tmp_path / "page.md", "count gpt2"))]) == 0
    capsys.readouterr()
    assert run(["count", "-h"]) == 0
    assert "Usage" in capsys.readouterr().out
