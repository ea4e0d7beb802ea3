"""Checks a built site: every link leads somewhere, and no page fetches from another host.

    python -m site_build.checking FOLDER
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes by which an element fetches something as it is shown, or by which it leads somewhere.
FETCHED = {"src", "srcset", "poster", "data"}
#: Relations of a <link> by which nothing is fetched.
SAID = {"canonical", "next", "prev", "alternate", "author", "license", "edit"}
_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s;]+)""")


@dataclass
class Page(HTMLParser):
    """What a page names: its places, what it links to, what it fetches, what it says in style."""

    places: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    base: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._styled = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given and (
            name == "id" or tag == "a")}
        self._styled = tag == "style"
        self._fetch_styles(given.get("style", ""))
        if tag == "link":
            saying = set(given.get("rel", "").split()) <= SAID
            (self.links if saying else self.fetched).append(given.get("href", ""))
        elif tag == "base":
            self.base = given.get("href", "")
        elif "href" in given or "xlink:href" in given:
            target = given.get("href") or given.get("xlink:href", "")
            (self.links if tag in {"a", "area"} else self.fetched).append(target)
        for name in FETCHED & given.keys():
            parts = given[name].split(",") if name == "srcset" else [given[name]]
            self.fetched += [part.split()[0] for part in parts if part.strip()]

    def handle_endtag(self, tag: str) -> None:
        self._styled = False

    def handle_data(self, data: str) -> None:
        if self._styled:
            self._fetch_styles(data)

    def _fetch_styles(self, text: str) -> None:
        self.fetched += _STYLE.findall(text)


@cache
def read(path: Path) -> Page:
    """A page, read."""
    found = Page()
    found.feed(path.read_text(encoding="utf-8"))
    found.close()
    return found


def faults(folder: Path, address: str = "") -> Iterator[str]:
    """What is wrong with a built site, one line each.

    Args:
        folder: the site.
        address: where it will stand; links that begin with it are its own.
    """
    for path in sorted(folder.rglob("*.html")):
        yield from (f"{path.relative_to(folder)}: {fault}" for fault in _of(path, folder, address))
    for path in sorted(folder.rglob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in _STYLE.findall(text):
            fault = _fetch(target, path, folder, address)
            yield from (f"{path.relative_to(folder)}: {each}" for each in fault)


def _of(path: Path, folder: Path, address: str) -> Iterator[str]:
    page = read(path)
    for target in dict.fromkeys(page.fetched):
        yield from _fetch(target, path, folder, address)
    for target in dict.fromkeys(page.links):
        if not _outside(target, address):
            yield from _dead(target, path, folder, address)


def _outside(target: str, address: str) -> bool:
    """Whether a target is not of this site: an address of another, mail, a script, data."""
    if address and target.startswith(address):
        return False
    parts = urlsplit(target)
    return bool(parts.scheme or parts.netloc)


def _fetch(target: str, path: Path, folder: Path, address: str) -> Iterator[str]:
    if target.startswith(("data:", "blob:", "about:")):
        return
    if _outside(target, address):
        yield f"fetches {target}"
    else:
        yield from _dead(target, path, folder, address)


def _dead(target: str, path: Path, folder: Path, address: str) -> Iterator[str]:
    """Whether a target of a page is not there, or has not the place that is named."""
    parts = urlsplit(target)
    there = _file(unquote(parts.path), path, folder, urlsplit(address).path or "/")
    if there is None:
        yield f"leads to {target}, which is not there"
    elif there.suffix == ".html" and (
            unquote(parts.fragment) not in read(there).places | {"", "top"}):
        yield f"leads to {target}: {there.name} has no such place"


def _file(where: str, path: Path, folder: Path, front: str) -> Path | None:
    """The file that a path on a page names; ``front`` is what the site's own paths begin with."""
    if where.startswith("/") and not where.startswith(front):
        return None
    there = folder / where.removeprefix(front) if where.startswith("/") else path.parent / where
    there = (there if where else path).resolve()
    there = there / "index.html" if there.is_dir() else there
    return there if there.is_file() and there.is_relative_to(folder.resolve()) else None


def main(folder: Path, address: str = "") -> int:
    """Print what is wrong; how much that is."""
    found = list(faults(folder, address))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return len(found)


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1])), 1))
