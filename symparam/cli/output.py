"""Where output goes: stdout, a terminal with colour, or a file that is written whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from symparam.descriptions.references import published_name
from symparam.errors import OutputError
from symparam.files.writing import may_be_written
from symparam.showable import json_text, line

if TYPE_CHECKING:
    from symparam.documents.common.floating import Floats
    from symparam.documents.common.view import Tabular, View
    from symparam.model import Model
    from symparam.notation.notation import Notation
    from symparam.writers.document import Document


def emit(view: View, kind: str, values: dict[str, Any]) -> None:
    """Print or write an answer in the format that was asked for.

    Args:
        view: the answer.
        kind: text, json, another format of documents, or csv where the command offers it.
        values: the command's options.
    """
    floats = _floats(values)
    if values.get("bib") is not None:
        _emit_bibliography(view, values)
    if values["template"] is not None:
        write(view.template(values["template"], kind=kind, search=values["template_path"],
                            floats=floats), values)
    elif kind == "json":
        write(json_text(view.json()) + "\n", values)
    elif kind == "csv":
        write(cast("Tabular", view).csv(), values)
    elif kind == "text":
        _emit_text(view, values, floats)
    else:
        write(view.render(kind, floats), values)


def _floats(values: dict[str, Any]) -> Floats | None:
    """What tables are called that were asked to float."""
    if not (values["floats"] or values["caption"] or values["label"]):
        return None
    from symparam.documents.common.floating import Floats

    return Floats(values["caption"] or "", values["label"] or "")


def _emit_bibliography(view: View, values: dict[str, Any]) -> None:
    """BibTeX of what an answer cites; it is written before the answer, which names its keys."""
    from symparam.bibliography import bibtex, used
    from symparam.writers.document import sources_of

    if values["output"] is not None and str(values["output"]) != "-":
        may_be_written(Path(values["output"]), values["force"])
    found = used(sources_of(view.document()))
    save(values["bib"], bibtex(found).encode(), values)
    if not found:
        remark((f"{values['bib']} has no entry: the answer names no source",), values)


def _emit_text(view: View, values: dict[str, Any], floats: Floats | None) -> None:
    """Text, with colour on a terminal; a template is needed for displays alone."""
    document = view.written(floats)
    if values["output"] is None and _on_terminal():
        from symparam.cli.terminal import show

        show(document, view.notation)
    elif _has_display(document):
        write(view.render("text", floats), values)
    else:
        from symparam.writers.text import TextFormat

        write(TextFormat(view.notation).document(document), values)


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


def write(text: str, values: dict[str, Any]) -> None:
    """Print a text, or write it to the file that was named."""
    path = values["output"]
    if path is None or str(path) == "-":
        click.echo(text, nl=False)
        return
    save(Path(path), text.encode("utf-8", "replace"), values)


def put(content: bytes) -> None:
    """Print bytes as they are."""
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:  # a stream of text stands in for stdout
        sys.stdout.write(content.decode("utf-8", "replace"))
    else:
        raw.write(content)
    sys.stdout.flush()


def save(path: Path, content: bytes, values: dict[str, Any]) -> None:
    """Write a file whole or not at all, and say so.

    Raises:
        OutputError: it exists already, or cannot be written.
    """
    save_all([(path, content)], values)


def save_all(files: Sequence[tuple[Path, bytes]], values: dict[str, Any]) -> None:
    """Write files, all of them whole or none, and say so.

    Raises:
        OutputError: one exists already, or cannot be written.
    """
    from symparam.files.writing import write_files

    write_files(files, values["force"])
    wrote((path for path, _ in files), values)


def wrote(paths: Iterable[Path], values: dict[str, Any]) -> None:
    """Say which files were written, unless asked to be quiet."""
    for path in () if values["quiet"] else paths:
        click.echo(f"wrote {line(str(path))}", err=True)


def keep_input(output: Path | None, reference: str) -> None:
    """Refuse to write over what is read.

    Args:
        output: the file to write to, if there is one.
        reference: a MODEL or another file or folder that is read; a name is none.

    Raises:
        OutputError: they are the same.
    """
    try:
        inputs = [Path(reference), Path(reference, "config.json")]
        if output is not None and published_name(reference) is None and output.exists() and any(
                each.exists() and each.samefile(output) for each in inputs):
            raise OutputError(f"{output} is what is read: name another file for the answer")
    except (OSError, ValueError):
        return  # the reading or the writing says what is wrong


def remark(lines: tuple[str, ...], values: dict[str, Any]) -> None:
    """Say something on stderr, unless asked to be quiet."""
    if not values["quiet"]:
        for each in lines:
            click.echo(f"note: {line(each)}", err=True)
