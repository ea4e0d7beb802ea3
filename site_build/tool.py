"""The page that runs symparam in a browser, where what it is made with is there."""

from __future__ import annotations

import subprocess
import sys

from site_build.places import ROOT, STAGED, written

#: The package that makes the page, and what installs the parts of it that are from npm.
PACKAGE, INSTALL = ROOT / "webtool", ROOT / "tests" / "browser" / "install"
MARK = "<!-- tool -->\n"
#: What takes the place of the mark, by the page that has it.
LINKS = {
    "index.md": "- [In your browser](tool/index.html): counts and derivations with nothing to "
                "install.\n",
    "browser.md": "**[Open it](tool/index.html).**\n"}


def make() -> str:
    """Make it and let pages lead there; why it was not made, where it was not."""
    why = _made()
    for page, link in LINKS.items():
        text = (STAGED / page).read_text(encoding="utf-8")
        written(page, text.replace(MARK, "" if why else link))
    return why


def _made() -> str:
    if not (PACKAGE / "__main__.py").is_file():
        return "it is not in this tree"
    for command in (["bash", str(INSTALL)],
                    [sys.executable, "-m", PACKAGE.name, str(STAGED / "tool"), "--site", ".."]):
        try:
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", None) or str(error)
            return str(said).strip().splitlines()[-1]
    return ""
