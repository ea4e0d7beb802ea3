"""The documents of the project as pages of the site, with whatever they link to."""

from __future__ import annotations

import html
import shutil
from collections.abc import Iterator
from pathlib import Path

from site_build.lettering import lettered
from site_build.links import is_own, relative, resolved, retargeted, targets
from site_build.places import PAGES, ROOT, SOURCES, STAGED, place, written

#: Documents whose one long table gets headings.
LETTERED = {"docs/families.md"}


class Astray(Exception):
    """A link leads to a file that is not there."""


def documents() -> Iterator[str]:
    """The documents that are pages, by their paths from the root."""
    yield from sorted(PAGES)
    yield from sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))


def stage() -> None:
    """Begin anew: every document, what they lead to, and what the site alone has."""
    shutil.rmtree(STAGED, ignore_errors=True)
    shutil.copytree(SOURCES / "pages", STAGED)
    shutil.copytree(SOURCES / "assets", STAGED / "assets")
    shutil.copy(ROOT / "templates" / "pieces.css", STAGED / "assets")
    for path in documents():
        text = (ROOT / path).read_text(encoding="utf-8")
        put(path, lettered(text) if path in LETTERED else text)


def put(path: str, text: str) -> None:
    """A document as a page: its links lead to pages; other files that it links to come along."""
    for target in filter(is_own, targets(text)):
        _bring(path, resolved(path, target)[0])
    written(place(path), retargeted(text, lambda target: _turned(path, target)))


def _turned(page: str, target: str) -> str:
    if not is_own(target):
        return target
    path, anchor = resolved(page, target)
    name = place(path) + ("/index.md" if (ROOT / path).is_dir() else "")
    return relative(place(page), name) + anchor


def _bring(page: str, path: str) -> None:
    """What a link leads to, if it is no page itself."""
    there = (ROOT / path).resolve()
    if not there.exists() or not there.is_relative_to(ROOT):
        raise Astray(f"{page}: there is no {path} in the project")
    if there.is_dir():
        _folder(path, there)
    elif there.suffix != ".md":
        written(place(path), there.read_bytes())
    elif path not in {*documents(), *_studies()}:
        raise Astray(f"{page}: {path} is no page of the site (site_build/places.py)")


def _studies() -> set[str]:
    found = (ROOT / "outputs" / "studies").glob("*/study.md")
    return {str(path.relative_to(ROOT)) for path in found}


def _folder(path: str, there: Path) -> None:
    """A folder as a page that lists its files, which come along."""
    names = sorted(each.name for each in there.iterdir()
                   if each.is_file() and each.resolve().is_relative_to(ROOT))
    rows = "".join(f"- [{html.escape(name)}]({name})\n" for name in names)
    written(f"{place(path)}/index.md", f"# {there.name}\n\n{rows}")
    for name in names:
        written(f"{place(path)}/{name}", (there / name).read_bytes())
