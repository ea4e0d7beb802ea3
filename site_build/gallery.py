"""The gallery: every published model's derivation as a page of its own, and the list of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

import symparam
from site_build import models, searching
from site_build.models import famous
from site_build.places import written
from symparam.descriptions.catalogue import lineages

HEAD = """\
# Every published model

One page a model: what `symparam derive MODEL` prints, with the number of parameters.
[Famous models](../models/index.md) have an explorer as well.

<div class="gallery" markdown>

| model | parameters | family |
| --- | ---: | --- |
"""
#: The table's end, and the script that puts a field for filtering above it.
FOOT = '\n</div>\n\n<script src="../assets/filter.js" defer></script>\n'
#: What stands above a derivation, whose page is a document of its own.
BACK = """\
<header>
<p><a href="../../">symparam</a> · <a href="../">every published model</a>{more}</p>
</header>
"""


def derived(name: str) -> int:
    """The page of a model, written; how many parameters it has."""
    model = symparam.load(name)
    written(f"gallery/{name}/index.html", headed(name, model.count(), model.derive().html()))
    return model.count()


def headed(name: str, count: int, text: str) -> str:
    """A derivation's page with the way back above its title, and the number there and below it.

    >>> print(headed("x", 1000, "<title>x, derived</title><h1>x, derived</h1>"))
    <title>x: 1,000 parameters</title><header>
    <p><a href="../../">symparam</a> · <a href="../">every published model</a></p>
    </header>
    <h1>x, derived</h1>
    <p><strong>1,000</strong> parameters.</p>
    """
    more = f' · <a href="../../models/{name}/">with an explorer</a>' if name in famous() else ""
    before, _, rest = text.partition("<title>")
    between, _, after = rest.partition("</title>")[2].partition("<h1>")
    title, _, body = after.partition("</h1>")
    return (f"{before}<title>{name}: {count:,} parameters</title>{between}"
            f"{BACK.format(more=more)}<h1>{title}</h1>\n"
            f"<p><strong>{count:,}</strong> parameters.</p>{body}")


def _lines(found: Iterable[tuple[str, list[str]]], counts: dict[str, int]) -> Iterator[str]:
    for lineage, names in found:
        for name in names:
            more = f" ([explorer](../models/{name}/index.md))" if name in famous() else ""
            yield f"| [{name}]({name}/index.html){more} | {counts[name]:,} | {lineage} |\n"


def make(processes: int = 2) -> int:
    """Every page of models, famous or not, and the lists; how many pages there are."""
    found = list(lineages())
    names = [name for _, each in found for name in each]
    with ProcessPoolExecutor(processes) as pool:
        own = pool.map(models.write, famous())
        counts = dict(zip(names, pool.map(derived, names, chunksize=8), strict=True))
        shown = dict(zip(famous(), own, strict=True))
    written("gallery/index.md", HEAD + "".join(_lines(found, counts)) + FOOT)
    written("models/index.md", "".join(models.listed(shown)))
    searching.keep(found, counts)
    return len(shown) + len(names) + 2
