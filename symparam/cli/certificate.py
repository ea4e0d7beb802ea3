"""The option ``--certificate``, and the files of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from symparam.cli.helped import OUTPUT, shared
from symparam.cli.parameters import Beside

if TYPE_CHECKING:
    from symparam.documents.common.view import View

CERTIFICATE = (shared(OUTPUT)(
    "--certificate", type=Beside(path_type=Path), metavar="DIR",
    help="Also write a folder in which anybody can check the answer: with Python alone, and of "
    "derive and diff with Coq."),)


def certified(view: View, values: dict[str, Any]) -> list[tuple[Path, bytes]]:
    """The files of the certificate of an answer, where one is wanted.

    Raises:
        BadValue: of such an answer there is none.
    """
    folder = values.get("certificate")
    if folder is None:
        return []
    from symparam.certificate.folder import files_of

    return [(folder / name, content) for name, content in files_of(view.certificate()).items()]
