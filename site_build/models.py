"""The pages of famous models: a table, the explorer, what it costs, and the derivation."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import NamedTuple

import symparam
from site_build.places import SOURCES, STAGED, written
from site_build.themed import themed
from symparam.writers.document import Block, Display, Heading

#: The explorer is a document of its own, which is loaded when it is opened.
_EXPLORER = """
## Explorer

Every number can be changed; what does not fit is refused, with the reason. It counts
[on a page of its own](explorer.html), one file that needs no network, or here:

<details class="explorer">
<summary>Open the explorer here</summary>
<iframe src="explorer.html" title="{title}, explored" loading="lazy"></iframe>
</details>

<script src="../../assets/explorer.js" defer></script>
"""


#: Of which derivation the start page shows which steps.
SHOWN = "llama-2-7b"
STEPS = ("Take the model apart", "Put the parts together", "Put the numbers in")


class Famous(NamedTuple):
    """A model with a page of its own."""

    group: str
    name: str
    title: str
    about: str


@cache
def famous() -> dict[str, Famous]:
    """The models that have a page, by name."""
    groups = tomllib.loads((SOURCES / "famous.toml").read_text(encoding="utf-8"))
    return {name: Famous(group, name, title, about) for group, models in groups.items()
            for name, (title, about) in models.items()}


def write(name: str) -> int:
    """A model's page and its explorer; how many parameters it has."""
    model, found = symparam.load(name), famous()[name]
    count = model.breakdown()
    page = [f"# {found.title}\n", f"{found.about} **{model.count():,}** parameters.\n",
            "## Table\n", _command(f"count {name}"),
            themed(count.document(), count.notation, title=False),
            _EXPLORER.format(title=found.title).lstrip(),
            "## Derivation\n", _command(f"derive {name}"), _derivation(model)]
    written(f"models/{name}/index.md", "\n".join(page))
    written(f"models/{name}/explorer.html", model.explore().html())
    return model.count()


def start() -> None:
    """The start page gets steps of a derivation: its first line, its formula, the number."""
    view = symparam.load(SHOWN).derive()
    found, under = view.document(), ""
    kept: list[Block] = []
    for block in found.blocks:
        if isinstance(block, Heading):
            under = " ".join(part for part in block.spans if isinstance(part, str))
        elif isinstance(block, Display) and any(words in under for words in STEPS):
            kept.append(block)
    if len(kept) != len(STEPS):
        raise LookupError(f"the derivation of {SHOWN} has not the steps {STEPS}")
    shown = themed(replace(found, blocks=tuple(kept)), view.notation, title=False)
    page = (STAGED / "index.md").read_text(encoding="utf-8")
    written("index.md", page.replace("<!-- derivation -->", shown))


def _command(words: str) -> str:
    return f"```sh\nsymparam {words}\n```\n"


def _derivation(model: symparam.Model) -> str:
    view = model.derive()
    return themed(view.document(), view.notation, down=1, title=False)


def listed(counts: dict[str, int]) -> Iterator[str]:
    """The list of the famous models, group by group, as a page."""
    yield "# Famous models\n\nEach with its table, its explorer and its derivation. "
    yield "There is a derivation of [every published model](../gallery/index.md) too.\n"
    for group, found in groupby(famous().values(), lambda each: each.group):
        yield f"\n## {group.capitalize()}\n\n"
        for each in found:
            yield (f"- **[{each.title}]({each.name}/index.md)**, {counts[each.name]:,} "
                   f"parameters. {each.about}\n")
