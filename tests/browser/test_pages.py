"""Pages before a validator, and in a browser: valid, quiet, on their own, and not too wide."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from symparam.templating.render import render
from symparam.writers.document import clean
from tests.browser.chromium import Chromium, Seen, browser
from tests.browser.documents import Case, cases
from tests.browser.test_katex import CACHE
from tests.test_export import HOSTILE, named

CHECKER = CACHE / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"

pytestmark = pytest.mark.browser
needs_checker = pytest.mark.skipif(shutil.which("java") is None or not CHECKER.exists(),
                                   reason="no java, or no checker: run tests/browser/install")
needs_browser = pytest.mark.skipif(browser() is None, reason="there is no Chromium")

#: Those that are looked at in every size, in light and dark.
PICTURED = ("derive deepseek-v3 full paper", "derive gpt2 brief hf", "derive jamba-v0.1 brief "
            "scaling-book", "count deepseek-v3", "count gpt2 --tensors", "components",
            "solve P=7e9 L=32", "diff gpt2 llama-2-7b", "sensitivity llama-2-7b", "align gpt2")


def complaints(pages: Mapping[str, str], folder: Path) -> dict[str, list[str]]:
    """What the validator says of each page."""
    names = {f"{i}.html": name for i, name in enumerate(pages)}
    for file, name in names.items():
        (folder / file).write_text(pages[name], encoding="utf-8")
    done = subprocess.run(
        ["java", "-jar", str(CHECKER), "--format", "json", "--exit-zero-always",
         *(str(folder / file) for file in names)], capture_output=True, timeout=300, check=True)
    found: dict[str, list[str]] = {}
    for message in json.loads(done.stderr)["messages"]:
        name = names[message["url"].rpartition("/")[2]]
        found.setdefault(name, []).append(f"{message['type']}: {message['message']}")
    return found


PAGE = ('<!DOCTYPE html><html lang="en"><head><title>x</title></head><body><p>{}</p></body>'
        "</html>")


@needs_checker
def test_the_validator_tells_good_from_bad(tmp_path: Path) -> None:
    pages = {"good": PAGE.format("<math><msup><mi>x</mi><mn>2</mn></msup></math>"),
             "arity": PAGE.format("<math><msup><mi>x</mi></msup></math>"),
             "element": PAGE.format("<math><msuper><mi>x</mi></msuper></math>"),
             "attribute": PAGE.format('<math><mi colour="red">x</mi></math>'),
             "open": PAGE.format("<b>x"), "style": PAGE.format("x").replace(
                 "</title>", "</title><style>p { colour: red }</style>")}
    assert set(complaints(pages, tmp_path)) == set(pages) - {"good"}


@needs_checker
def test_every_page_is_valid(tmp_path: Path) -> None:
    pages = {case.name: case.shown("html") for case in cases()}
    pages |= {f"named {text!r}": render(named(text), "html") for text in HOSTILE
              if clean(text).strip()}
    assert complaints(pages, tmp_path) == {}


def written(case: Case, folder: Path) -> Path:
    """A case as a page on disk."""
    path = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', case.name)[:80]}.html"
    path.write_text(case.shown("html"), encoding="utf-8")
    return path


def quiet(seen: Seen) -> bool:
    """Whether a page kept to itself and fits its window."""
    return not seen.requests and not seen.messages and seen.overflow <= 0


@needs_browser
def test_the_browser_tells_good_from_bad(tmp_path: Path, chromium: Chromium) -> None:
    bodies = {"good": "<p>x</p>", "asks": '<img alt="" src="http://localhost:1/x.png">',
              "file": '<link rel="stylesheet" href="x.css">',
              "says": "<script>console.error('x')</script>", "throws": "<script>x.y()</script>",
              "wide": '<div style="width: 3000px">x</div>', "blank": ""}
    for name, body in bodies.items():
        path = tmp_path / f"{name}.html"
        path.write_text(PAGE.format(body), encoding="utf-8")
        seen = chromium.show(path, 400, picture=True)
        assert quiet(seen) == (name in {"good", "blank"}), (name, seen)
        assert (seen.ink > 0) == (name in {"good", "wide"}), name


@needs_browser
def test_every_page_opens_on_its_own(tmp_path: Path, chromium: Chromium) -> None:
    loud = {}
    for case in cases():
        page = written(case, tmp_path)
        for width in (1280, 400):
            seen = chromium.show(page, width)
            if not quiet(seen):
                loud[case.name, width] = seen
    assert loud == {}


@needs_browser
@pytest.mark.parametrize("name", PICTURED)
def test_a_page_shows_something(name: str, tmp_path: Path, chromium: Chromium) -> None:
    """Pictures stay in the folder that SYMPARAM_PICTURES names, to be looked at."""
    (case,) = [case for case in cases() if case.name == name]
    page = written(case, tmp_path)
    folder = Path(os.environ.get("SYMPARAM_PICTURES") or tmp_path)
    papers = []
    for width, scheme in ((1280, "light"), (1280, "dark"), (400, "light")):
        seen = chromium.show(page, width, scheme=scheme, picture=True)
        (folder / f"{page.stem}-{width}-{scheme}.png").write_bytes(seen.png)
        assert quiet(seen)
        assert seen.colours > 20
        assert 0.005 < seen.ink < 0.5
        papers.append(seen.paper)
    assert papers[0] == papers[2] != papers[1]  # dark is another


#: The strip of a page that holds the brace below a term: left, top, width, height.
BRACES = """[...document.querySelectorAll("munder munder")].map(e => {
  const term = e.children[0].getBoundingClientRect();
  const below = e.parentElement.children[1].getBoundingClientRect();
  return [term.left + scrollX, term.bottom + scrollY + 1, term.width, below.top - term.bottom - 2];
})"""


@needs_browser
def test_a_brace_is_as_wide_as_what_it_is_under(tmp_path: Path, chromium: Chromium) -> None:
    (case,) = [case for case in cases() if case.name == "derive gpt2 brief hf"]
    chromium.show(written(case, tmp_path), 1280)
    strips = chromium.value(BRACES)
    assert len(strips) > 10
    assert max(width for _, _, width, _ in strips) > 256  # wider than a tile of the picture
    assert [chromium.part(*strip).columns > 0.95 for strip in strips] == [True] * len(strips)


@needs_browser
def test_what_a_name_holds_does_not_run(tmp_path: Path, chromium: Chromium) -> None:
    for i, text in enumerate([*HOSTILE, "<img src=x onerror=alert(1)>", "</title><script>x()"]):
        path = tmp_path / f"{i}.html"
        path.write_text(render(named(text), "html"), encoding="utf-8")
        assert quiet(chromium.show(path, 1280)), text
