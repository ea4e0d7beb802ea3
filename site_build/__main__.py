"""Build the site into build/site/html: stage its pages, run Zensical, check every link.

    python -m site_build          all of it; needs the extra `site`
    SITE_URL=https://.../ python -m site_build
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from site_build import (
    checking,
    gallery,
    missing,
    models,
    places,
    searching,
    staging,
    studies,
    tool,
)


def generate() -> None:
    """Zensical over the staged pages; a warning is an error."""
    subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "--strict",
                    "--config-file", str(places.CONFIG)], cwd=places.ROOT, check=True)


def main() -> int:
    """Build and check; 1 where something is wrong."""
    began = time.monotonic()
    staging.stage()
    models.start()
    pages = gallery.make() + studies.make()
    if why := tool.make():
        print(f"without the page that runs symparam in a browser: {why}")
    print(f"{pages} pages of models and studies in {time.monotonic() - began:.0f} s", flush=True)
    try:
        generate()
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    searching.add()
    missing.home()
    wrong = checking.main(places.BUILT, os.environ.get("SITE_URL", ""))
    files = [path for path in places.BUILT.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{len(files)} files, {size:.1f} MB, {wrong} faults, "
          f"{time.monotonic() - began:.0f} s: {places.BUILT}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
