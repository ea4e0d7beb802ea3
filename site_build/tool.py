"""The page that runs symparam in a browser, where what it is made with is there."""

from __future__ import annotations

import subprocess
import sys

from site_build.places import ROOT, STAGED, written

#: The package that makes the page, and what installs the parts of it that are from npm.
PACKAGE, INSTALL = ROOT / "webtool", ROOT / "tests" / "browser" / "install"
MARK = "<!-- tool -->\n"
#: The page of the guide about it, and what that gets below its title.
GUIDE, OPEN = "browser.md", "\n[Open it](tool/index.html){ .md-button .md-button--primary }\n"
LINK = "- [In your browser](tool/index.html): counts and derivations with nothing to install.\n"


def make() -> str:
    """Make it and let two pages lead there; why it was not made, where it was not."""
    why = _made()
    start = (STAGED / "index.md").read_text(encoding="utf-8")
    written("index.md", start.replace(MARK, "" if why else LINK))
    if not why:
        title, _, rest = (STAGED / GUIDE).read_text(encoding="utf-8").partition("\n")
        written(GUIDE, f"{title}\n{OPEN}{rest}")
    return why


def _made() -> str:
    if not (PACKAGE / "__main__.py").is_file():
        return "it is not in this tree"
    for command in (["bash", str(INSTALL)],
                    [sys.executable, "-m", PACKAGE.name, str(STAGED / "tool")]):
        try:
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", None) or str(error)
            return str(said).strip().splitlines()[-1]
    return ""
