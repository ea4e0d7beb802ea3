"""A certificate in a folder of its own, with all that it takes to check it; and a look at one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from symparam.certificate import check
from symparam.certificate.coq import coq_of
from symparam.certificate.coq_words import name_of
from symparam.certificate.pieces import Data
from symparam.descriptions.reading.source import parse_json
from symparam.errors import BrokenPromise, FileError, SymparamError
from symparam.files.reading import decoded, read_bytes
from symparam.showable import json_text, line

#: What a certificate is called in its folder.
DATA, CHECKER = "derivation.json", "check.py"

_README = """# {title}

`derivation.json` holds what is claimed, and all that it takes to see that it is so. It was written
by `symparam {kind} --certificate`, which you need not trust, nor who gave you this folder.

    python3 check.py        # needs Python alone; prints what is confirmed, exit code 0 or 1
{coq}
{shown}

Trusted: check.py, the same for every model, with Python beneath it{too}. SHA-256:
{digest}
Not shown: that these matrices are the model's (`symparam check MODEL CHECKPOINT` compares them with
a checkpoint). {rows}
Not checked: the name, and all that check.py prints in quotation marks.{more}
"""
_COQ = ("    make coq                # needs coq; for its kernel: {name}.v\n"
        "                            # fails unless all that it rests on is <none>\n")
_SUMS = "the matrices sum to the formula, under the equations printed; the number"
#: Of each kind: what the checker shows, and whether Coq does.
_SHOWN = {
    "derive": {_SUMS: "yes", "each term's matrices; P_active and other such totals": "no"},
    "diff": {"each component, the whole, both numbers": "yes", "each term's matrices": "no"},
    "sensitivity": {_SUMS: "no", "derivatives, elasticities": "no"},
    "solve": {"closed forms, roots, configurations, by the sum of the matrices": "no"}}
_MORE = {
    "derive": "", "diff": "",
    "sensitivity": "\nDoublings, slopes and whole steps of the answer are no part of it.",
    "solve": "\nThat no configuration was overlooked, nor a root, is no part of it."}


#: Letters of a model's name that stand in the name of a file.
LONGEST = 100


def checker() -> bytes:
    """The program that checks certificates."""
    return read_bytes(Path(check.__file__), "the checker", check.FILE)


def digest() -> str:
    """SHA-256 of the program."""
    return hashlib.sha256(checker()).hexdigest()


def confirmed(text: bytes) -> str:
    """What a certificate says, once the checker confirms it.

    Raises:
        Refused: the checker does not.
    """
    try:
        return str(check.certificate(text))  # type: ignore[no-untyped-call]
    except check.Refused:
        raise
    except Exception as error:  # whatever a damaged file has in place of what is read
        raise check.Refused(f"cannot be read: {type(error).__name__} {error}") from None


def files_of(certificate: Data) -> dict[str, bytes]:
    """The files of a certificate, by their names; it is held against the checker first.

    Raises:
        BrokenPromise: the checker does not confirm it.
    """
    text = (json_text(certificate) + "\n").encode()
    try:
        confirmed(text)
    except check.Refused as error:
        raise BrokenPromise("a certificate that its checker confirms", str(error)) from None
    return {DATA: text, CHECKER: checker(), **_beside(certificate)}


def _beside(certificate: Data) -> dict[str, bytes]:
    """The files that follow from a certificate: for Coq, for make, and what they are."""
    kind, name = certificate["kind"], name_of(certificate["model"][:LONGEST])
    found = {f"{name}.v": coq_of(certificate)} if kind in ("derive", "diff") else {}
    makes = [f"all: check{' coq' if found else ''}", "check:", f"\tpython3 {CHECKER} {DATA}"]
    if found:
        makes += ["coq:", f"\tcoqc -q {name}.v",
                  f"\tcoqchk -silent -o {name} 2>&1 | tee /dev/stderr | "
                  "grep -c ': <none>' | grep -qx 4",
                  f"\t@echo 'Coq accepts {name}.v: no axioms'"]
    makes.append(f".PHONY: all check{' coq' if found else ''}\n")
    rows = " ".join(f"Its rows ({line(each)}) are {line(source['are'])}."
                    for each, source in certificate["rows"].items() if source["are"] != "stated")
    readme = _README.format(
        title=f"{kind}: {line(certificate['model'])}", kind=kind, digest=digest(),
        coq=_COQ.format(name=name) if found else "", rows=rows, more=_MORE[kind],
        too=", or Coq's kernel" if found else "",
        shown="\n".join(["| claim | check.py | Coq |", "| --- | --- | --- |", *(
            f"| {claim} | yes | {coq} |" for claim, coq in _SHOWN[kind].items())]))
    return {name: "\n".join(each.rstrip() for each in text.split("\n")).encode() for name, text in {
        **found, "Makefile": "\n".join(makes), "README.md": readme}.items()}


def folders(root: Path) -> Iterator[Path]:
    """The folders below one, itself among them, in which a certificate stands."""
    for path in sorted(root.rglob(DATA)):
        yield path.parent


def _read(path: Path) -> bytes:
    text = read_bytes(path, "a certificate", check.FILE)
    try:
        parse_json(decoded(text, str(path)))
    except ValueError as error:
        raise FileError(str(path), f"not JSON: {error}") from None
    return text


def problems(folder: Path) -> Iterator[str]:
    """What is not as it should be in a folder with a certificate; nothing where all is well.

    Raises:
        FileError: the certificate cannot be read, or is no JSON.
    """
    text = _read(folder / DATA)
    try:
        confirmed(text)
    except check.Refused as error:
        yield f"{DATA}: {error}"
        return
    try:
        wanted = {CHECKER: checker(), **_beside(json.loads(text))}
    except (SymparamError, KeyError, TypeError, AttributeError, ValueError, IndexError,
            StopIteration) as error:
        yield f"{DATA}: confirmed, and not as it is written ({type(error).__name__})"
        return
    for path in sorted(folder.iterdir()):
        if path.name not in wanted and (path.suffix in {".py", ".v"} or (
                path.suffix == ".vo" and f"{path.stem}.v" not in wanted) or (
                path.name.lower() in {"makefile", "gnumakefile"})):
            yield f"{path.name}: does not belong to the certificate"
    for name, content in wanted.items():
        try:
            same = read_bytes(folder / name, "a file", check.FILE) == content
        except FileError as error:
            yield f"{name}: {error}"
            continue
        if not same:
            yield f"{name}: is not the file that goes with this certificate"


def about(folder: Path) -> dict[str, Any]:
    """A folder with a certificate as data.

    Raises:
        FileError: it cannot be read.
    """
    found = list(problems(folder))
    return {"file": str(folder), "current": not found, "blocks": [], "problems": found}
