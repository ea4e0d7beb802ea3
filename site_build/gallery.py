"""The gallery: every published model's derivation as a page of its own, and the list of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

import symparam
from site_build import models
from site_build.models import famous
from site_build.places import written
from symparam.descriptions.catalogue import lineages

HEAD = """\
# Every published model

One page a model: what `symparam derive MODEL` prints. [Famous models](../models/index.md) have an
explorer as well. Lineages stand in the order of their names.
"""
#: What stands above a derivation, whose page is a document of its own.
BACK = '<p><a href="../../">symparam</a> · <a href="../">every model</a></p>'


def derived(name: str) -> int:
    """The page of a model, written; how many parameters it has."""
    model = symparam.load(name)
    text = model.derive().html()
    written(f"gallery/{name}/index.html", text.replace("<h1>", f"{BACK}\n<h1>", 1))
    return model.count()


def _lines(found: Iterable[tuple[str, list[str]]], counts: dict[str, int]) -> Iterator[str]:
    for lineage, names in found:
        yield f"\n## {lineage}\n\n| model | parameters | |\n| --- | ---: | --- |\n"
        for name in names:
            more = f"[with an explorer](../models/{name}/index.md)" if name in famous() else ""
            yield f"| [{name}]({name}/index.html) | {counts[name]:,} | {more} |\n"


def make(processes: int = 2) -> int:
    """Every page of models, famous or not, and the lists; how many pages there are."""
    found = list(lineages())
    names = [name for _, each in found for name in each]
    with ProcessPoolExecutor(processes) as pool:
        own = pool.map(models.write, famous())
        counts = dict(zip(names, pool.map(derived, names, chunksize=8), strict=True))
        shown = dict(zip(famous(), own, strict=True))
    written("gallery/index.md", HEAD + "".join(_lines(found, counts)))
    written("models/index.md", "".join(models.listed(shown)))
    return len(shown) + len(names) + 2
