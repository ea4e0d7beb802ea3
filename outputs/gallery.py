"""The gallery: every published model's derivation in Markdown, LaTeX and HTML, with tables.

    python outputs/gallery.py            write what is missing or has changed
    python outputs/gallery.py --check    write nothing; name what is stale and exit with 1
    python outputs/gallery.py LINEAGE..  these lineages alone
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import symparam
from symparam.export.count_document import count_model
from symparam.export.counts_document import counts_document
from symparam.export.render import render
from symparam.spec.catalogue import lineages

FOLDER = Path(__file__).parent / "gallery"
HEAD = """\
# Every published model, derived

One page a model: what `symparam derive MODEL` prints, in three formats. The LaTeX is a whole
document (`pdflatex MODEL.tex`), the HTML one file without scripts. `python outputs/gallery.py`
writes all of them again; a test says when one is stale.
"""


def pages(lineage: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The files of one lineage, each with what it has to hold."""
    names = list(names)
    for name in names:
        view = symparam.load(name).derive()
        yield f"{name}.md", view.markdown()
        yield f"{name}.tex", view.latex(standalone=True)
        yield f"{name}.html", view.html()
    table = counts_document([count_model(symparam.load(name)) for name in names])
    yield f"table-{lineage}.md", render(table, "markdown")
    yield f"table-{lineage}.tex", render(table, "standalone")


def index() -> str:
    """The page that leads to all others."""
    blocks = [HEAD]
    for lineage, names in lineages():
        rows = [f"| {name} | {symparam.load(name).count():,} | [Markdown]({name}.md) · "
                f"[LaTeX]({name}.tex) · [HTML]({name}.html) |" for name in names]
        blocks.append("\n".join([f"## {lineage}\n", "| model | parameters | derivation |",
                                 "| --- | ---: | --- |", *rows, "",
                                 f"Side by side: [Markdown](table-{lineage}.md) · "
                                 f"[LaTeX](table-{lineage}.tex)\n"]))
    return "\n".join(blocks)


def stale(lineage: str, names: Iterable[str], write: bool) -> list[str]:
    """The files of a lineage that are not what they have to be; written where asked for."""
    found = []
    for name, text in pages(lineage, names):
        found += _put(name, text, write)
    return found


def _put(name: str, text: str, write: bool) -> list[str]:
    path = FOLDER / name
    if path.is_file() and path.read_bytes() == text.encode():
        return []
    if write:
        path.write_text(text, encoding="utf-8", newline="")
    return [name]


def expected() -> set[str]:
    """The names of all files that the gallery has."""
    found = {"README.md"}
    for lineage, names in lineages():
        found |= {f"{name}.{suffix}" for name in names for suffix in ("md", "tex", "html")}
        found |= {f"table-{lineage}.{suffix}" for suffix in ("md", "tex")}
    return found


def main(arguments: list[str]) -> int:
    """Write or check; the exit code."""
    write = "--check" not in arguments
    asked = [a for a in arguments if a != "--check"]
    FOLDER.mkdir(exist_ok=True)
    jobs = [(lineage, names) for lineage, names in lineages() if not asked or lineage in asked]
    with ProcessPoolExecutor(2) as pool:
        found = [name for names in pool.map(stale, *zip(*jobs, strict=True), [write] * len(jobs))
                 for name in names]
    found += _put("README.md", index(), write)
    left = sorted({path.name for path in FOLDER.iterdir()} - expected())
    for name in left if write else []:
        (FOLDER / name).unlink()
    print(f"{len(found)} of {len(expected())} files " + ("written" if write else "stale"),
          *(f"  {name}" for name in [*found, *left] if not write), sep="\n")
    return 0 if write or not (found or left) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
