"""Documents through templates of one's own: found on a search path, run in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2

from symparam import formats
from symparam.errors import BadValue, FileError, TemplateError, short
from symparam.files.reading import led_to, note, read_text
from symparam.notation.notation import PRESETS, Notation
from symparam.showable import cleaned
from symparam.templating.confined import confined
from symparam.templating.filters import FILTERS, FUNCTIONS, TESTS
from symparam.templating.render import SYNTAX, template_folder, the_writer
from symparam.templating.sandbox import Sandbox
from symparam.writers.document import Document

MAX_BYTES = 2**16
SUFFIX = ".j2"

#: What no name of a file has.
_BETWEEN = "\0"


def template_kind(path: Path) -> str | None:
    """The format that a template's name ends in; None where it says nothing of one.

    >>> template_kind(Path("appendix.tex.j2")), template_kind(Path("appendix.j2"))
    ('latex', None)
    """
    return formats.template_endings().get(Path(path.stem).suffix) if path.suffix == SUFFIX else None


def render_template(path: Path, document: Document, data: Any, *, search: Sequence[Path] = (),
                    kind: str | None = None, notation: Notation = PRESETS["paper"]) -> str:
    """A document through a template of one's own.

    The template sees ``document`` (blocks), ``out`` (which writes their pieces in a format) and
    ``data`` (what the JSON format writes); docs/templates.md describes them.

    Args:
        path: the template.
        document: the answer as a document.
        data: the same as JSON data.
        search: folders in which ``extends``, ``include`` and ``import`` look before the shipped
            templates; only files whose names end in ``.j2``, and none outside of them.
        kind: the format of ``out``; None for the one that the template's name ends in.
        notation: how dims are written.

    Raises:
        TemplateError: it cannot be read or run, or does more than a document takes.
        BadValue: neither the name nor ``kind`` says which format it is. UnknownName: no such kind.
    """
    kind = kind or template_kind(path)
    if kind is None:
        raise BadValue("--template", path, "give --format, or a name that ends in "
                       + ", ".join(f"{end}{SUFFIX}" for end in formats.template_endings()))
    found = formats.find(kind)
    out = the_writer(found)(notation)
    loader = SearchPath(path, search)
    names = {"document": document, "out": out, "data": cleaned(data)}

    def work() -> str:  # whose account begins in the process in which it is done
        text = _run(Sandbox(out, FILTERS, TESTS, FUNCTIONS, loader=loader,
                            autoescape=found.escaped, **SYNTAX), loader, names)
        return _BETWEEN.join([*loader.read, "", text])

    read, _, text = confined(work, str(path)).partition(2 * _BETWEEN)
    for file in read.split(_BETWEEN):
        note(file)
    return text.rstrip("\n") + "\n"


def _run(sandbox: Sandbox, loader: SearchPath, names: dict[str, Any]) -> str:
    """The text that a template writes.

    Whatever its own code raises is its own fault: every kind of exception is told with its place.
    """
    try:
        return "".join(sandbox.get_template(loader.main).generate(names))
    except TemplateError:
        raise
    except Exception as error:
        where, line = _place(error, str(loader.path))
        raise TemplateError(where, line, _problem(error, loader)) from None


def _place(error: Exception, main: str) -> tuple[str, int]:
    """The template and the line in which something went wrong; line 0 where none is known."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return error.filename or main, error.lineno
    found, trace = (main, 0), error.__traceback__
    while trace is not None:
        if "__jinja_exception__" in trace.tb_frame.f_globals:
            found = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return found


def _problem(error: Exception, loader: SearchPath) -> str:
    match error:
        case jinja2.TemplatesNotFound(templates=[]):
            return "an empty list names no template"
        case jinja2.TemplatesNotFound():
            return f"each of the templates {', '.join(map(repr, error.templates))} {loader.told()}"
        case jinja2.TemplateNotFound():
            return f"the template {error.name!r} {loader.told()}"
        case RecursionError():
            return "nested too deeply, or extending, including or calling itself without an end"
        case MemoryError() | SyntaxError():
            return "too large or too deeply nested"
        case jinja2.TemplateError():
            return error.message or type(error).__name__
        case KeyError():
            return f"there is no {error}"
        case OverflowError(args=(_, str() as said)):  # of an operator, with the system's number
            return said
    said = str(error)
    return said if " " in said else f"{type(error).__name__} {said}"


class SearchPath(jinja2.BaseLoader):
    """Templates by their names in some folders, and the shipped ones; nothing outside of them.

    Args:
        path: the template that is run, which nothing has to look for.
        search: the folders, first to last.

    Attributes:
        read: the files that were.
    """

    def __init__(self, path: Path, search: Sequence[Path]) -> None:
        for folder in search:
            if not folder.is_dir():
                raise TemplateError(str(folder), 0, "the search path needs a folder")
        self.path, self.search, self.read = path, tuple(search), dict[str, None]()

    @property
    def main(self) -> str:
        """The name of the template that is run; none of those on the path can have it."""
        return f"/{self.path}"

    def told(self) -> str:
        """Where a template was looked for, as an error says it."""
        folders = ", ".join([*map(str, self.search), "the shipped templates"])
        return (f"is not in {folders}: names end in {SUFFIX}, lead to files inside, and "
                "--template-path DIR adds a folder")

    def get_source(self, environment: jinja2.Environment, template: str,
                   ) -> tuple[str, str, Callable[[], bool]]:
        """The text of a template, and the file that it is from."""
        file = self.path if template == self.main else self._found(template)
        self.read[str(file)] = None
        return _read(file), str(file), lambda: True

    def _found(self, name: str) -> Path:
        parts = PurePosixPath(name).parts
        outside = name.startswith("/") or ".." in parts or set("\\\0:") & set(name)
        if outside or not parts:
            raise jinja2.TemplateNotFound(name)
        for folder in self.search:
            file = folder.joinpath(*parts)
            if file.suffix == SUFFIX and _inside(file, folder):
                return file
        shipped = template_folder()
        if len(parts) == 1 and (shipped / name).is_file():
            return shipped / name
        raise jinja2.TemplateNotFound(name)


def _inside(file: Path, folder: Path) -> bool:
    """Whether a plain file is in a folder, wherever links lead."""
    try:
        return file.is_file() and led_to(file).is_relative_to(led_to(folder))
    except OSError:
        return False


def _read(file: Path) -> str:
    try:
        return read_text(file, "a template", MAX_BYTES)
    except FileError as error:
        raise TemplateError(short(error.where, 200), 0, error.problem) from None
