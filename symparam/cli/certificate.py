"""The option ``--certificate``, and the folder that it makes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from symparam.cli.helped import OUTPUT, shared
from symparam.cli.output import save_all
from symparam.cli.parameters import OutFile
from symparam.files.writing import make_folders

if TYPE_CHECKING:
    from symparam.documents.common.view import View

CERTIFICATE = (shared(OUTPUT)(
    "--certificate", type=OutFile(path_type=Path), metavar="DIR",
    help="Also write a folder in which anybody can check the answer: with Python alone, and of "
    "derive and diff with Coq."),)


def certify(view: View, values: dict[str, Any]) -> None:
    """Write the certificate of an answer, where one is wanted.

    Raises:
        BadValue: of such an answer there is none. OutputError: it cannot be written.
    """
    folder = values["certificate"]
    if folder is None:
        return
    from symparam.certificate.folder import files_of

    files = files_of(view.certificate())
    make_folders(folder)
    save_all([(folder / name, content) for name, content in files.items()], values)
