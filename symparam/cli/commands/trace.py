"""``symparam trace``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symparam.begun import INTERRUPTED
from symparam.cli.arguments import options, output_kind, output_options, parted
from symparam.cli.helped import command
from symparam.cli.output import chosen, emit, remark, write
from symparam.cli.progress import Progress
from symparam.cli.traced import names_code
from symparam.errors import BadValue, Contradiction, ParseError, UnknownName
from symparam.files.reading import note
from symparam.files.writing import may_be_written
from symparam.grammar import constant, parse_rule
from symparam.quantities.amounts import memory_of

if TYPE_CHECKING:
    from symparam.traced.records import Trace
    from symparam.tracing.supervised import Wanted

#: What an honest answer may not have: a dim left as a number, a point that disagrees, an end
#: before its time.
NO = frozenset({"number", "disagrees", "unfinished"})
LIBRARIES = ("transformers", "timm", "diffusers")


@command()
@click.argument("words", nargs=-1, metavar="TARGET [KEY=VALUE]...")
@click.option("--set", "switches", multiple=True, metavar="NAME=VALUE",
              help="A switch: true, false, none, a text, a list in JSON (repeatable).")
@click.option("--hold", multiple=True, metavar="KEY",
              help="Do not move a key: it stays the number that it is (repeatable).")
@click.option("--keys", "keys_only", is_flag=True, help="Show what the target takes, and stop.")
@click.option("--points", type=click.IntRange(1, 1000), default=20, show_default=True, metavar="N",
              help="Fresh points at which the rows are refuted.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of every drawing.")
@click.option("--time", "seconds", type=click.FloatRange(1), default=300.0, metavar="SECONDS",
              help="After which nothing more is built (300).")
@click.option("--memory", metavar="AMOUNT", default="8GiB", show_default=True,
              help="What the child process may have resident.")
@click.option("--costs/--no-costs", default=True, show_default=True,
              help="Make forward passes too: what is multiplied and kept.")
@click.option("--trust", is_flag=True,
              help="Trace a configuration that names code of its own (auto_map).")
@options(output_options("toml", endings=".toml (the architecture file)"))
def trace(**values: Any) -> int:
    """Find the tensors of a PyTorch module as expressions in what it takes, by building it at
    points, and what that rests on. It runs the code that it is given.

    TARGET is file.py:Model, package.module:Class (a class, or a function that returns a module),
    transformers:TYPE, a config.json, org/name of a hub, timm:NAME or diffusers:CLASS. With -o
    FILE.toml the result is kept, to be counted, derived and solved like any other MODEL without
    torch.

    Exit code 1 when a dim stayed a number, a fresh point disagrees, or time was up; 130 when it was
    interrupted.
    """
    kind = output_kind(values, {".toml": "toml"})
    wanted = _wanted(values)
    if values["output"] is not None and str(values["output"]) != "-":
        for file in (target := Path(wanted.target.partition(":")[0]), target / "config.json"):
            note(file)  # what another process reads
        may_be_written(Path(values["output"]), values["force"])
    remark((_runs(wanted.target),), values)
    if values["keys_only"]:
        return _show_keys(wanted, kind, values)
    return _traced(wanted, kind, values)


def _traced(wanted: Wanted, kind: str, values: dict[str, Any]) -> int:
    from symparam.tracing.supervised import Stopped, supervised

    progress = Progress(values["quiet"], "traced")
    try:
        found = supervised(wanted, progress.stage)
    except Stopped as stopped:
        progress.clear()
        if stopped.known is None:
            raise
        _emit(stopped.known, "text", {**values, "output": None})
        remark((f"{stopped}: this is what was known by then; nothing is written",),
               {**values, "quiet": False})
        return INTERRUPTED if stopped.interrupted else 1
    progress.clear()
    _emit(found, kind, values)
    asked = {"number"} if wanted.hold else set()
    return int(any(assumption.kind in NO - asked for assumption in found.assumptions))


def _emit(found: Trace, kind: str, values: dict[str, Any]) -> None:
    """The answer; a file of the architecture is written beside it."""
    from symparam.documents.trace import TraceView
    from symparam.traced.model import model_of
    from symparam.traced.written import toml_of

    path, model = values["output"], model_of(found)
    view = TraceView(model, found, chosen(values, model))
    if kind != "toml":
        emit(view, kind, values)
    elif path is None or str(path) == "-":
        write(toml_of(found), values)
    else:
        emit(view, "text", {**values, "output": None},
             beside=[(Path(path), toml_of(found).encode())])


def _show_keys(wanted: Wanted, kind: str, values: dict[str, Any]) -> int:
    from symparam.documents.trace import KeysView
    from symparam.tracing.supervised import keys_of

    emit(KeysView(wanted.target, keys_of(wanted), chosen(values)),
         "text" if kind == "toml" else kind, values)
    return 0


def _wanted(values: dict[str, Any]) -> Wanted:
    from symparam.tracing.sources.missing import file_named, refuse_missing
    from symparam.tracing.supervised import Wanted

    targets, assignments = parted(values["words"])
    if len(targets) != 1 or not targets[0].strip():
        raise BadValue("TARGET", " ".join(targets) or "nothing", "expected one: file.py:Model, "
                       "package.module:Class, transformers:TYPE, a config.json, timm:NAME or "
                       "diffusers:CLASS")
    if (file := file_named(targets[0])) is not None:
        refuse_missing(file)
    if not values["trust"]:
        _refuse_untrusted(targets[0])
    settings: dict[str, Any] = {}
    for name, value in _settings(assignments, values["switches"]):
        if name in settings:
            raise Contradiction(f"{name} given twice", "itself", f"give {name} once")
        settings[name] = value
    return Wanted(targets[0], settings, values["hold"], values["points"], values["seed"],
                  values["seconds"], _memory(values["memory"]), values["trust"],
                  costs=values["costs"])


def _memory(text: str) -> int:
    """An amount of memory, in bytes."""
    found = memory_of(text)
    if not isinstance(found, int):
        raise BadValue("--memory", text, "expected an amount such as 8GiB")
    return found


def _settings(assignments: Iterable[str], switches: Iterable[str]) -> Iterator[tuple[str, Any]]:
    for word in assignments:
        name, _, text = word.partition("=")
        own = switch(text.strip())
        plain = own is None or isinstance(own, bool)
        yield name.strip(), own if plain else number(name.strip(), text)
    for word in switches:
        name, equals, text = word.partition("=")
        if not equals:
            raise BadValue("--set", word, "expected NAME=VALUE")
        yield name.strip(), switch(text)


def number(name: str, text: str) -> Any:
    """A number, or a list of them, as an argument takes it.

    Raises:
        BadValue: anything else.

    >>> number("d", "128Ki"), number("r", "2.5"), number("depths", "2,2,6")
    (131072, 2.5, [2, 2, 6])
    """
    if "," in text:
        return [number(name, part) for part in text.strip("[] ").split(",")]
    try:
        found = constant(parse_rule(text))
    except (ParseError, UnknownName):
        found = None
    if found is None:
        raise BadValue(name, text, "expected a number; for a text or a list in JSON write "
                       f"--set {name}={text}")
    return float(found) if isinstance(found, Fraction) else found


def switch(text: str) -> Any:
    """What is no number: a word of JSON, or the text itself.

    >>> switch("true"), switch("none"), switch('["a", "b"]'), switch("gelu")
    (True, None, ['a', 'b'], 'gelu')
    """
    try:
        return json.loads({"none": "null", "None": "null", "True": "true",
                           "False": "false"}.get(text, text))
    except json.JSONDecodeError:
        return text


def _refuse_untrusted(target: str) -> None:
    """Refuse a configuration that names code to run."""
    from symparam.descriptions.reading.source import read_file
    from symparam.descriptions.references import on_hub
    from symparam.hub.files import file_of

    repository = on_hub(target)
    path = Path(target) if repository is None else file_of(repository, "config.json",
                                                           "a config.json")
    if repository is None and (":" in target or not (target.endswith(".json") or path.is_dir())):
        return
    if names_code(read_file(path / "config.json" if path.is_dir() else path)):
        raise BadValue("TARGET", target, "names code of its own (auto_map): --trust lets it run")


def _runs(target: str) -> str:
    """What is run, in a sentence."""
    before = target.partition(":")[0]
    whose = f"code of {before}" if before in LIBRARIES or ":" in target else "code of transformers"
    return f"this runs {whose}, in a process of its own"


