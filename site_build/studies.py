"""The studies in outputs/studies as pages: their documents, and the pictures beside them."""

from __future__ import annotations

from collections.abc import Iterator

from outputs.studies import make as studies
from site_build.places import ROOT, place, written
from site_build.themed import themed

HERE = ROOT / "outputs" / "studies"


def make() -> int:
    """Every study, written; how many there are."""
    for name in studies.NAMES:
        found = themed(studies.document(name))
        written(place(f"outputs/studies/{name}/study.md"), found + "".join(_pictures(name)))
    return len(studies.NAMES)


def _pictures(name: str) -> Iterator[str]:
    """The pictures of a study as they are kept, each under its title."""
    yield "\n## Pictures\n"
    for i, (_, found) in enumerate(studies.pictures(studies.notes()[name]), 1):
        file = HERE / name / f"{i}-{found.kind}.svg"
        if file.is_file():
            written(place(str(file.relative_to(ROOT))), file.read_bytes())
            yield f"\n![{found.title}]({file.name})\n"
