"""One list of formats: one from outside is in options, endings, templates and documents."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from symparam import errors, formats, plugins
from symparam.cli.main import run
from symparam.formats import OutputFormat
from tests.helpers import message
from tests.test_plugins import package

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "new-format.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)[0]
Installed = Callable[[str, str], None]


def forget() -> None:
    """Ask anew which formats there are, next time."""
    formats.everything.cache_clear()
    plugins._left_out.clear()
    errors.REMARKS.clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """Install packages with formats for one test."""
    names: list[str] = []

    def added(name: str, source: str) -> None:
        package(tmp_path, name, source, "formats", f"{name} = {name}:FORMAT")
        names.append(name)
        importlib.invalidate_caches()
        forget()

    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        yield added
    for name in names:
        sys.modules.pop(name, None)
    forget()


def test_every_file_is_a_format_of_its_name() -> None:
    files = {module.name for module in pkgutil.iter_modules(formats.__path__)}
    assert set(formats.everything()) == files
    for name, each in formats.everything().items():
        assert each.name == name
        if each.writer is not None:
            assert formats.find(name) is each
            continue
        with pytest.raises(errors.UnknownName, match=f"^unknown format '{name}'"):
            formats.find(name)


def test_no_two_formats_stand_in_one_place() -> None:
    last = OutputFormat.place
    places = [each.place for each in formats.everything().values() if each.place != last]
    assert places == sorted(set(places))


def test_the_guide_s_format_is_written_everywhere(
        install: Installed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install("rst_package", CODE)
    assert run(["count", "gpt2", "--format", "rst"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("gpt2 · 124,439,808 parameters")
    assert ".. list-table::" in printed
    assert ":math:`W_Q`" in printed
    assert run(["count", "gpt2", "-o", str(tmp_path / "gpt2.rst"), "-q"]) == 0
    assert (tmp_path / "gpt2.rst").read_text(encoding="utf-8") == printed
    assert run(["derive", "gpt2", "--format", "rst"]) == 0
    assert "\n.. math::\n\n   \\begin{aligned}\n" in capsys.readouterr().out
    assert run(["count", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join(formats.offered()[1:])}. macros: a TeX macro" in shown
    assert re.search(r"says it: \.md \.tex .*\.rst .*\.txt\.", shown)
    assert formats.offered()[-1] == "rst"
    assert formats.endings()[".rst"] == "rst"


OWN = """
from pathlib import Path
from symparam.formats import OutputFormat
from symparam.writers.markdown import MarkdownFormat
FORMAT = OutputFormat(name="slides", writer=MarkdownFormat, endings=(".slides",),
                      template=Path(__file__).with_name("slides.j2"), template_ending=".slides",
                      within=("Markdown",))
"""


def test_one_with_a_template_of_its_own_is_in_templates_and_marked_blocks(
        install: Installed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "slides.j2").write_text("--- << out.text(document.title) >>\n", encoding="utf-8")
    install("slides_package", OWN)
    assert run(["count", "gpt2", "--format", "slides"]) == 0
    assert capsys.readouterr().out.startswith("--- gpt2 · 124,439,808 parameters")
    own = tmp_path / "own.slides.j2"
    own.write_text("<< out.strong(data.model) >>", encoding="utf-8")
    assert run(["count", "gpt2", "--template", str(own)]) == 0
    assert capsys.readouterr().out == "**gpt2**\n"
    page = tmp_path / "page.md"
    page.write_text("<!-- symparam: count gpt2 --format slides -->\n<!-- /symparam -->\n")
    assert run(["docs", "build", str(page)]) == 0
    assert "--- gpt2" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("source", "problem"), [
    ("FORMAT = 3", "is no OutputFormat"),
    ("from symparam.formats.latex import FORMAT", "is the name of a known format"),
    ("from dataclasses import replace\nfrom symparam.formats.latex import FORMAT as own\n"
     "FORMAT = replace(own, name='other')", ".tex is an ending of latex"),
    ("from dataclasses import replace\nfrom symparam.formats.latex import FORMAT as own\n"
     "FORMAT = replace(own, name='other', endings=('org',))", "is no ending"),
    ("from dataclasses import replace\nfrom symparam.formats.latex import FORMAT as own\n"
     "FORMAT = replace(own, name='other', endings='.org')", "begins with a point"),
    ("raise RuntimeError('gone')", "RuntimeError: gone")])
def test_what_cannot_be_taken_is_left_out_and_named(
        source: str, problem: str, install: Installed) -> None:
    install("wrong_package", source)
    assert "other" not in formats.offered()
    with pytest.raises(errors.UnknownName) as error:
        formats.find("qqqq")
    assert problem in message(error.value)
    assert "wrong_package 1.2" in message(error.value)


def test_a_name_that_nobody_has_is_refused_with_those_there_are(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["count", "gpt2", "--format", "docx"]) == 2
    assert "'docx' is not one of 'text', 'markdown'" in capsys.readouterr().err
    assert run(["count", "gpt2", "-o", "x.docx"]) == 2
    assert ".docx is no format that is written; one of .md .tex" in capsys.readouterr().err


def test_one_that_is_left_out_is_named_where_it_is_asked_for(
        install: Installed, capsys: pytest.CaptureFixture[str]) -> None:
    install("half_written", CODE.replace("def names(", "def nams("))
    assert run(["count", "gpt2", "--format", "rst"]) == 2
    assert "half_written 1.2 is left out: format rst: its writer has no names" in (
        capsys.readouterr().err)


@pytest.mark.parametrize("own", ["return 1 // 0", "return None"])
def test_one_that_fails_says_so_in_one_line(
        own: str, install: Installed, capsys: pytest.CaptureFixture[str]) -> None:
    begin = "        found = [Heading"
    install("failing_rst", CODE.replace(begin, f"        {own}\n{begin}"))
    assert run(["count", "gpt2", "--format", "rst"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("symparam: format rst: it fails with ")
    assert err.count("\n") == 1


def test_data_alone_has_no_writer() -> None:
    found = {each.name for each in formats.everything().values() if each.writer is None}
    assert {"json", "coq"} <= found
    assert not {"text", "markdown", "latex", "html"} & found
