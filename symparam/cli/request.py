"""What a command line asks about: MODEL, KEY=VALUE and the options of an architecture."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from symparam.cli.arguments import parted
from symparam.cli.output import chosen
from symparam.dataclass import dataclass
from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options, bias_sites, with_switched
from symparam.descriptions.reading.source import SCRIPTS
from symparam.descriptions.references import shadowed
from symparam.dims import TOTAL, Names, standard
from symparam.errors import BadValue, Contradiction, UnknownName
from symparam.grammar import Rule, parse_assignment
from symparam.model import Model
from symparam.parts import one_part
from symparam.run import RUN
from symparam.traced.switches import held_switch

if TYPE_CHECKING:
    from symparam.notation.notation import Notation
    from symparam.quantities.quantity import Quantity

#: The options that change an architecture; --as and --mtp say how each model is read.
CHANGES = ("attention", "ffn", "norm", "norms_per_block", "final_norm", "bias", "qk_norm",
           "positions", "tied")


@dataclass
class Given:
    """What the assignments of a command line say.

    Attributes:
        dims: dims as the user gave them.
        unknown: dims given as ``KEY=?``.
        total: the value of ``P=``, if given.
        remarks: what to say of how they were read.
    """

    dims: dict[str, int | Rule] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    total: Rule | None = None
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Request:
    """What a command line asks about.

    Attributes:
        model: the model with options and dims applied; for solve, with options alone.
        base: the model with options but without the user's dims; None for one from options.
        given: dims as the user gave them.
        unknown: dims given as ``KEY=?``.
        total: the value of ``P=``, if given.
        notation: how dims are written.
        remarks: what to say of how it was read.
    """

    model: Model
    base: Model | None
    given: dict[str, int | Rule]
    unknown: tuple[str, ...]
    total: Rule | None
    notation: Notation
    remarks: tuple[str, ...]

    def told(self, *also: str, of: str = "the count") -> tuple[str, ...]:
        """What to say on stderr: how it was read, and which dims were given and do not enter.

        Args:
            *also: the names that enter the answer besides those that enter a count.
            of: what the answer is of the model.
        """
        enters = {*also, *self.model.dims, *(name for eq in self.model.all_equations()
                                             for name in eq.inputs)}
        return (*self.remarks, *(f"{name} does not enter {of} of {self.model.name}"
                                 for name in self.given if name not in enters))

    def told_of(self, *quantities: Quantity) -> tuple[str, ...]:
        """The same, where the answer is of some quantities."""
        needs = {need for quantity in quantities for need in quantity.needs}
        if not any(quantity.at_work for quantity in quantities):
            return self.told()
        return self.told(*self.at_work(needs), of=", ".join(each.name for each in quantities))

    def at_work(self, needs: Iterable[str]) -> tuple[str, ...]:
        """What enters besides, where a model is run: its windows and the like, and of lengths and
        devices those that are needed and that it has."""
        run = (RUN[name] for name in needs if name in RUN)
        return (*(row.name for row in run if self.model.encodes or not row.of_encoder),
                *self.model.dims_at_work, *self.model.names)


def loaded_model(words: Iterable[str], values: dict[str, Any]) -> Model | None:
    """The MODEL of a command line as it is published; None where there is none.

    Raises:
        SymparamError: it cannot be read.
    """
    reference, _ = _parted(words)
    if reference is None:
        if values["part"]:
            raise BadValue("--part", values["part"], "is for a MODEL: options have no parts")
        return None
    if values["traced"]:
        from symparam.cli.traced import traced_model

        found = traced_model(reference, values)
    else:
        return load(reference, values["task"], values["mtp"], values["ignored"], values["part"])
    return one_part(found, values["part"]) if values["part"] else found


def read(words: Sequence[str], values: dict[str, Any], solving: bool = False,
         loaded: Model | None = None) -> Request:
    """Everything that a command line says of a model.

    Args:
        words: MODEL and KEY=VALUE.
        values: the options of the command.
        solving: whether dims may be unknown, and a total given.
        loaded: the MODEL, where it was loaded before.

    Raises:
        SymparamError: something in it is wrong.
    """
    reference, assignments = _parted(words)
    own = None if reference is None else shadowed(reference)
    remarks = [f"{reference} is the catalogue's; write {own} for your own"] if own else []
    loaded = loaded or loaded_model(words, values)
    try:
        given = _given(assignments, loaded)
    except UnknownName as error:
        if str(reference).endswith(SCRIPTS) and len(error.name) > 1 and error.name.isupper():
            raise UnknownName(error.kind, error.name, error.known, f"{error.name}, where it is a "
                              "variable of the script, is set in the script") from None
        raise
    if not solving and (given.total is not None or given.unknown):
        raise BadValue("P" if given.total else given.unknown[0], given.total or "?",
                       "is for solve; here numbers go in and P comes out")
    asked = architecture(values)
    if solving and loaded is None and "n_kv" in given.dims and asked.attention is None:
        asked = architecture({**values, "attention": "gqa"})
    model = build(loaded, asked, {} if solving else given.dims, values["task"],
                  values["keep_ratios"] and not solving, values["mtp"] and loaded is None,
                  values["ignored"] if loaded is None else ())
    model = with_switched(model, (*given.dims, *given.unknown))
    base = build(loaded, asked, {}, values["task"]) if loaded and given.dims else None
    return Request(model, base, given.dims, tuple(given.unknown), given.total,
                   chosen(values, model), (*remarks, *given.remarks))


def unchanged(names: Sequence[str], values: dict[str, Any], allowed: Container[str] = ()) -> None:
    """Refuse what would change one of several models, and a model that is given twice.

    Args:
        names: the models.
        values: the words and the options of the command.
        allowed: the dims that may be given, which are the same for all.

    Raises:
        BadValue, Contradiction: what is refused.
    """
    changed = [word for word in parted(values["words"])[1]
               if standard(word.partition("=")[0].strip()) not in allowed]
    changed += [f"--{name.replace('_', '-')}" for name in CHANGES if values[name] is not None]
    changed += ["--keep-ratios"] if values["keep_ratios"] else []
    if changed:
        raise BadValue("MODEL", " ".join(names), f"of several models none is changed: "
                       f"{changed[0]} goes with one")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise Contradiction(f"{twice[0]} given twice", "itself", "give each model once")


def _given(assignments: Sequence[str], model: Model | None) -> Given:
    """What the assignments say, each name once.

    Raises:
        ParseError: what is no assignment. Contradiction: a name given twice.
    """
    found, trace = Given(), model.trace if model else None
    for text in assignments:
        key, _, said = text.partition("=")
        if held_switch(trace, key.strip(), said):
            continue
        name, value = parse_assignment(text, model.names if model else Names())
        if text.partition("=")[0].strip() == "n_kv_groups":
            found.remarks.append("n_kv_groups is taken as n_kv: a number of key-value heads")
        if value is not None and name in RUN and said.strip()[-1:] in {"k", "K"}:
            found.remarks.append(f"{name} = {said.strip()} is read as {value} (k is a thousand, Ki "
                                 "1,024)")
        if name in found.dims or name in found.unknown or (
                name == TOTAL.name and found.total is not None):
            raise Contradiction(f"{name} given twice", "itself", f"give {name} once")
        if value is None:
            found.unknown.append(name)
        elif name == TOTAL.name:
            found.total = value
        else:
            found.dims[name] = value
    return found


def _parted(words: Iterable[str]) -> tuple[str | None, list[str]]:
    """The MODEL, if there is one, and the assignments."""
    references, assignments = parted(words)
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
