"""The formulas that a reader of Markdown finds: as GitHub reads, and as sites made with MkDocs."""

from __future__ import annotations

import re

import html5lib
import markdown
from markdown_it import MarkdownIt

#: Extensions that sites made with MkDocs have.
EXTENSIONS = ["tables", "attr_list", "def_list", "footnotes", "admonition", "abbr", "toc",
              "md_in_html", "pymdownx.arithmatex", "pymdownx.tilde", "pymdownx.caret",
              "pymdownx.mark", "pymdownx.keys", "pymdownx.critic", "pymdownx.snippets",
              "pymdownx.details", "pymdownx.tabbed", "pymdownx.tasklist", "pymdownx.superfences"]

READER = MarkdownIt("commonmark", {"html": True}).enable("table").disable("text_join")

#: A formula, and whether it is displayed.
Formula = tuple[str, bool]

# Stand for what Markdown has read already: code, and everything else that is not text.
_CODE, _END, _TAKEN, _BETWEEN = "\ue000", "\ue001", "\ue002", "\ue003"
_FOUND = re.compile(rf"\$\$\n?([^{_BETWEEN}]+?)\$\$|\${_CODE}([^{_END}]*){_END}\$"
                    rf"|\$([^${_BETWEEN}]+)\$", re.DOTALL)


def on_github(source: str) -> list[Formula]:
    """The formulas of a text that is read as Markdown first, and for mathematics afterwards.

    What Markdown took out of a formula is missing from it, or shown as a character that no
    reader of LaTeX accepts.
    """
    found: list[Formula] = []
    for token in READER.parse(source):
        if token.type == "fence" and token.info == "math":
            found.append((token.content, True))
        elif token.type == "inline":
            for match in _FOUND.finditer("".join(map(_seen, token.children or ()))):
                display, code, plain = match.groups()
                found.append((display, True) if display else (code or plain, False))
    return found


def _seen(token: object) -> str:
    kind, content = token.type, token.content  # type: ignore[attr-defined]
    if kind == "code_inline":
        return f"{_CODE}{content.replace('$', _TAKEN)}{_END}"  # mathematics is not looked for
    if kind == "text_special":  # a backslash that means nothing stays; a character is read
        taken = content != token.markup and content != "$"  # type: ignore[attr-defined]
        return _TAKEN if taken else str(content)
    return {"text": content, "softbreak": "\n", "html_inline": _BETWEEN}.get(kind, _TAKEN)


def site(source: str) -> str:
    """Markdown as a site made with MkDocs shows it."""
    return markdown.markdown(source, extensions=EXTENSIONS, extension_configs={
        "pymdownx.arithmatex": {"generic": True},
        "pymdownx.snippets": {"base_path": ["."], "check_paths": False}})


def on_a_site(source: str) -> list[Formula]:
    """The formulas that arithmatex sets aside for KaTeX or MathJax."""
    root = html5lib.parseFragment(site(source), namespaceHTMLElements=False)
    found = ["".join(e.itertext()) for e in root.iter() if e.get("class") == "arithmatex"]
    return [(text[2:-2].strip("\n"), text.startswith("\\[")) for text in found]


_NAMED = re.compile(r"\\Sigma_(\d|\{\d+\})(?!\d)")


def sides(rows: list[str]) -> list[str]:
    """The sides of aligned equations in LaTeX, each on one line with what stands left of its sign;
    sums that have a name stand in its place, in brackets."""
    found: list[str] = []
    for row in rows:
        if re.search(r"&(=|\\approx)", row):
            found.append(row.strip())
        else:
            found[-1] += re.sub(r"&\s*(\\q?quad\s*)+", " ", row)
    meant = {left.strip(): right for left, _, right in (side.partition("&=") for side in found)
             if _NAMED.fullmatch(left.strip())}
    shown = [side for side in found if side.partition("&")[0].strip() not in meant]
    while any(map(_NAMED.search, shown)):
        shown = [_NAMED.sub(lambda name: f"({meant[name[0]]})", side) for side in shown]
    return shown
