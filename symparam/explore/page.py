"""The page: what a reader sees without a script, and the script that goes on from there."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from symparam.derivation.plan import derive
from symparam.documents.derivations.view import DerivationView
from symparam.explore.counting import counting
from symparam.explore.tables import Tables
from symparam.showable import escaped
from symparam.templating.render import fragment, shipped, template_folder
from symparam.writers.document import Block, Table

if TYPE_CHECKING:
    from symparam.explore.view import ExploreView

#: The script of every page: the files beside it, packed (``tests/browser/packed.py``).
PACKED = template_folder() / "explore" / "page.min.js"
#: The same product in fewer letters: its space before is what it has anyway.
_PRODUCT = '<mo lspace="0em" rspace="0.17em">&#x2062;</mo>', '<mo rspace=".17em">\u2062</mo>'
#: What the first columns of tables are headed by of which a page has its own.
HAD = frozenset({"symbol", "component"})
#: No page with all steps of its derivation is larger than this, of models whose blocks are alike
#: and of the others, nor larger than that when it is compressed; one that would be has of them
#: what a paper prints.
LARGEST, LARGEST_OF_KINDS, LARGEST_PACKED = 60_000, 100_000, 20_000


def page(view: ExploreView) -> str:
    """The page of a model, one file: its script is known by its digest, and nothing else runs.

    >>> from symparam.descriptions.load import load
    >>> from symparam.explore.explored import explore
    >>> from symparam.explore.view import ExploreView
    >>> text = page(ExploreView(explore(load("llama-2-7b"))))
    >>> 'data-quantity="P" data-value="6738415616"' in text, "http:" in text.partition("<body>")[0]
    (True, False)
    """
    data, code = view.json(), script()
    made = partial(shipped, "explore/page.html.j2", data=data, script=code,
                   digest=_digest(code), json=embedded(counting(data)),
                   **Tables(view.explored, data).values())
    text = _derivation(view)
    found = made(derivation=text, style=_style(text))
    if _fits(found, view):
        return found
    text = _derivation(view, "appendix")
    return made(derivation=text, style=_style(text))


def _fits(text: str, view: ExploreView) -> bool:
    """Whether a page is as small as pages should be."""
    kinds = [stack for stack in view.explored.model.stacks if stack.repeat]
    mixed = len(kinds) > 1 or any(each.quantity.name == "active" for each in view.explored.answers)
    content = text.encode()
    return (len(content) <= (LARGEST_OF_KINDS if mixed else LARGEST)
            and len(gzip.compress(content)) <= LARGEST_PACKED)


def script() -> str:
    """The script of every page, without its first line, which says of what it was made."""
    return PACKED.read_text(encoding="utf-8").partition("\n")[2].strip()


def embedded(data: Mapping[str, Any]) -> str:
    """Data as text of JSON that cannot end the element that it stands in.

    >>> embedded({"a": "</script><!--"})
    '{"a":"\\\\u003c/script>\\\\u003c!--"}'
    """
    text = escaped(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    return re.sub(r"<(?=[/!sS])", r"\\u003c", text)


def _digest(code: str) -> str:
    """What a page's policy knows its script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


def _style(derivation: str) -> str:
    """The style of the page, and of what its derivation has."""
    folder = template_folder()
    own, pieces = (re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
                   for path in (folder / "explore" / "page.css", folder / "pieces.css"))
    used = re.sub(r"\.symparam \.(\w+) {[^}]*}", lambda rule: rule[0] if re.search(
        rf'class="[^"]*\b{rule[1]}\b', derivation) else "", pieces)
    used = re.sub(r"var\(--paper, .*;", "var(--paper);", used)  # (elsewhere there may be none)
    text = re.sub(r"\s+", " ", f"{own} {used}".strip())
    return re.sub(r"(?<=[{};,>]) |(?<=\w:) | (?=[{}>])|;(?= ?})", "", text)


def _derivation(view: ExploreView, detail: str = "brief") -> str:
    """The derivation as it is printed elsewhere, below a heading of its own; of an appendix what
    the page has not."""
    found = view.explored.derivation
    if found is None:
        return "<p>The number of parameters is no polynomial in these dims.</p>"
    if detail != found.detail:
        found = derive(found.model, detail=detail)
    document = DerivationView(found, view.notation).document()
    if detail == "appendix":
        document = replace(document, blocks=tuple(b for b in document.blocks if not _is_had(b)))
    return fragment(document, view.notation, top=3).replace(*_PRODUCT)


def _is_had(block: Block) -> bool:
    """Whether it is a table of which the page has another: its dims, its components."""
    return isinstance(block, Table) and block.columns[0].title in HAD
