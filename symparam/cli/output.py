"""Where output goes: stdout, a terminal with colour, or a file that is written whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click

from symparam.cli.certificate import certified
from symparam.cli.said import say
from symparam.showable import json_text, line

if TYPE_CHECKING:
    from symparam.documents.common.floating import Floats
    from symparam.documents.common.view import Tabular, View
    from symparam.model import Model
    from symparam.notation.notation import Notation
    from symparam.writers.document import Document

#: Files that are to be, with what is to stand in them.
Files: TypeAlias = Sequence[tuple[Path, bytes]]
#: An answer that goes to a file, in a format.
Sheet: TypeAlias = "tuple[View, str, Path]"


def emit(view: View, kind: str, values: dict[str, Any], sheets: Sequence[Sheet] = (),
         beside: Files = ()) -> None:
    """Print or write an answer in the format that was asked for, with what goes to other files: all
    of them whole, or none.

    Args:
        view: the answer.
        kind: text, json, another format of documents, or csv where the command offers it.
        values: the command's options.
        sheets: answers that belong to it.
        beside: other files that do.
    """
    files = [*certified(view, values), *beside,
             *_bibliography((view, *(each for each, _, _ in sheets)), values),
             *((path, _bytes(written(each, form, values))) for each, form, path in sheets)]
    if kind == "text" and values["template"] is None and values["output"] is None and (
            _on_terminal()):
        from symparam.cli.terminal import show

        save_all(files, values)
        show(view.written(_floats(values)), view.notation)
    else:
        write(written(view, kind, values), values, files)


def written(view: View, kind: str, values: dict[str, Any]) -> str:
    """An answer in a format."""
    floats = _floats(values)
    if values["template"] is not None:
        return view.template(values["template"], kind=kind, search=values["template_path"],
                             floats=floats)
    if kind == "json":
        return json_text(view.json()) + "\n"
    if kind == "csv":
        return cast("Tabular", view).csv()
    if kind == "text":
        return _text(view, floats)
    return view.render(kind, floats)


def _text(view: View, floats: Floats | None) -> str:
    """Text; a template is needed for displays alone."""
    document = view.written(floats)
    if _has_display(document):
        return view.render("text", floats)
    from symparam.writers.text import TextFormat

    return TextFormat(view.notation).document(document)


def _floats(values: dict[str, Any]) -> Floats | None:
    """What tables are called that were asked to float."""
    if not (values["floats"] or values["caption"] or values["label"]):
        return None
    from symparam.documents.common.floating import Floats

    return Floats(values["caption"] or "", values["label"] or "")


def _bibliography(views: Iterable[View], values: dict[str, Any]) -> Files:
    """BibTeX of what answers cite, where it is wanted."""
    if values.get("bib") is None:
        return ()
    from symparam.bibliography import bibtex, used
    from symparam.writers.document import sources_of

    found = used(source for view in views for source in sources_of(view.document()))
    if not found:
        remark((f"{values['bib']} has no entry: the answer names no source",), values)
    return [(values["bib"], bibtex(found).encode())]


def chosen(values: dict[str, Any], *models: Model) -> Notation:
    """The notation that was asked for, else the models' own, for the width that was asked for.

    Raises:
        UnknownName, SpecError: there is none, or its file is wrong. BadValue: no page is so wide
            or narrow.
    """
    from symparam.notation.notation_file import notation_for, notation_of

    found = notation_of(values["notation"]) if not models else (
        notation_for(models[0], values["notation"], *models[1:]))
    width, cite, bib = (values.get(option) for option in ("text_width", "cite", "bib"))
    if cite is None and bib is not None:
        cite = "citep"
    found = found if width is None else found.fitted(width)
    if cite is None:
        return found
    return found.citing(cite, "" if bib is None else bib.stem)


def _has_display(document: Document) -> bool:
    return any(block.kind == "display" for block in document.blocks)


def _on_terminal() -> bool:
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return sys.stdout is not None and sys.stdout.isatty() and not plain


def write(text: str, values: dict[str, Any], beside: Files = ()) -> None:
    """Print a text, or write it to the file that was named; after others, or with them."""
    path = values["output"]
    printed = path is None or str(path) == "-"
    save_all(beside if printed else [*beside, (Path(path), _bytes(text))], values)
    if printed:
        click.echo(text, nl=False)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def put(content: bytes) -> None:
    """Print bytes as they are."""
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:  # a stream of text stands in for stdout
        sys.stdout.write(content.decode("utf-8", "replace"))
    else:
        raw.write(content)
    sys.stdout.flush()


def save_all(files: Files, values: dict[str, Any]) -> None:
    """Write files, all of them whole or none, and say so; the folder of a certificate is made.

    Raises:
        OutputError: one exists already, or cannot be written.
    """
    if not files:
        return
    from symparam.files.folders import make_folders
    from symparam.files.writing import may_all_be_written, write_files

    if values.get("certificate") is not None:
        may_all_be_written((path for path, _ in files), values["force"])
        make_folders(values["certificate"])
    write_files(files, values["force"])
    wrote((path for path, _ in files), values)


def wrote(paths: Iterable[Path], values: dict[str, Any]) -> None:
    """Say which files were written, unless asked to be quiet."""
    for path in () if values["quiet"] else paths:
        say(f"wrote {line(str(path))}")


def remark(lines: tuple[str, ...], values: dict[str, Any]) -> None:
    """Say something on stderr, unless asked to be quiet."""
    if not values["quiet"]:
        for each in lines:
            say(f"note: {line(each)}")
