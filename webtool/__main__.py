"""``python -m webtool FOLDER``: build the page into a folder that is new, empty or its own."""

from __future__ import annotations

import argparse
from pathlib import Path

from webtool.build import build
from webtool.compiled import NotBuilt


def main() -> None:
    """Build, and say how large each file is."""
    parser = argparse.ArgumentParser(prog="python -m webtool", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to put the page")
    parser.add_argument("--site", default="", help="the address of the site of the documents, "
                        "where the page is to lead there")
    given = parser.parse_args()
    folder = given.folder
    try:
        build(folder, given.site)
    except NotBuilt as error:
        raise SystemExit(f"webtool: {error}") from None
    except OSError as error:
        raise SystemExit(f"webtool: {error.filename}: {error.strerror}") from None
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:>11,}  {path.name}")


if __name__ == "__main__":
    main()
