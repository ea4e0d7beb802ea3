"""The search index gets the derivations of the gallery, which the site's builder does not see."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from site_build.places import BUILT, STAGED

#: What is kept between staging and the built index, beside the staged pages.
KEPT = STAGED.parent / "found.json"


def item(name: str, lineage: str, count: int) -> dict[str, Any]:
    """What the index holds of a model.

    >>> item("gpt2", "gpt2", 124439808)["text"]
    '<p>gpt2: 124,439,808 parameters, derived.</p>'
    """
    return {"location": f"gallery/{name}/", "level": 1, "title": name,
            "text": f"<p>{name}: {count:,} parameters, derived.</p>",
            "path": ["Models", "Every published model", lineage], "tags": []}


def keep(found: Iterable[tuple[str, list[str]]], counts: dict[str, int]) -> None:
    """The entries of all models, kept until the site is built."""
    KEPT.write_text(json.dumps([item(name, lineage, counts[name])
                                for lineage, names in found for name in names]), encoding="utf-8")


def add(index: Path = BUILT / "search.json", kept: Path = KEPT) -> int:
    """Put what was kept into the built index; how many entries that were."""
    whole = json.loads(index.read_text(encoding="utf-8"))
    more = json.loads(kept.read_text(encoding="utf-8"))
    whole["items"] += more
    index.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
    return len(more)
