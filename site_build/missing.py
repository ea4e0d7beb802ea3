"""The page for addresses where nothing is: it leads home."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from site_build.places import BUILT

_TITLE = "<h1>404 - Not found</h1>"


def home(folder: Path = BUILT, address: str = "") -> None:
    """Let it say what to do; its links begin at the root, as it is shown at any depth.

    Args:
        folder: the built site.
        address: where it will stand; the environment's ``SITE_URL`` where not given.
    """
    root = urlsplit(address or os.environ.get("SITE_URL", "")).path.rstrip("/") + "/"
    page = folder / "404.html"
    text = page.read_text(encoding="utf-8")
    if _TITLE not in text:
        raise LookupError(f"{page} has no {_TITLE}")
    page.write_text(text.replace(_TITLE, (
        f'<h1>There is no such page</h1>\n<p>Go to the <a href="{root}">start page</a>, to '
        f'<a href="{root}gallery/">every published model</a>, or search above.</p>')),
        encoding="utf-8")
