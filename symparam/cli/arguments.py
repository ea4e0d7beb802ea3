"""Options that commands share, and the format that they ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click

from symparam import formats
from symparam.cli import helped
from symparam.cli.helped import shared
from symparam.cli.parameters import (
    Beside,
    FileOption,
    FormatName,
    FormatOption,
    Kind,
    KindOption,
    NotationName,
    OutFile,
    Width,
    Words,
)
from symparam.descriptions.config import TASKS
from symparam.errors import BadValue, Contradiction, ParseError
from symparam.grammar import constant, parse_rule

_F = TypeVar("_F", bound=Callable[..., Any])
_ASSIGNMENT = re.compile(r"^\s*[A-Za-z_][\w.]*\s*=", re.ASCII)


def _kind(slot: str, meaning: str) -> Callable[[Any], Any]:
    """The option that names a slot's component."""
    return click.option(f"--{slot}", type=Kind(slot), cls=KindOption, help=meaning,
                        heading=helped.ARCHITECTURE)


_option = shared(helped.ARCHITECTURE)
ARCHITECTURE: tuple[Callable[[Any], Any], ...] = (
    _kind("attention", "Kind of attention"),
    _kind("ffn", "Kind of feed-forward network"),
    _kind("norm", "Kind of normalisation"),
    _option("--norms-per-block", type=click.Choice(["1", "2", "4"]), help="Norms in a block."),
    _option("--final-norm/--no-final-norm", default=None, help="A norm after the blocks."),
    _option("--bias", metavar="SITES", help="Biases: any of qkv,attn-out,ffn,head; "
            "or all (the first three), or none."),
    _option("--qk-norm/--no-qk-norm", default=None, help="Norms of query and key heads."),
    _kind("positions", "How positions are told"),
    _option("--tied/--untied", default=None, help="Head shares the token embedding."),
    _option("--as", "task", type=click.Choice(TASKS),
            help="What a config.json is counted as."),
    _option("--mtp", is_flag=True, help="Count multi-token-prediction layers as well."),
    _option("--ignore-key", "ignored", multiple=True, metavar="KEY",
            help="Pass over a key of a config.json that is not understood (repeatable)."),
    _option("--trace", "traced", is_flag=True,
            help="Find the tensors of a config.json by tracing what transformers builds of it, "
            "vision and audio too, in place of reading it (needs symparam[torch])."),
    _option("--part", "part", metavar="NAME",
            help="One part of a model that is made of several: text, vision, audio, projector, or "
            "the name of another."),
    _option("--keep-ratios", is_flag=True,
            help="n_heads, n_kv and d_ff scale with a new d_model; d_head stays."),
)

def output_options(*more: str, endings: str = "") -> tuple[Callable[[Any], Any], ...]:
    """The options that say how an answer is written.

    Args:
        more: formats besides those of documents.
        endings: of files that say one of them.
    """
    option = shared(helped.OUTPUT)
    return (
        option("--json", "as_json", is_flag=True, help="JSON, with exact integers."),
        option("--format", "form", type=FormatName(more), metavar="NAME", cls=FormatOption),
        option("--latex", "as_latex", is_flag=True, help="As --format latex."),
        option("--standalone", is_flag=True, help="A whole LaTeX document, not a fragment."),
        option("--notation", type=NotationName(),
               help="How symbols are written in formulas (paper), or a file that says it."),
        option("--text-width", type=Width(), metavar="CM",
               help="Width of a line of LaTeX (16); 8.4 or so for a paper of two columns."),
        option("--float", "floats", is_flag=True,
               help="Tables float, with captions and labels of their own."),
        option("--caption", metavar="TEXT", help="As --float, with a caption for the first table."),
        option("--label", metavar="KEY", help="As --float, with a label for the first table."),
        option("--bib", type=Beside(path_type=Path), metavar="FILE",
               help="Write BibTeX of the sources that the answer names; LaTeX cites by its keys."),
        option("--cite", type=click.Choice(["citep", "citet", "cite"]),
               help="The command that cites in LaTeX (citep, with --bib)."),
        option("--template", type=click.Path(path_type=Path), metavar="FILE",
               help="A template of your own; its name ends in .tex.j2, .md.j2, ..."),
        option("--template-path", multiple=True, type=click.Path(path_type=Path),
               metavar="DIR", help="A folder of templates to extend and include "
               "(repeatable)."),
        option("-o", "--output", type=OutFile(path_type=Path), metavar="FILE", cls=FileOption,
               help="Write to a file, whole or not at all (-: to stdout). Without a named "
               f"format its ending says it:{f' {endings}' if endings else ''}"),
        option("--force", is_flag=True, help="Replace an existing file."),
        option("-q", "--quiet", is_flag=True, help="No remarks on stderr."),
    )


OUTPUT = output_options()

#: What rows of numbers are written as beside these, by the ending of a file.
TABLES = {".csv": "csv"}
TABLE_OUTPUT = output_options(*TABLES.values(), endings=" ".join(TABLES))


def options(*groups: Iterable[Callable[[Any], Any]]) -> Callable[[_F], _F]:
    """A decorator that adds groups of options; help shows them by their headings."""

    def add(function: _F) -> _F:
        for group in reversed(groups):
            for option in reversed(tuple(group)):
                function = option(function)
        return function

    return add


words = click.argument("words", nargs=-1, type=Words(), metavar="[MODEL] [KEY=VALUE]...")


def parted(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """The words of a command line that name something, and those that are KEY=VALUE.

    >>> parted(["gpt2", "L=24", "./mine=old.json"])
    (['gpt2', './mine=old.json'], ['L=24'])
    """
    names, assignments = list[str](), list[str]()
    for word in words:
        (assignments if _ASSIGNMENT.match(word) else names).append(word)
    return names, assignments


def listed(texts: Iterable[str]) -> list[str]:
    """What options name that may be repeated and take commas.

    >>> listed(["P, active", "flops"])
    ['P', 'active', 'flops']
    """
    return [name.strip() for text in texts for name in text.split(",")]


def share(option: str, text: str) -> Fraction:
    """A share from ``1%`` or ``0.01``.

    >>> share("--tolerance", "0.5%"), share("--tolerance", "0.01")
    (Fraction(1, 200), Fraction(1, 100))
    """
    try:
        number = constant(parse_rule(text.rstrip().removesuffix("%")))
    except ParseError as error:
        raise BadValue(option, text, f"expected 1% or 0.01: {error.problem}") from None
    found = Fraction(number or 0) / (100 if text.rstrip().endswith("%") else 1)
    if number is None or not 0 <= found < 1:
        raise BadValue(option, text, "expected a share below one, such as 1% or 0.01")
    return found


def output_kind(values: dict[str, Any], more: Mapping[str, str] | None = None) -> str:
    """The output format that the options name; else the one of the file's suffix, else text.

    With a template of one's own, the format of its pieces.

    Args:
        values: the command's options.
        more: formats besides those of documents, by the ending of a file.

    Raises:
        Contradiction: two of them name different ones.
    """
    named = [(flag, kind) for flag, kind, on in (
        ("--json", "json", values["as_json"]), ("--latex", "latex", values["as_latex"]),
        (f"--format {values['form']}", values["form"], values["form"])) if on]
    if len({kind for _, kind in named}) > 1:
        raise Contradiction(named[0][0], named[1][0], "choose one format")
    if values["template"] is not None:
        return _template_kind(values, named)
    if values["template_path"]:
        raise BadValue("--template-path", values["template_path"][0], "goes with --template FILE")
    kind = named[0][1] if named else _suffix_kind(values["output"], more or {})
    if values["standalone"] and kind != "latex" and (named or kind in (more or {}).values()):
        other = named[0][0] if named else f"a file of {kind}"
        raise Contradiction("--standalone", other, "--standalone goes with --latex")
    found = formats.everything().get(kind) if values["text_width"] is not None else None
    if values["text_width"] is not None and not (found and found.paged):
        paged = " or ".join(each.name for each in formats.everything().values() if each.paged)
        raise Contradiction("--text-width", f"the format {kind}", f"it goes with {paged}")
    return "standalone" if values["standalone"] else kind


def _suffix_kind(path: Path | None, more: Mapping[str, str]) -> str:
    """The format that a file's ending says."""
    if path is None:
        return formats.DEFAULT
    suffix, known = path.suffix.lower(), {**more, **formats.endings()}
    if suffix not in known:
        raise BadValue("-o", path, f"{suffix} is no format that is written; one of "
                       f"{' '.join(filter(None, known))} is, or add --format text")
    return known[suffix]


def _template_kind(values: dict[str, Any], named: list[tuple[str, Any]]) -> str:
    """The format of a template of one's own: the one that is named, else its name's."""
    from symparam.templating.template import SUFFIX, template_kind

    data = {each.name for each in formats.everything().values() if each.writer is None}
    if values["standalone"] or (named and named[0][1] in data):
        other = "--standalone" if values["standalone"] else named[0][0]
        raise Contradiction("--template", other, "a template writes the whole document itself")
    kind = named[0][1] if named else template_kind(values["template"])
    if kind is None:
        ends = ", ".join(end + SUFFIX for end in formats.template_endings())
        raise BadValue("--template", values["template"], f"its name says no format ({ends}): "
                       "add --format")
    return str(kind)
