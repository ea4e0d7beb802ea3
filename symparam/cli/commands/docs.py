"""``symparam docs build`` and ``docs check``: marked blocks of Markdown and TeX files kept true."""

from __future__ import annotations

import contextlib
import difflib
import io
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from symparam.checkpoints.against import BUILT
from symparam.cli.arguments import output_kind
from symparam.cli.helped import OUTPUT, Command, Group, shared
from symparam.cli.said import say
from symparam.dataclass import dataclass
from symparam.documents.marked_files import Answer, Block, Kind, blocks, kind_of, rebuilt
from symparam.errors import DocsError, FileError, SymparamError
from symparam.files.reading import led_to, read_bytes
from symparam.files.writing import Exchange, exchange, only_read
from symparam.showable import json_text, line

#: A text of a person's; a book has some megabytes.
MAX_BYTES = 32 * 2**20

#: How many lines of what differs are shown for each file.
SHOWN = 40

#: The options of a command whose answer a document can hold.
_OUTPUT = {"form", "as_json", "as_latex", "standalone", "template", "output", "quiet"}

_FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...")
_shared = shared(OUTPUT)
_JSON = _shared("--json", "as_json", is_flag=True, help="JSON: each file with its blocks.")
_QUIET = _shared("-q", "--quiet", is_flag=True, help="No remarks on stderr.")


@click.group(cls=Group)
def docs() -> None:
    """Keep marked blocks of Markdown and TeX files true.

    \b
    <!-- symparam: derive llama-2-7b -->        % symparam: count gpt2
    <!-- /symparam -->                          % /symparam

    What stands between two such lines is what the command prints, as Markdown or LaTeX. Nothing
    outside is changed. Paths in a command are those seen from the file's folder.
    """


@docs.command(cls=Command, short_help="Write what the commands print between the marks.")
@_FILES
@_JSON
@_QUIET
def build(files: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Write what the commands print between the marks; all files, or none."""
    paths = _distinct(files)
    try:
        found = [_worked_out(path) for path in paths]
        exchange([Exchange(each.path, each.old, each.new) for each in found if each.drifted])
    except (SymparamError, OSError):
        if len(paths) > 1 and not quiet:
            say(f"none of {len(paths)} files is written, because of one:")
        raise
    for each in found:
        if not quiet:
            say(f"{'wrote' if each.drifted else 'as it was:'} {line(str(each.path))} "
                f"({_blocks(each)})")
    if as_json:
        _print_json(found)


@docs.command(cls=Command, short_help="Say which blocks are not current; exit code 1 if any.")
@_FILES
@_JSON
@_QUIET
def check(files: tuple[str, ...], as_json: bool, quiet: bool) -> int:
    """Say where the files are not what the commands print now; exit code 1 if anywhere.

    Of a folder the certificates below it are checked.
    """
    paths = _distinct(files)
    certificates = [each for path in paths if path.is_dir() for each in _certificates(path)]
    found = [_worked_out(path) for path in paths if not path.is_dir()]
    for each in found:
        if each.drifted and not as_json:
            click.echo("\n".join(map(line, _drift(each))))
        elif not quiet and not each.drifted:
            say(f"current: {line(str(each.path))} ({_blocks(each)})")
    for folder in certificates:
        if folder["problems"] and not as_json:
            click.echo("\n".join(line(f"{folder['file']}: {each}")
                                 for each in folder["problems"]))
        elif not quiet and not folder["problems"]:
            say(f"confirmed: {line(folder['file'])}")
    if as_json:
        _print_json(found, certificates)
    return 1 if any(each.drifted for each in found) or any(
        each["problems"] for each in certificates) else 0


def _certificates(root: Path) -> list[dict[str, Any]]:
    """The certificates below a folder, each with what is wrong with it.

    Raises:
        DocsError: there is none. FileError: one cannot be read.
    """
    from symparam.certificate.folder import DATA, about, folders

    found = [about(folder) for folder in folders(root)]
    if not found:
        raise DocsError(str(root), 0, f"is a folder without a certificate: no {DATA} below it")
    return found


@dataclass(frozen=True)
class Document:
    """A file as it is, and as it should be."""

    path: Path
    kind: Kind
    old: bytes
    new: bytes

    @property
    def drifted(self) -> bool:
        """Whether a block is not what its command prints."""
        return self.old != self.new


def _distinct(files: tuple[str, ...]) -> list[Path]:
    """The files, each once however often and by whatever link it is named."""
    found: dict[Path, Path] = {}
    for path in map(Path, files):
        try:
            found.setdefault(led_to(path), path)
        except (OSError, ValueError):  # it is said where it is read
            found.setdefault(path, path)
    return list(found.values())


def _worked_out(path: Path) -> Document:
    kind = kind_of(str(path))
    try:
        old = read_bytes(path, "a document", MAX_BYTES)
    except FileError as error:
        raise DocsError(error.where, 0, error.problem) from None
    folder = led_to(path).parent

    def run(block: Block) -> Answer:
        try:
            return _answer(block.command, kind, folder)
        except click.ClickException as error:
            problem = error.format_message()
        except (SymparamError, click.exceptions.Exit) as error:
            problem = str(error) if isinstance(error, SymparamError) else "it prints no answer"
        raise DocsError(str(path), block.line, f"{block.command}: {problem}")

    return Document(path, kind, old, rebuilt(old, kind, str(path), run))


def _answer(text: str, kind: Kind, folder: Path) -> Answer:
    """What a command prints, run in this process from a document's folder."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"{error} in the command") from None
    from symparam.cli.main import cli

    words = words[1:] if words[:1] == ["symparam"] else words
    command = _data_command(words)
    with contextlib.chdir(folder), _captured() as out, only_read():
        context = command.make_context(words[0], words[1:], **cli.context_settings)
        with context:
            _refuse(context, folder)
            form = _format(context.params, kind)
            command.invoke(context)
    return Answer(form, out.getvalue())


def _data_command(words: list[str]) -> click.Command:
    """The command that answers with data in formats."""
    from symparam.cli.main import COMMANDS, cli

    context = click.Context(cli, info_name="symparam")
    name = words[0] if words else ""
    command = cli.get_command(context, name)
    if command is None:
        raise click.UsageError(f"there is no command {name!r}; there are {', '.join(COMMANDS)}")
    if name == "trace":
        raise click.UsageError("trace runs code, which a block may not: write its file with -o, "
                               "and let the block name that")
    if not _OUTPUT.issubset(param.name for param in command.params):
        raise click.UsageError(f"{name} is not for documents: it answers with no text in formats")
    return command


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        yield out


def _refuse(context: click.Context, folder: Path) -> None:
    """Refuse what writes files, what builds a model, and templates from elsewhere."""
    values = context.params
    if values.get("traced") or (context.info_name == "check" and BUILT in values["words"][1:]):
        flag = "--trace" if values.get("traced") else f"check MODEL {BUILT}"
        raise click.UsageError(f"{flag} builds a model, which runs code, and a block may not")
    for name, flag in (("output", "-o"), ("force", "--force"), ("answers", "--answers"),
                       ("certificate", "--certificate"), ("bib", "--bib"), ("data", "--data")):
        if values.get(name) and str(values[name]) != "-":
            raise click.UsageError(f"{flag} writes files, which a block may not")
    chosen = [("--template", values["template"]),
              *(("--template-path", path) for path in values["template_path"])]
    for flag, path in chosen:
        if path is not None and not _is_inside(Path(path), folder):
            raise click.UsageError(f"{flag} {path} is outside of the document's folder")


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return led_to(path).is_relative_to(folder)
    except OSError as error:
        raise click.UsageError(f"{path}: cannot be read: {error.strerror}") from None


def _format(values: dict[str, Any], kind: Kind) -> str:
    """The format of an answer; the document's own where none is named."""
    plain = not (values["form"] or values["as_json"] or values["as_latex"]
                 or values["standalone"] or values["template"])
    if plain:
        values["form"] = kind.default
    values["quiet"] = True
    form = output_kind(values)
    if form not in kind.formats:
        raise click.UsageError(f"{form} makes no sense in a {kind.name} file: "
                               f"{', '.join(kind.formats)} do")
    return form


def _blocks(each: Document) -> str:
    count = len(blocks(each.new, each.kind, str(each.path)))
    return "1 block" if count == 1 else f"{count or 'no'} blocks"


def _drift(each: Document) -> Iterator[str]:
    """What differs, as a unified diff that is cut where it is long."""
    old, new = ([line.rstrip("\r") for line in data.decode("utf-8", "replace").split("\n")]
                for data in (each.old, each.new))
    lines = list(difflib.unified_diff(old, new, str(each.path), f"{each.path} (built)", n=1,
                                      lineterm=""))
    yield from lines[:SHOWN]
    if len(lines) > SHOWN:
        yield f"... and {len(lines) - SHOWN} lines more; symparam docs build {each.path}"


def _print_json(found: list[Document], certificates: Sequence[dict[str, Any]] = ()) -> None:
    data = [{"file": str(each.path), "current": not each.drifted,
             "blocks": [{"line": b.line, "command": b.command, "current": c}
                        for b, c in zip(blocks(each.old, each.kind, ""), _current(each),
                                        strict=True)]} for each in found]
    click.echo(json_text([*data, *certificates]))


def _current(each: Document) -> Iterator[bool]:
    """Of each block, whether it is what its command prints."""
    for old, new in zip(blocks(each.old, each.kind, ""), blocks(each.new, each.kind, ""),
                        strict=True):
        yield each.old[old.start:old.end] == each.new[new.start:new.end]
