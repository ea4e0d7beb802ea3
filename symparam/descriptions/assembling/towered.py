"""A language model with what sees or hears beside it: towers, what stands between, the whole.

A tower is a family of its own; where the keys of its configuration are not understood, or its kind
is not known, the whole is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.assembling.joined import Part, joined
from symparam.descriptions.assembling.projectors import PROJECTOR, Making
from symparam.descriptions.config import Config
from symparam.descriptions.lookup import family
from symparam.descriptions.seeing.rules import Seeing, with_picture
from symparam.model import Model
from symparam.stack import Stack

#: Encoders of pictures that stand in kinds which take any of them.
ENCODERS = ("clip_vision_model", "siglip_vision_model", "pixtral", "vit", "dinov2",
            "dinov2_with_registers", "internvl_vision", "idefics3_vision", "smolvlm_vision")
#: The part that a vector at the end of a line of patches is, and its name.
NEWLINE = "image_newline"


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What a composite has beside its language model.

    Attributes:
        tower: the type of its tower where its configuration does not say so; empty where pictures
            or sounds go through what stands between alone.
        missing: what the configuration of a tower is that is not there.
        fixed: whether the tower can be of that type alone.
        called: what older files call that type.
        places: where towers of that configuration stand, each with what stands before its stacks.
        projector: what stands between, if anything.
        between: where that stands.
        newline: whether it has a vector that ends a line of patches.
        part: the part that the tower is; its configuration has that name.
        at_top: whether all of it stands at the top of every class.
        key: where its configuration stands, where the part has not that name.
        word: what stands behind its dims, where that is not the part's name.
        beside: further towers, each with its own key and what stands between.
        headed: whether what stands between is a head, at the top of the class that has one.
        optional: whether there is none where it has no configuration.
        picture: how many positions of the language model a picture takes, where it has any.
        follows: keys that are dims of the tower before it, whatever its configuration says.
        text: keys that are dims of the language model, whatever its configuration says.
    """

    tower: str
    missing: Mapping[str, Any] = field(default_factory=dict)
    fixed: bool = False
    called: str = ""
    places: tuple[tuple[str, str], ...] = (("vision_tower.", "vision"),)
    projector: Making | None = None
    between: str = "multi_modal_projector."
    newline: bool = False
    part: str = "vision"
    at_top: bool = False
    key: str = ""
    word: str = ""
    beside: tuple[Whole, ...] = ()
    optional: bool = False
    follows: Mapping[str, str] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    headed: bool = False
    picture: Seeing | None = None

    @property
    def place(self) -> str:
        """Where its configuration stands."""
        return self.key or f"{self.part}_config"


def towered(config: Config, text: Model, top: str, kind: Whole) -> Model | None:
    """The whole of a composite; None where its tower is not known.

    Args:
        config: its configuration.
        text: its language model, under the names that it has in the whole.
        top: what the names of its class begin with.
        kind: what it has beside that.

    Raises:
        SpecError: a key of a known tower or projector that is not understood.
    """
    top = "" if kind.at_top else top
    parts: list[Part] = []
    between: list[Model] = []
    for each in (kind, *kind.beside):
        if each.optional and config.raw(each.place, None) is None:
            continue
        found = _parts(config, each, top, parts, text)
        if found is None:
            return None
        parts += found
        if each.projector is not None and (top or not each.headed):
            width = found[0].named("d_model") if found else ""
            name = PROJECTOR if each is kind else f"{PROJECTOR}_{each.part}"
            between.append(each.projector(config, width).model(
                ("" if each.headed else top) + each.between, name))
    if kind.newline:
        newline = Stack(NEWLINE, (slot("vector", "vector", NEWLINE),), prefix=top, part=NEWLINE)
        between.append(Model(NEWLINE, (newline,)))
    made, tower = joined(text, parts, between), config.raw(kind.place, None)
    if kind.picture is None or (kind.optional and tower is None):
        return made
    given = {"model_type": kind.tower, **(kind.missing if tower is None else tower)}
    if given["model_type"] == kind.called:
        given["model_type"] = kind.tower
    return with_picture(made, kind.picture(config, given), kind.part)


def _parts(config: Config, kind: Whole, top: str, earlier: list[Part],
           text: Model) -> list[Part] | None:
    """A tower, in each place where one of its configuration stands; None where it is not known."""
    if not kind.tower:
        return []
    inside = _tower_config(config, kind)
    if inside is None:
        return None
    inside.asked = "base"
    inside.data = {**inside.data, **{key: text.values[dim] for key, dim in kind.text.items()},
                   **{key: earlier[0].model.values[dim] for key, dim in kind.follows.items()}}
    tower: Model = family(inside.model_type, inside.where).build(inside, text.name)
    parts = [Part(model=tower, name=kind.part, top=top + place, word=kind.word, stacks=stacks,
                  keys=inside.keys) for place, stacks in kind.places]
    config.keys.update({parts[0].named(dim): key for dim, key in inside.keys.items()})
    config.defaulted += [f"{inside.path}.{said}" for said in inside.defaulted]
    return parts


def _tower_config(config: Config, kind: Whole) -> Config | None:
    """The tower's configuration; None where it is of a type that is not known."""
    key = kind.place
    data = config.raw(key, None)
    if data is not None and not isinstance(data, dict):
        raise config.error(key, "expected a table: the tower's configuration")
    found = kind.tower if data is None else data.get("model_type", kind.tower)
    found = kind.tower if found == kind.called else found
    if found != kind.tower and (kind.fixed or found not in ENCODERS):
        return None
    keys = dict(kind.missing) if data is None else data
    inside = Config(config.where, {**keys, "model_type": found}, None, False,
                    config.below(key))
    inside.tell(config)
    inside.keys, inside.defaulted = {}, [] if data is not None else [
        f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    return inside
