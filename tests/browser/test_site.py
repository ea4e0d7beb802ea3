"""The built site in a browser: what its pages ask for and say, their width, their formulas."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest

from site_build import places
from tests.browser.chromium import Chromium, Seen, browser

pytestmark = [
    pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800),
    pytest.mark.skipif(browser() is None, reason="there is no Chromium"),
    pytest.mark.skipif(find_spec("zensical") is None, reason="the extra `site` is not installed")]

#: Pages of every kind.
SAMPLE = ("", "overview/", "tour/", "quantities/", "families/", "pictures/", "models/",
          "models/llama-2-7b/", "models/deepseek-v3/", "models/jamba-v0.1/",
          "models/t5-base/explorer.html", "gallery/", "gallery/gemma-3-4b/", "studies/",
          "studies/guide/", "studies/gpt2/", "api/", "api/model/", "api/errors/", "schema/",
          "design/", "changelog/")
SIZES = ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark"))

#: Formulas that are not drawn: what a reader of TeX could not read, TeX itself, or no size.
UNDRAWN = """(() => {
  const all = (names) => [...document.querySelectorAll(names)];
  const errors = all("merror, .katex-error, .MathJax_Error");
  const tex = all("p, li, td").filter(e => /\\$[^$]*\\\\[a-z]+/.test(e.textContent));
  const empty = all("math").filter(
    e => e.checkVisibility() && !e.getBoundingClientRect().width);
  return errors.length + tex.length + empty.length;
})()"""


class Quiet(SimpleHTTPRequestHandler):
    """Hands out files and says nothing of it."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the site stands, once it is built."""
    subprocess.run([sys.executable, "-m", "site_build"], cwd=places.ROOT, check=True,
                   env={key: value for key, value in os.environ.items() if key != "SITE_URL"})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=places.BUILT)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def faults(seen: Seen, chromium: Chromium, address: str) -> list[str]:
    """What is wrong with a page that was shown."""
    own = (address, "data:", "blob:")
    found = [f"asks for {each}" for each in seen.requests if not each.startswith(own)]
    found += [f"says {each}" for each in seen.messages]
    if seen.overflow > 0:
        found.append(f"is {seen.overflow} pixels too wide")
    if undrawn := chromium.value(UNDRAWN):
        found.append(f"has {undrawn} formulas that are not drawn")
    return found


@pytest.mark.parametrize("page", SAMPLE)
def test_a_page_keeps_to_itself_and_fits(page: str, address: str, chromium: Chromium) -> None:
    """Pictures go to the folder that SYMPARAM_PICTURES names, to be looked at."""
    folder, papers = os.environ.get("SYMPARAM_PICTURES"), []
    for width, scheme in SIZES:
        seen = chromium.show(address + page, width, scheme=scheme, picture=bool(folder))
        if folder:
            name = page.strip("/").replace("/", "-") or "start"
            Path(folder, f"site-{name}-{width}-{scheme}.png").write_bytes(seen.png)
        assert faults(seen, chromium, address) == []
        papers.append(chromium.value("getComputedStyle(document.body).backgroundColor"))
    assert papers[0] == papers[2] != papers[1] == papers[3]  # dark is another


def test_pages_that_have_mathematics_have_some(address: str, chromium: Chromium) -> None:
    for page in ("", "models/llama-2-7b/", "studies/gpt2/", "gallery/gpt2/"):
        chromium.show(address + page, 1280)
        assert chromium.value("document.querySelectorAll('math').length") > 2, page


PAGE = ('<!DOCTYPE html><html lang="en"><head><title>x</title>'
        '<link rel="icon" href="data:,"></head>'
        "<body><p>{}</p></body></html>")


@pytest.mark.parametrize("body", [
    '<img alt="" src="http://localhost:1/x.png">', "<script>console.error('x')</script>",
    '<div style="width: 3000px">x</div>', r"$\frac{x}{y}$", "<math><merror>x</merror></math>"])
def test_what_is_wrong_with_a_page_is_seen(body: str, address: str, chromium: Chromium,
                                           tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    page.write_text(f"<main>{PAGE.format(body)}</main>", encoding="utf-8")
    assert faults(chromium.show(page, 1280), chromium, address)
    page.write_text(PAGE.format("<math><mi>x</mi></math>"), encoding="utf-8")
    assert faults(chromium.show(page, 1280), chromium, address) == []
