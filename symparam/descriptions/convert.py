"""One configuration written as another: what has the same matrices, and what is lost is said.

Every candidate is read back: its ledger is held against the model's, matrix by matrix, and what it
says by the table of settings against what the source says. What has no place is a refusal or is
told; of several candidates the one that loses least is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions.parts import Parts, parts_of, rest_of, source_of, tokens_of
from symparam.descriptions.settings.carried import applies, carried, differences, told, written
from symparam.descriptions.settings.places import UNSAID
from symparam.descriptions.settings.rows import ROWS
from symparam.descriptions.targets import known
from symparam.errors import BadValue, SymparamError, UnknownName, some
from symparam.model import Model
from symparam.resolve import numbers

_SHOWN = 3
#: Attention of heads that have one width, which is written anew; another is kept as it is.
_HEADS = frozenset({"mha", "gqa", "mqa"})
#: What cannot be another and still be the same model, in a phrase.
_STRUCTURE = {"parallel": "attention and feed-forward network do not read the same there",
              "positions": "positions are told in another way there"}


@dataclass(frozen=True)
class Converted:
    """A configuration in other words.

    Attributes:
        to: the format's name. file: what such a file is usually called.
        data: its keys and values. text: the file.
        lost: what changes no weight and has no place there, a phrase each.
        unsaid: what the source leaves open and the file does not, a phrase each.
    """

    to: str
    file: str
    data: Mapping[str, Any]
    text: str
    lost: tuple[str, ...]
    unsaid: tuple[str, ...] = ()


def convert(model: Model, to: str, kind: str = "", data: Mapping[str, Any] | None = None,
            ) -> Converted:
    """A model's configuration as another framework writes it.

    Args:
        model: the model, its dims all numbers.
        to: ``hf``, ``litgpt``, ``megatron`` or ``toml``.
        kind: what it was read from, ``hf``, ``gguf`` or a framework's name; empty for a
            description.
        data: the keys of that.

    Raises:
        UnknownName: no such format. BadValue: it cannot be written so without another matrix.
    """
    if to not in known():
        raise UnknownName("format", to, known())
    target, parts = known()[to], parts_of(model, kind, data or {})
    wanted, problems, best = matrices(model), list[list[str]](), list[Converted]()
    for form, keys in _candidates(to, target, parts):
        try:
            again = target.read(keys, model.name)
            found = matrices(again)
            differ = sorted(path for path in wanted.keys() | found.keys()
                            if wanted.get(path) != found.get(path))
            if not differ:
                best.append(_held_against(to, target, parts, form, keys, again))
                continue
            problems.append([f"{some(differ, _SHOWN)} would differ", *differ])
        except SymparamError as error:
            problems.append([str(error)])
    if not best:
        why = f": {min(problems, key=len)[0]}" if problems else (
            "" if parts.attention in _HEADS else f": its attention is {parts.attention}")
        raise BadValue("--to", to, f"{model.name} cannot be written so without another matrix or "
                       f"another order of layers{why}")
    return min(best, key=lambda each: len(each.lost))


def _candidates(to: str, target: ModuleType, parts: Parts) -> Iterator[tuple[str, dict[str, Any]]]:
    """Keys that may be meant, each with its format: the source's own first, as they are."""
    beside = rest_of(parts)
    if parts.data and _tool(parts.form) == to:
        yield parts.form, dict(parts.data)
    for form, structure in target.candidates(parts) if parts.attention in _HEADS else ():
        settings = written(form, parts.settings, parts.stated, source_of(parts.model, structure))
        kept: Mapping[str, Any] = {}
        if form == parts.form and parts.data:
            yield form, {**parts.data, **structure}
            kept = beside
        elif _tool(form) == _tool(parts.form):
            kept = target.kept(beside)
        yield form, target.joined({**structure, **kept}, settings)


def _tool(form: str) -> str:
    """What reads a format: transformers, whichever the family.

    >>> _tool("hf:llama"), _tool("litgpt")
    ('hf', 'litgpt')
    """
    return form.partition(":")[0]


def _held_against(to: str, target: ModuleType, parts: Parts, form: str, keys: dict[str, Any],
                  again: Model) -> Converted:
    """A candidate with what it does not say as the source does.

    Raises:
        BadValue: its layers are applied in another order.
    """
    there = carried(form, source_of(again, keys))
    rows = [row for row in ROWS if applies(row, parts.learned, parts.ffn)]
    said = [*differences(parts.settings, there, rows, form)]
    for name, phrase in _STRUCTURE.items():
        if UNSAID not in (parts.settings[name], there[name]) and (
                parts.settings[name] != there[name]):
            raise BadValue(name, told(parts.settings[name]), phrase)
    alike = _tool(form) == _tool(parts.form)
    lost = [phrase for kind, phrase in said if kind == "lost"]
    rows_of = dict.fromkeys(tokens_of(parts), f", padded to {parts.values['V']}")
    lost += [f"{key} = {told(value)}{rows_of.get(key, '')}" for key, value in rest_of(parts).items()
             if not (alike and key in keys and keys[key] == value)]
    if keys != parts.data:
        lost += parts.model.left_out
    return Converted(to, target.FILE, keys, target.text(keys), tuple(lost),
                     tuple(phrase for kind, phrase in said
                           if kind == "unsaid" and keys != parts.data))


def matrices(model: Model) -> dict[str, tuple[object, ...]]:
    """Every matrix of a model by its path: shape, copies, status, what it is tied to."""
    return {m.path: (m.shape, tuple(index.stored for index in m.indices), m.status, m.tied_to)
            for m in model.ledger(numbers(model).values)}
