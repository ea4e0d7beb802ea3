"""Options that commands share, and the reading of MODEL and KEY=VALUE."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from symparam import components
from symparam.cli.output import fitted, keep_input
from symparam.dims import NOTATIONS, TOTAL, known_dims
from symparam.errors import BadValue, Contradiction, ParseError, UnknownName
from symparam.export.notation_file import SUFFIX, notation_of
from symparam.grammar import Rule, constant, parse_assignment, parse_rule
from symparam.model import Model
from symparam.spec.config import TASKS
from symparam.spec.load import build, load, shadowed
from symparam.spec.options import Options, bias_sites

_F = TypeVar("_F", bound=Callable[..., Any])
_ASSIGNMENT = re.compile(r"^\s*[A-Za-z_]\w*\s*=", re.ASCII)


class Kind(click.ParamType[str]):
    """A choice of a slot's components, found when it is needed."""

    name = "kind"

    def __init__(self, slot: str) -> None:
        self.slot = slot

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a component."""
        try:
            components.find(self.slot, str(value))
        except UnknownName as error:
            self.fail(str(error), param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """The choices, as help shows them."""
        return "|".join(components.choices(self.slot))

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """The choices that begin so."""
        return [CompletionItem(n) for n in components.choices(self.slot)
                if n.startswith(incomplete)]


class Words(click.ParamType[str]):
    """A MODEL or a KEY=VALUE; completes both."""

    name = "words"

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """Names in the catalogue, then symbols with an equals sign."""
        from symparam.spec.catalogue import names

        words = [*names(), *(f"{dim.name}=" for dim in known_dims())]
        return [CompletionItem(w) for w in words if w.startswith(incomplete)]


class NotationName(click.ParamType[str]):
    """A notation by its name, or a file with one."""

    name = "notation"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name or the path, if it can be one; the file is read with the model's own dims."""
        if value not in NOTATIONS and not str(value).endswith(SUFFIX):
            hint = f"it is one of {', '.join(NOTATIONS)}, or the path of a {SUFFIX} file"
            self.fail(str(UnknownName("notation", str(value), NOTATIONS, hint)), param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """The choices, as help shows them."""
        return "|".join((*NOTATIONS, f"FILE{SUFFIX}"))

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """The names that begin so, and files."""
        found = [CompletionItem(n) for n in NOTATIONS if n.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


class Width(click.ParamType[Fraction]):
    """The width of a page's text in cm."""

    name = "cm"

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Fraction:
        """The number, a decimal one, exactly."""
        text = str(value).removesuffix("cm").strip()
        if not re.fullmatch(r"\d{1,4}(\.\d{1,4})?", text):
            self.fail(f"{value!r} is no width in cm, such as 8.4", param, ctx)
        return Fraction(text)


class OutFile(click.Path):
    """A file to write to."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; an empty text is none."""
        if value == "":
            self.fail("the name of a file is expected, or - for stdout", param, ctx)
        return super().convert(value, param, ctx)


ARCHITECTURE: tuple[Callable[[Any], Any], ...] = (
    click.option("--attention", type=Kind("attention"), help="Kind of attention."),
    click.option("--ffn", type=Kind("ffn"), help="Kind of feed-forward network."),
    click.option("--norm", type=Kind("norm"), help="Kind of normalisation."),
    click.option("--norms-per-block", type=click.Choice(["1", "2", "4"]), help="Norms in a block."),
    click.option("--final-norm/--no-final-norm", default=None, help="A norm after the blocks."),
    click.option("--bias", metavar="SITES", help="Biases: any of qkv,attn-out,ffn,head; "
                 "or all (the first three), or none."),
    click.option("--qk-norm/--no-qk-norm", default=None, help="Norms of query and key heads."),
    click.option("--positions", type=Kind("positions"), help="How positions are told."),
    click.option("--tied/--untied", default=None, help="Head shares the token embedding."),
    click.option("--as", "task", type=click.Choice(TASKS),
                 help="What a config.json is counted as."),
    click.option("--mtp", is_flag=True, help="Count multi-token-prediction layers as well."),
    click.option("--ignore-key", "ignored", multiple=True, metavar="KEY",
                 help="Pass over a key of a config.json that is not understood (repeatable)."),
    click.option("--keep-ratios", is_flag=True,
                 help="n_heads, n_kv and d_ff scale with a new d_model; d_head stays."),
)

def output_options(*more: str,
                   endings: str = ".md .tex .html .json .txt") -> tuple[Callable[[Any], Any], ...]:
    """The options that say how an answer is written.

    Args:
        more: formats besides those of documents.
        endings: the endings of files that say a format.
    """
    return (
        click.option("--json", "as_json", is_flag=True, help="JSON, with exact integers."),
        click.option("--format", "form", type=click.Choice(
            ["text", "markdown", "mkdocs", "latex", "macros", "html", "json", *more]),
            help="Output format (text); macros: a TeX macro for each number."),
        click.option("--latex", "as_latex", is_flag=True, help="As --format latex."),
        click.option("--standalone", is_flag=True, help="A whole LaTeX document, not a fragment."),
        click.option("--notation", type=NotationName(),
                     help="How symbols are written in formulas (paper), or a file that says it."),
        click.option("--text-width", type=Width(), metavar="CM",
                     help="Width of a line of LaTeX (16); 8.4 or so for a paper of two columns."),
        click.option("--template", type=click.Path(path_type=Path), metavar="FILE",
                     help="A template of your own; its name ends in .tex.j2, .md.j2, ..."),
        click.option("--template-path", multiple=True, type=click.Path(path_type=Path),
                     metavar="DIR", help="A folder of templates to extend and include "
                     "(repeatable)."),
        click.option("-o", "--output", type=OutFile(path_type=Path), metavar="FILE",
                     help="Write to a file, whole or not at all (-: to stdout). Without a named "
                     f"format its ending says it: {endings}."),
        click.option("--force", is_flag=True, help="Replace an existing file."),
        click.option("-q", "--quiet", is_flag=True, help="No remarks on stderr."),
    )


OUTPUT = output_options()


def options(*groups: Iterable[Callable[[Any], Any]]) -> Callable[[_F], _F]:
    """A decorator that adds groups of options, in the order in which help shows them."""

    def add(function: _F) -> _F:
        for group in reversed(groups):
            for option in reversed(tuple(group)):
                function = option(function)
        return function

    return add


words = click.argument("words", nargs=-1, type=Words(), metavar="[MODEL] [KEY=VALUE]...")


@dataclass(frozen=True)
class Request:
    """What a command line asks about.

    Attributes:
        model: the model with options and dims applied; for solve, with options alone.
        base: the model with options but without the user's dims; None for one from options.
        given: dims as the user gave them.
        unknown: dims given as ``KEY=?``.
        total: the value of ``P=``, if given.
        remarks: what to say on stderr.
    """

    model: Model
    base: Model | None
    given: dict[str, int | Rule]
    unknown: tuple[str, ...]
    total: Rule | None
    remarks: tuple[str, ...]


def read(words: tuple[str, ...], values: dict[str, Any], solving: bool = False) -> Request:
    """Everything that a command line says of a model.

    Raises:
        SymparamError: something in it is wrong.
    """
    reference, assignments = _parted(words)
    loaded = None if reference is None else load(reference, values["task"], values["mtp"],
                                                 values["ignored"])
    extra = frozenset(loaded.dims) if loaded else frozenset()
    given: dict[str, int | Rule] = {}
    unknown: list[str] = []
    remarks: list[str] = []
    if reference is not None:
        keep_input(values["output"], reference)
        if own := shadowed(reference):
            remarks.append(f"{reference} is the catalogue's; write {own} for your own")
    total: Rule | None = None
    for text in assignments:
        name, value = parse_assignment(text, extra)
        if text.partition("=")[0].strip() == "n_kv_groups":
            remarks.append("n_kv_groups is taken as n_kv: a number of key-value heads")
        if name in given or name in unknown or (name == TOTAL.name and total is not None):
            raise Contradiction(f"{name} given twice", "itself", f"give {name} once")
        if value is None:
            unknown.append(name)
        elif name == TOTAL.name:
            total = value
        else:
            given[name] = value
    if not solving and (total is not None or unknown):
        raise BadValue("P" if total else unknown[0], total or "?",
                       "is for solve; here numbers go in and P comes out")
    option_values = architecture(values)
    model = build(loaded, option_values, {} if solving else given, values["task"],
                  values["keep_ratios"] and not solving, values["mtp"] and loaded is None,
                  values["ignored"] if loaded is None else ())
    if solving and reference is None and "n_kv" in given and option_values.attention is None:
        model = build(None, architecture({**values, "attention": "gqa"}), {})
    base = build(loaded, option_values, {}, values["task"]) if loaded and given else None
    values["notation"] = fitted(notation_of(values["notation"] or model.notation, model.dims),
                                values)
    used = {*model.dims, *(name for eq in model.all_equations() for name in eq.inputs)}
    remarks += [f"{name} does not enter the count of {model.name}" for name in given
                if name not in used]
    return Request(model, base, given, tuple(unknown), total, tuple(remarks))


def is_assignment(word: str) -> bool:
    """Whether a word is KEY=VALUE rather than a MODEL."""
    return _ASSIGNMENT.match(word) is not None


def _parted(words: Iterable[str]) -> tuple[str | None, list[str]]:
    """The MODEL, if there is one, and the assignments."""
    assignments = [word for word in words if is_assignment(word)]
    references = [word for word in words if not is_assignment(word)]
    if len(references) > 1:
        if any("=" in word for word in references):
            parse_assignment(next(word for word in references if "=" in word))
        raise BadValue("MODEL", " ".join(references), "one MODEL is expected; dims are KEY=VALUE")
    return (references[0] if references else None), assignments


def architecture(values: dict[str, Any]) -> Options:
    """The changes to an architecture that the options ask for."""
    names = ("attention", "ffn", "norm", "final_norm", "qk_norm", "positions", "tied")
    count, sites = values["norms_per_block"], values["bias"]
    return Options(**{name: values[name] for name in names},
                   norms_per_block=int(count) if count else None,
                   bias=bias_sites(sites) if sites is not None else None)


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


_SUFFIX_KINDS = {".tex": "latex", ".md": "markdown", ".html": "html", ".htm": "html",
                 ".json": "json", ".txt": "text", "": "text"}


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
    if values["text_width"] is not None and kind != "latex":
        raise Contradiction("--text-width", f"the format {kind}", "it is of LaTeX alone")
    return "standalone" if values["standalone"] else kind


def _suffix_kind(path: Path | None, more: Mapping[str, str]) -> str:
    """The format that a file's ending says."""
    suffix, known = path.suffix.lower() if path is not None else "", {**more, **_SUFFIX_KINDS}
    if suffix not in known:
        raise BadValue("-o", path, f"{suffix} is no format that is written; one of "
                       f"{' '.join(filter(None, known))} is, or add --format text")
    return known[suffix]


def _template_kind(values: dict[str, Any], named: list[tuple[str, Any]]) -> str:
    """The format of a template of one's own: the one that is named, else its name's."""
    from symparam.export.template import KINDS, SUFFIX, template_kind

    if values["standalone"] or (named and named[0][1] == "json"):
        other = "--standalone" if values["standalone"] else named[0][0]
        raise Contradiction("--template", other, "a template writes the whole document itself")
    kind = named[0][1] if named else template_kind(values["template"])
    if kind is None:
        ends = ", ".join(end + SUFFIX for end in KINDS)
        raise BadValue("--template", values["template"], f"its name says no format ({ends}): "
                       "add --format")
    return str(kind)
