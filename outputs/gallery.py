"""The gallery: every published model's derivation in Markdown, LaTeX and HTML, with tables.

    python outputs/gallery.py            write all of it into outputs/gallery (git ignores it)
    python outputs/gallery.py LINEAGE..  these lineages alone
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import symparam
from symparam.descriptions.catalogue import lineages

FOLDER = Path(__file__).parent / "gallery"
HEAD = """\
# Every published model, derived

One page a model: what `symparam derive MODEL` prints, in three formats. The LaTeX is a whole
document (`pdflatex MODEL.tex`), the HTML one file without scripts. `python outputs/gallery.py`
writes all of them again.
"""


def pages(lineage: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The files of one lineage, each with what it has to hold."""
    names = list(names)
    for name in names:
        view = symparam.load(name).derive()
        yield f"{name}.md", view.markdown()
        yield f"{name}.tex", view.latex(standalone=True)
        yield f"{name}.html", view.html()
    table = symparam.compare(*names)
    yield f"table-{lineage}.md", table.markdown()
    yield f"table-{lineage}.tex", table.latex(standalone=True)


def index(chosen: Iterable[tuple[str, list[str]]]) -> str:
    """The page that leads to all others."""
    blocks = [HEAD]
    for lineage, names in chosen:
        rows = [f"| {name} | {symparam.load(name).count():,} | [Markdown]({name}.md) · "
                f"[LaTeX]({name}.tex) · [HTML]({name}.html) |" for name in names]
        blocks.append("\n".join([f"## {lineage}\n", "| model | parameters | derivation |",
                                 "| --- | ---: | --- |", *rows, "",
                                 f"Side by side: [Markdown](table-{lineage}.md) · "
                                 f"[LaTeX](table-{lineage}.tex)\n"]))
    return "\n".join(blocks)


def write(folder: Path, lineage: str, names: Iterable[str]) -> int:
    """The pages of a lineage, written; how many they are."""
    made = dict(pages(lineage, names))
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return len(made)


def make(folder: Path, asked: Iterable[str]) -> int:
    """The pages of the lineages that are asked for, all without a name; how many they are."""
    asked = set(asked)
    chosen = [(lineage, names) for lineage, names in lineages() if not asked or lineage in asked]
    folder.mkdir(exist_ok=True)
    (folder / "README.md").write_text(index(chosen), encoding="utf-8", newline="")
    with ProcessPoolExecutor(2) as pool:
        return 1 + sum(pool.map(write, repeat(folder), *zip(*chosen, strict=True)))


if __name__ == "__main__":
    print(f"{make(FOLDER, sys.argv[1:])} files in {FOLDER}")
