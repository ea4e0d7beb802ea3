"""The numbers of the pictures: each from models and axes, all from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symparam.align import head_configurations
from symparam.dims import TOTAL
from symparam.errors import BadValue, NotDerivable, UnknownName
from symparam.expression import whole
from symparam.model import Model
from symparam.parts import in_words
from symparam.plot.compared import compared
from symparam.plot.grids import cache, contours, depth, over, ratio_rules
from symparam.plot.layers import layers
from symparam.plot.picture import Axes, Picture
from symparam.plot.style import BAND, PARTS
from symparam.quantities import find, parameters
from symparam.quantities.setting import Setting
from symparam.resolve import numbers, resolve
from symparam.traced.foundation import sentences_of
from symparam.traced.parts import TEXT

#: What kinds of component are called in pictures.
_PART_OF = {"token": "embeddings", "positions": "embeddings", "segments": "embeddings",
            "attention": "attention", "cross-attention": "attention", "mixer": "attention",
            "global-attention": "attention", "relative-attention": "attention",
            "ffn": "feed-forward", "norm": "norms", "qk-norm": "norms", "head": "head",
            "pooler": "head"}

#: Widths that are split into heads where nobody gives others.
HEADED = (768, 1024, 2048, 4096)

#: Lines that a picture may have.
MOST_LINES = 40


def part_of(row: parameters.CountRow) -> str:
    """What a row of a breakdown is called in pictures."""
    return _PART_OF.get(row.part, "other")


def by_part(model: Model, *, towers: bool = False) -> dict[str, int]:
    """The parameters of each part; they sum to the count.

    Args:
        model: the model.
        towers: whether what is not the language model of a composite is a part by itself.

    >>> from symparam.descriptions.load import load
    >>> found = by_part(load("gpt2"))
    >>> found["embeddings"], sum(found.values())
    (39383808, 124439808)
    >>> by_part(load("gemma-3-4b"), towers=True)["vision tower"]
    416866032
    """
    beside = {stack.name: in_words(stack.part) for stack in model.stacks
              if towers and model.parts and stack.part != TEXT}
    found = dict.fromkeys((*PARTS, *beside.values()), 0)
    for row in parameters.breakdown(model.ledger(numbers(model).values)):
        found[beside.get(row.path.partition(".")[0]) or part_of(row)] += int(row.numel)
    return {part: count for part, count in found.items() if count}


def shapes(models: Sequence[Model]) -> Picture:
    """Depth against width, a bubble a model."""
    rows = []
    for model in models:
        values = resolve(model).values
        depth, width = depth_of(model), values.get("d_model")
        if width is None:
            raise NotDerivable(f"{model.name} has no d_model: it has no place in this picture")
        rows.append((model.name, depth, width, sum(by_part(model).values())))
    return Picture("shapes", "Depth and width", ("model", "L", "d_model", "P"), tuple(rows),
                   ("P: all parameters, tied ones once; the area of a bubble is proportional to P",
                    "L: all layers, an encoder's and a decoder's together"))


def depth_of(model: Model) -> int:
    """How many layers are applied to a token."""
    values = numbers(model).values
    return int(sum(stack.repeat.index(values).applied for stack in model.stacks if stack.repeat))


def heads(axes: Axes) -> Picture:
    """The width of a head against their number, a line a width of the model."""
    rows = [(width, n, d) for width in axes.get("d_model", HEADED)
            for n, d in sorted(head_configurations(width))]
    if not rows:
        raise BadValue("d_model", ", ".join(map(str, axes["d_model"])),
                       "splits into no heads of 32 to 256")
    return Picture("heads", "Heads that split a width", ("d_model", "n_heads", "d_head"),
                   tuple(rows), ("d_head = d_model/n_heads, from 32 to 256; "
                                 f"the band is the usual {BAND[0]} to {BAND[1]}",))


def parts(models: Sequence[Model]) -> Picture:
    """Attention against the feed-forward network in the layers of models."""
    rows: list[tuple[Any, ...]] = []
    for model in models:
        found, layers = by_part(model), depth_of(model)
        attention, ffn = found.get("attention", 0), found.get("feed-forward", 0)
        if not attention or not ffn:
            raise NotDerivable(f"{model.name} has no attention beside a feed-forward network")
        rows.append((model.name, layers, whole(Fraction(attention, layers)),
                     whole(Fraction(ffn, layers)), whole(Fraction(ffn, attention))))
    return Picture("parts", "Attention and feed-forward in a layer", (
        "model", "L", "attention", "feed-forward", "ratio"), tuple(rows),
        ("parameters of all layers over the number of layers, without norms",
         "ratio: feed-forward over attention"))


def shares(models: Sequence[Model]) -> Picture:
    """What the parameters of models are made of."""
    rows = [(model.name, part, count, Fraction(count, sum(found.values())))
            for model in models for found in (by_part(model),) for part, count in found.items()]
    return Picture("shares", "What the parameters are made of",
                   ("model", "part", "parameters", "share"), tuple(rows),
                   ("shares of all parameters, tied ones once, exact",))


def pie(model: Model) -> Picture:
    """What one model's parameters are made of; a tower is one part."""
    found = by_part(model, towers=True)
    total = sum(found.values())
    return Picture("pie", f"{model.name}: {total:,} parameters", ("part", "parameters", "share"),
                   tuple((part, count, Fraction(count, total)) for part, count in found.items()),
                   ("every parameter, tied ones once",))


def flow(model: Model) -> Picture:
    """The steps from a text to the next token, with what each of them holds."""
    ledger = model.ledger(numbers(model).values)
    steps: list[tuple[str, str, int, int]] = [("1", "text into tokens", 1, 0)]
    rows = parameters.breakdown(ledger)
    for number, stack in enumerate(model.stacks, 2):
        own = [row for row in rows if row.path.partition(".")[0] == stack.name]
        copies = int(own[0].copies) if own else 1
        what = f"{copies} × block" if stack.repeat else _titled(stack.name)
        steps.append((str(number), what, 1, sum(int(row.numel) for row in own)))
        if stack.repeat or len(own) > 1:
            steps += [(f"{number}.{i}", _titled(row.path.partition(".")[2]), copies,
                       int(row.per_copy)) for i, row in enumerate(own, 1)]
    total = int(ledger.total())
    return Picture("flow", f"{model.name}: {total:,} parameters",
                   ("step", "what", "copies", "parameters"), tuple(steps),
                   ("parameters of one copy; residual sums, dropout and softmax have none",))


#: Steps by the names of their stacks and slots.
_TITLES = {"ffn": "feed-forward", "final_norm": "final norm", "cross_attention":
           "cross-attention", "token": "token embedding"}


def _titled(name: str) -> str:
    return _TITLES.get(name, name.replace("_", " "))


#: The pictures that there are.
KINDS = ("shapes", "depth", "heads", "cache", "parts", "shares", "pie", "contours", "flow",
         "isoflop", "over", "layers", "compare")
#: Those of several models.
OF_MODELS: dict[str, Callable[[Sequence[Model]], Picture]] = {
    "shapes": shapes, "parts": parts, "shares": shares, "layers": layers, "compare": compared}
#: Pictures that can be of any quantity.
OF_QUANTITIES = ("depth", "contours", "isoflop", "over")
#: The axes of the others.
AXES: dict[str, tuple[str, ...]] = {"depth": ("L", "d_model"), "contours": ("L", "d_model"),
                                    "heads": ("d_model",), "cache": ("s", "n_kv"),
                                    "isoflop": ("C", "P")}
#: The models of a picture where nobody names others.
USUAL: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(OF_MODELS, ("bert-base", "bert-large", "gpt2", "gpt2-xl", "llama-2-7b",
                                "llama-2-70b")),
    "depth": ("llama-2-7b",), "contours": ("llama-2-7b",), "cache": ("llama-2-70b",),
    "pie": ("gpt2",), "flow": ("gpt2",), "heads": (), "isoflop": ("llama-2-7b",),
    "over": ("llama-2-7b",), "layers": ("gpt2", "gemma-3-1b", "deepseek-v3", "qwen3-next-80b-a3b"),
    "compare": ("llama-2-7b", "mixtral-8x7b", "deepseek-v3")}


def picture(kind: str, models: Sequence[Model], axes: Axes | None = None,
            given: Sequence[str] = (), setting: Setting | None = None,
            quantity: str | None = None, by: str | None = None,
            columns: Sequence[str] = ()) -> Picture:
    """The numbers of a picture.

    Args:
        kind: one of :data:`KINDS`.
        models: what it is of: several for :data:`OF_MODELS`, none for ``heads``, else one.
        axes: values of its axes (:data:`AXES`) in place of the usual ones.
        given: dims whose numbers were given, which do not follow the width.
        setting: number formats.
        quantity: what ``depth`` and ``contours`` show; of ``isoflop`` how training is counted.
        by: of ``isoflop`` the fit by which a size is best (:mod:`symparam.solve.fits`).
        columns: what ``compare`` shows (:func:`symparam.claims.comparison.compare`).

    Raises:
        UnknownName: no such kind or quantity. BadValue: an axis, a quantity or a number of models
            that it does not have.
        NotDerivable: a model that has not what is shown.

    >>> picture("heads", (), {"d_model": [1024]}).column("d_head")
    [256, 128, 64, 32]
    """
    if kind == "isoflop" and len(models) == 1:
        found = _isoflop(models[0], axes or {}, quantity, by, setting)
    elif kind == "compare" and not axes:
        found = compared(models, columns, setting)
    else:
        found = _picture(kind, models, axes or {}, given, setting,
                         find(quantity or TOTAL.name).name)
    rests = sentences_of({model.name: model.trace for model in models})
    return replace(found, remarks=(*found.remarks, *rests)) if rests else found


def _isoflop(model: Model, axes: Axes, quantity: str | None, by: str | None,
             setting: Setting | None) -> Picture:
    from symparam.plot.isoflop import COMPUTE, CONVENTION, FIT, Asked, isoflop
    from symparam.solve.fits import fit

    asked = Asked(tuple(axes.get("C", COMPUTE)), fit(by or FIT), tuple(axes.get("P", ())),
                  quantity or CONVENTION)
    return isoflop(model, asked, setting=setting)


def _picture(kind: str, models: Sequence[Model], axes: Axes, given: Sequence[str],
             setting: Setting | None, quantity: str) -> Picture:
    if kind not in KINDS:
        raise UnknownName("kind of picture", kind, KINDS)
    if quantity != TOTAL.name and kind not in OF_QUANTITIES:
        raise BadValue("quantity", quantity, f"{kind} shows what it is named after: any quantity "
                       f"goes with {' and '.join(OF_QUANTITIES)}")
    lines = len(axes.get("n_kv", ())) if kind == "cache" else (
        len(axes.get("d_model", ())) if kind in {"depth", "heads"} else
        len([*axes.values()][1]) if kind == "over" and len(axes) > 1 else 0)
    if lines > MOST_LINES:
        raise BadValue(kind, f"{lines:,} lines", f"are more than a picture shows ({MOST_LINES})")
    for name, values in axes.items() if kind != "over" else ():
        if name not in AXES.get(kind, ()):
            has = " and ".join(AXES.get(kind, ())) or "none"
            raise BadValue(name, f"{len(values)} values", f"is no axis of {kind}: it has {has}")
    if kind in OF_MODELS:
        return OF_MODELS[kind](models)
    if len(models) != (kind != "heads"):
        wanted = "no MODEL" if kind == "heads" else "one MODEL"
        raise BadValue("MODEL", " ".join(m.name for m in models), f"{kind} is of {wanted}")
    if kind == "heads":
        return heads(axes)
    if kind == "cache":
        return cache(models[0], axes, setting or Setting())
    if kind in {"pie", "flow"}:
        return pie(models[0]) if kind == "pie" else flow(models[0])
    make = {"depth": depth, "contours": contours, "over": over}[kind]
    return make(models[0], axes, ratio_rules(models[0], [*given, *axes]), quantity, setting)
