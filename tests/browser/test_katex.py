"""Every formula of both kinds of Markdown, as KaTeX reads it at its strictest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from symparam.templating.render import render
from tests.browser.documents import cases
from tests.formulas import Formula, on_a_site, on_github
from tests.test_export import HOSTILE, named

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("SYMPARAM_BROWSER") or Path(
    os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "symparam", "browser"))
KATEX = CACHE / "node_modules" / "katex" / "dist" / "katex.js"

pytestmark = [pytest.mark.browser, pytest.mark.skipif(
    shutil.which("node") is None or not KATEX.exists(),
    reason="there is no node, or no KaTeX: run tests/browser/install")]


def refused(formulas: Iterable[Formula]) -> dict[str, str]:
    """What KaTeX does not take, and why."""
    listed = sorted(set(formulas))
    given = json.dumps([{"tex": tex, "display": display} for tex, display in listed])
    done = subprocess.run(["node", str(HERE / "formulas.cjs"), str(KATEX)], input=given.encode(),
                          capture_output=True, timeout=300, check=True)
    return {listed[index][0]: why for index, why in json.loads(done.stdout)}


def test_katex_tells_good_from_bad() -> None:
    bad = [(r"\nosuch", False), ("{x", False), (r"\text{\textregistered}^", True),
           ("é", False), ("`x`_", False), ("x\ue002y", False),
           (r"\begin{aligned} x &= 1 \cr", True)]
    good = [(r"\underbrace{2 \, d_{\text{ff}}}_{W_Q, \, \text{in\_proj}}", False),
            ("\\begin{aligned}\nx &= 1 \\cr\n&\\qquad {} + 2\n\\end{aligned}\n", True)]
    assert set(refused([*bad, *good])) == {tex for tex, _ in bad}


@pytest.mark.parametrize("kind", ["markdown", "mkdocs"])
def test_katex_reads_every_formula(kind: str) -> None:
    find = {"markdown": on_github, "mkdocs": on_a_site}[kind]
    found: dict[str, list[Formula]] = {}
    for case in cases():
        source = case.shown(kind)
        found[case.name] = find(source)
        assert case.name.startswith(("count", "models", "components", "align")) or found[
            case.name], case.name
        displays = source.count("\\begin{aligned}")
        assert sum(display for _, display in found[case.name]) == displays, case.name
    wrong = refused(formula for formulas in found.values() for formula in formulas)
    assert wrong == {}
    assert len({tex for formulas in found.values() for tex, _ in formulas}) > 1000


@pytest.mark.parametrize("kind", ["markdown", "mkdocs"])
def test_a_hostile_name_is_in_no_formula(kind: str) -> None:
    find = {"markdown": on_github, "mkdocs": on_a_site}[kind]
    wanted = find(render(named("x"), kind))
    assert refused(wanted) == {}
    for text in HOSTILE:
        assert find(render(named(text), kind)) == wanted, text
