"""The page that runs symparam in a browser, where what it is made with is there."""

from __future__ import annotations

import subprocess
import sys

from site_build.places import ROOT, STAGED, written

#: The package that makes the page, and what installs the parts of it that are from npm.
PACKAGE, INSTALL = ROOT / "webtool", ROOT / "tests" / "browser" / "install"
LINK = "\n[symparam in your browser](tool/index.html): type a command, nothing to install.\n"


def make() -> str:
    """Make it and let the start page lead there; why it was not made, where it was not."""
    if not (PACKAGE / "__main__.py").is_file():
        return "it is not in this tree"
    for command in (["bash", str(INSTALL)],
                    [sys.executable, "-m", PACKAGE.name, str(STAGED / "tool")]):
        try:
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", None) or str(error)
            return said.strip().splitlines()[-1]
    start = STAGED / "index.md"
    written("index.md", start.read_text(encoding="utf-8") + LINK)
    return ""
