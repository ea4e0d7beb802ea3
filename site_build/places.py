"""Where things are: files of the project, pages of the site, and which becomes which."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
#: What only the site has: its start page, its style, the list of famous models.
SOURCES = ROOT / "site"
CONFIG = ROOT / "mkdocs.yml"
#: What a build writes, all of it ignored by git. (mkdocs.yml names these two folders too.)
STAGED = ROOT / "build" / "site" / "staged"
BUILT = ROOT / "build" / "site" / "html"

#: Documents outside docs/ that are pages of the site.
PAGES = {
    "README.md": "overview.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
    "outputs/studies/README.md": "studies/index.md",
}


def place(path: str) -> str:
    """Where a file of the project stands in the site; what is no page, as text or as it is.

    >>> place("docs/tour.md"), place("README.md"), place("outputs/studies/gpt2/study.md")
    ('tour.md', 'overview.md', 'studies/gpt2/index.md')
    >>> place("docs/pictures/pie.svg"), place("examples/sweep_on_dask.py")
    ('pictures/pie.svg', 'files/examples/sweep_on_dask.py.txt')
    """
    if path in PAGES:
        return PAGES[path]
    whole = PurePosixPath(path)
    if whole.is_relative_to("docs"):
        return str(whole.relative_to("docs"))
    if whole.is_relative_to("outputs/studies"):
        inside = str(whole.relative_to("outputs"))
        return inside.replace("study.md", "index.md")
    shown = whole.suffix in {".html", ".svg", ".png", ".json", ".txt", ".pdf"}
    return f"files/{path}" + ("" if shown else ".txt")


def written(name: str, text: str | bytes) -> Path:
    """A file among the staged ones, written."""
    path = STAGED / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
