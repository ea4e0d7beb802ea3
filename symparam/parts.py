"""One part of a model that is made of several: its language model, what sees for it, what joins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symparam.errors import BadValue, UnknownName
from symparam.model import Model
from symparam.stack import Stack
from symparam.traced.parts import TEXT

#: What parts are called in words.
_WORDS = {TEXT: "language model", "vision": "vision tower", "audio": "audio tower"}


def in_words(part: str) -> str:
    """What a part is called in words.

    >>> in_words("vision"), in_words("image_newline")
    ('vision tower', 'image newline')
    """
    return _WORDS.get(part, part.replace("_", " "))


def parts_of_dims(model: Model) -> dict[str, str]:
    """The part that each dim of a composite is of: the first that needs it.

    >>> from symparam.descriptions.load import load
    >>> found = parts_of_dims(load("gemma-3-4b"))
    >>> found["d_model"], found["L_vision"], found["d_patch_vision"]
    ('text', 'vision', 'vision')
    """
    found: dict[str, str] = {}
    for part in model.parts:
        stacks = tuple(stack for stack in model.stacks if stack.part == part)
        alone = replace(model, stacks=stacks, equations=(), checks=(), picture=None)
        for name in sorted(_needed(model, alone)):
            found.setdefault(name, part)
    return found


#: Why a part that is not the text has no FLOPs.
_UNSET = "what it multiplies for a picture or a sound is not worked out"


def one_part(model: Model, part: str) -> Model:
    """One part of a composite.

    Args:
        model: the whole.
        part: ``text``, ``vision``, ``audio``, ``projector``, or the name of another.

    Raises:
        UnknownName: it has no such part. BadValue: it is not made of several.
    """
    if model.part == part:
        return model
    if not model.parts or model.part not in WHOLE:
        raise BadValue("--part", part, f"{model.name} is {_what(model)}")
    if part not in model.parts:
        raise UnknownName(f"part of {model.name}", part, model.parts)
    others = ", ".join(other for other in model.parts if other != part)
    if model.trace is not None:
        from symparam.traced.model import model_of
        from symparam.traced.parts import only

        made = model_of(only(model.trace, part))
        return replace(made, trace=model.trace, part=part, values=model.values,
                       left_out=(others,) if others else ())
    said = f"everything but the {_WORDS.get(part, part)} ({others})"
    return replace(_alone(model, part), part=part, left_out=(*model.left_out, said))


#: What is counted of a model all of whose parts are there.
WHOLE = ("all", "without the head")


def _what(model: Model) -> str:
    """Why a model has no parts to choose from."""
    if model.part not in WHOLE:
        return f"its {model.part} alone here; what transformers builds of a config.json has " \
               "parts with --trace"
    if model.trace is not None:
        return "no composite: no configuration is inside its own"
    return "one whole here; what transformers builds of a config.json has parts with --trace"


def _alone(model: Model, part: str) -> Model:
    """The stacks of a part, with the dims that it needs and what is said of these."""
    stacks: tuple[Stack, ...] = tuple(replace(s, idle=False) for s in model.stacks
                                      if s.part == part)
    made = replace(model, stacks=stacks, equations=(), checks=(), declared=(), values={},
                   picture=None, unset="" if part == TEXT else f"is its {part} alone: {_UNSET}")
    dims, others = _needed(model, made), {dim.name for dim in model.declared}

    def own(*names: str) -> bool:
        return all(n in dims or (part == TEXT and n not in others) for n in names)

    entries = tuple(e for e in model.layout.entries if any(
        e.component == f"{s.name.partition('[')[0]}.{slot.path}" for s in stacks
        for slot in s.slots))
    return replace(
        made, values={name: n for name, n in model.values.items() if own(name)},
        equations=tuple(eq for eq in model.equations if own(eq.dim)),
        checks=tuple(check for check in model.checks if own(*check.dims)),
        declared=tuple(dim for dim in model.declared if own(dim.name)),
        defaulted=tuple(_defaulted(model, part)),
        zeros=frozenset(filter(own, model.zeros)), layout=replace(model.layout, entries=entries),
        asked=tuple(asked for asked in model.asked if own(asked.dim)))


def _defaulted(model: Model, part: str) -> Iterator[str]:
    """The defaults of a part; its keys stand in the configuration that has its name."""
    of = {said: next((each for each in model.parts if said.startswith(f"{each}_config.")), TEXT)
          for said in model.defaulted}
    yield from (said for said, its in of.items() if its == part)


def _needed(model: Model, part: Model) -> set[str]:
    """The dims of a part, and what the rules for them begin with."""
    found, more = set[str](), {*part.dims_at_work}
    while more:
        found |= more
        more = {name for eq in (*model.equations, *part.all_equations()) if eq.dim in found
                for name in eq.inputs} - found
    return found
