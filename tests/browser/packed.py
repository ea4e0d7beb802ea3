"""The script of a page of ``explore`` as it stands there: its files, joined, and made short by
terser. Where a file has changed, ``python -m tests.browser.packed`` writes it anew; it needs node
and, once, ``tests/browser/install``.
"""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from symparam.explore.page import PACKED
from tests.browser.test_katex import CACHE

TERSER = CACHE / "node_modules" / "terser" / "bin" / "terser"
#: What the script begins with.
READ = '"use strict";\nconst DATA = JSON.parse(document.getElementById("data").textContent);\n'
#: Names by which tests and benchmarks ask the script of a page.
ASKED = ("COPIES", "NAMES", "exact", "next", "paintSteps", "resting", "set", "state")
HOW = ("--compress", f"passes=2,ecma=2020,toplevel=true,top_retain={list(ASKED)}",
       "--mangle", f"toplevel=true,reserved={list(ASKED)}")


def scripts() -> list[Path]:
    """The files of the script in the order in which they are joined."""
    found = PACKED.parent.glob("[0-9]*.js")
    return sorted(found, key=lambda path: int(path.name.partition("-")[0]))


def joined() -> str:
    """The script as it is written."""
    return READ + "".join(path.read_text(encoding="utf-8") for path in scripts())


def made_of() -> str:
    """What the first line of the packed script says: of which files it was made."""
    return f"/* of {hashlib.sha256(joined().encode()).hexdigest()} */"


def packed() -> str:
    """The script below a line that says of which files it was made."""
    done = subprocess.run(["node", str(TERSER), *HOW], input=joined(), check=True,
                          capture_output=True, text=True, timeout=60)
    return f"{made_of()}\n{done.stdout.strip()}\n"


if __name__ == "__main__":
    PACKED.write_text(packed(), encoding="utf-8")
