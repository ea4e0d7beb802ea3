"""The page and all that it loads, in a folder that any server of files can hand out."""

from __future__ import annotations

import gzip
import html
import io
import json
import shutil
import tarfile
import zipfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import symparam
from symparam.descriptions.catalogue import lineages
from webtool.compiled import HERE, PYODIDE, NotBuilt, pyodide_version
from webtool.parts import COUNTING, DERIVING, parts

PAGE = HERE / "page"
#: What is taken of Pyodide as it is.
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
#: What the worker fetches, and counts as it comes.
COUNTED = ("pyodide.asm.wasm", "python_stdlib.zip", "count.tar.gz", "derive.tar.gz")
#: Where the page leads, where it stands beside the documents.
SITE = '<p class="site"><a href="{0}/">symparam</a> · <a href="{0}/browser/">Guide</a></p>\n'
#: All that is written into a folder.
WRITTEN = frozenset({*RUNTIME, *COUNTED, "pyodide-lock.json", "licences.txt", "pieces.css",
                     *(path.name for path in PAGE.iterdir())})


def build(folder: Path, site: str = "") -> None:
    """Make the folder; what an earlier build put there goes.

    Args:
        folder: where the page will be.
        site: the address of the site of the documents, if the page is to lead there.

    Raises:
        NotBuilt: something that it is made of is not there, the folder is none or has
            something else, or the site is at no address.
    """
    if urlsplit(site).scheme not in {"", "http", "https"}:
        raise NotBuilt(f"--site {site}: expected https://... or a path on the same server")
    old = built_before(folder)
    found = parts()
    for path in old:
        path.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME:
        shutil.copyfile(PYODIDE / name, folder / name)
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_bytes())
    (folder / "pyodide-lock.json").write_text(json.dumps(lock | {"packages": {}}))
    (folder / "python_stdlib.zip").write_bytes(zipped(found["library"]))
    for name in ("count", "derive"):
        (folder / f"{name}.tar.gz").write_bytes(packed(found[name]))
    for path in sorted(PAGE.iterdir()):
        (folder / path.name).write_text(filled(path.read_text(encoding="utf-8"), folder, site),
                                        encoding="utf-8")
    (folder / "licences.txt").write_text(licences(found["count"], found["derive"]),
                                         encoding="utf-8")
    pieces = (HERE.parent / "templates" / "pieces.css").read_text(encoding="utf-8")
    (folder / "pieces.css").write_text(pieces, encoding="utf-8")


def built_before(folder: Path) -> list[Path]:
    """The files that an earlier build put into a folder.

    Raises:
        NotBuilt: it is no folder, or has something that no build puts there.
    """
    if not folder.exists() and not folder.is_symlink():
        return []
    if not folder.is_dir():
        raise NotBuilt(f"{folder} is no folder: name one that is new, empty or an earlier build")
    found = sorted(folder.iterdir())
    other = next((path for path in found if path.name not in WRITTEN or (
        path.is_dir() and not path.is_symlink())), None)
    if other is not None:
        raise NotBuilt(f"{other} is nothing that a build puts there: name a folder that is new, "
                       "empty or an earlier build")
    return found


def licences(*files: Mapping[str, bytes]) -> str:
    """The licences of what is in the parts, and where those of Pyodide and Python are."""
    texts = {path: content.decode("utf-8", "replace") for each in files
             for path, content in each.items() if ".dist-info/" in path}
    texts["symparam"] = (HERE.parent / "LICENSE").read_text(encoding="utf-8")
    texts["Pyodide"] = ("Mozilla Public License 2.0; unchanged, from npm (pyodide "
                        f"{pyodide_version()}); source: https://github.com/pyodide/pyodide\n")
    texts["Python"] = ("Python Software Foundation License 2.0, https://docs.python.org/3/license"
                       ".html; of its library some modules are left out, some compiled\n")
    return "\n".join(f"{name.partition('.dist-info')[0]}\n\n{text}"
                     for name, text in sorted(texts.items()))


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip, the same for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def packed(files: Mapping[str, bytes]) -> bytes:
    """A tar, compressed as one stream, the same for the same files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(out.getvalue(), 9, mtime=0)


def filled(text: str, folder: Path, site: str) -> str:
    """A file of the page with what it says of this build."""
    names = "".join(f'<option value="{html.escape(name)}"></option>'
                    for _, members in lineages() for name in members)
    others = ", ".join(f"{name} {version(name)}" for name in (*DERIVING, *COUNTING))
    sizes = json.dumps({name: (folder / name).stat().st_size for name in COUNTED})
    leads = SITE.format(html.escape(site.rstrip("/"))) if site else ""
    values = {"@MODELS@": names, "@SIZES@": sizes, "@SITE@": leads,
              "@VERSION@": symparam.__version__,
              "@PYODIDE@": pyodide_version(), "@PACKAGES@": others}
    for place, value in values.items():
        text = text.replace(place, value)
    return text
