"""The numbers of the pictures: each from models and axes, all from the ledger."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.align import head_configurations
from symparam.descriptions.options import Options, apply, with_known
from symparam.dims import TOTAL
from symparam.errors import BadValue, NotDerivable, UnknownName
from symparam.expression import whole
from symparam.grammar import Rule, parse_rule
from symparam.model import Model
from symparam.plot.picture import Picture
from symparam.plot.style import BAND, PARTS
from symparam.quantities import find, parameters
from symparam.quantities.setting import Setting
from symparam.resolve import numbers, resolve, with_overrides
from symparam.sweep.sweep import Sweep, sweep
from symparam.traced.foundation import sentences_of

#: What kinds of component are called in pictures.
_PART_OF = {"token": "embeddings", "positions": "embeddings", "segments": "embeddings",
            "attention": "attention", "cross-attention": "attention", "mixer": "attention",
            "global-attention": "attention", "relative-attention": "attention",
            "ffn": "feed-forward", "norm": "norms", "qk-norm": "norms", "head": "head",
            "pooler": "head"}

#: Values of axes where nobody gives others.
DEPTHS = tuple(range(8, 97, 8))
WIDTHS = (768, 1024, 2048, 4096, 8192)
HEADED = (768, 1024, 2048, 4096)
CONTEXTS = tuple(1 << k for k in range(10, 18))

#: Points of a grid, and lines, that a picture may have.
MOST_POINTS, MOST_LINES = 50_000, 40

#: Values of dims that are axes, by name.
Axes = Mapping[str, Sequence[int]]


def part_of(row: parameters.CountRow) -> str:
    """What a row of a breakdown is called in pictures."""
    return _PART_OF.get(row.part, "other")


def by_part(model: Model) -> dict[str, int]:
    """The parameters of each part; they sum to the count.

    >>> from symparam.descriptions.load import load
    >>> found = by_part(load("gpt2"))
    >>> found["embeddings"], sum(found.values())
    (39383808, 124439808)
    """
    found = dict.fromkeys(PARTS, 0)
    for row in parameters.breakdown(model.ledger(numbers(model).values)):
        found[part_of(row)] += int(row.numel)
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


def depth(model: Model, axes: Axes, rules: Mapping[str, Rule], quantity: str,
          setting: Setting | None) -> Picture:
    """A quantity against depth, a line a width."""
    found = _grid(model, {"d_model": axes.get("d_model", split(WIDTHS, rules)),
                          "L": axes.get("L", DEPTHS)}, rules, [quantity], setting)
    title = "Parameters" if quantity == TOTAL.name else capital(find(quantity).title)
    columns = ("d_model", "L", quantity)
    return Picture("depth", f"{title} and depth", columns, _rows(found, columns), _resting(found))


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


def cache(model: Model, axes: Axes, setting: Setting) -> Picture:
    """The cache against the context, a line for each number of key-value heads."""
    own = resolve(model).values
    if "n_kv" not in model.dims or "n_heads" not in own:
        raise NotDerivable(f"{model.name} has no n_kv: its cache does not depend on such heads")
    every = own["n_heads"]
    grouped = {8, own.get("n_kv", 8)} & {k for k in range(2, every) if every % k == 0}
    counts = axes.get("n_kv", sorted({every, *grouped, 1}))
    free = _without(model, "n_kv")
    found = _grid(free, {"n_kv": counts, "s": axes.get("s", CONTEXTS)}, {}, ["kv_cache"], setting)
    rows = [(_scheme(n, every), n, s, size) for n, s, size in sorted(
        _rows(found, ("n_kv", "s", "kv_cache")), key=lambda row: (-row[0], row[1]))]
    return Picture("cache", f"Cache of {model.name}", ("attention", "n_kv", "s", "kv_cache"),
                   tuple(rows), _resting(found))


def capital(title: str) -> str:
    """A title that begins a line; the rest as it is written.

    >>> capital("key-value cache"), capital("FLOPs per token")
    ('Key-value cache', 'FLOPs per token')
    """
    return title[:1].upper() + title[1:]


def _without(model: Model, dim: str) -> Model:
    """The model with every check and rule but those that define a dim, which is varied."""
    if any(slot.component.slot == "attention" and slot.component.name in {"mha", "mqa"}
           for _, slot in model.slots()):
        model = apply(model, Options(attention="gqa"))
    return replace(model, values={k: v for k, v in model.values.items() if k != dim})


def _scheme(n_kv: int, n_heads: int) -> str:
    return "MHA" if n_kv == n_heads else "MQA" if n_kv == 1 else "GQA"


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


def over(model: Model, axes: Axes, rules: Mapping[str, Rule], quantity: str,
         setting: Setting | None) -> Picture:
    """A quantity over a dim, a line for each value of a second one."""
    if len(axes) > 2:
        raise BadValue("the axes", ", ".join(axes), "are more than two: one to draw over, and one "
                       "with a line for each of its values")
    chosen = dict(axes) or {"L": DEPTHS}
    across, *lines = chosen
    found = _grid(model, {name: chosen[name] for name in (*lines, across)}, rules, [quantity],
                  setting)
    title = "Parameters" if quantity == TOTAL.name else capital(find(quantity).title)
    columns = (*lines, across, quantity)
    return Picture("over", f"{title} of {model.name} over {across}", columns,
                   _rows(found, columns), _resting(found))


def pie(model: Model) -> Picture:
    """What one model's parameters are made of."""
    found = by_part(model)
    total = sum(found.values())
    return Picture("pie", f"{model.name}: {total:,} parameters", ("part", "parameters", "share"),
                   tuple((part, count, Fraction(count, total)) for part, count in found.items()),
                   ("every parameter, tied ones once",))


def contours(model: Model, axes: Axes, rules: Mapping[str, Rule], quantity: str,
             setting: Setting | None) -> Picture:
    """Lines of an equal quantity over depth and width."""
    widths = axes.get("d_model", split(range(512, 12289, 256), rules))
    found = _grid(model, {"L": axes.get("L", tuple(range(4, 129, 2))), "d_model": widths}, rules,
                  [quantity], setting)
    title = "numbers of parameters" if quantity == TOTAL.name else find(quantity).title
    columns = ("L", "d_model", quantity)
    return Picture("contours", f"Equal {title}", columns, _rows(found, columns), _resting(found))


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


def ratio_rules(model: Model, given: Sequence[str]) -> dict[str, Rule]:
    """Rules that keep a model's ratios to its width, for dims that nobody gave.

    >>> from symparam.descriptions.load import load
    >>> {name: str(rule) for name, rule in ratio_rules(load("llama-2-7b"), ["V"]).items()}
    {'n_heads': 'd_model/128', 'n_kv': 'd_model/128', 'd_ff': '43/16*d_model'}
    """
    values = resolve(model).values
    if "d_model" not in values:
        return {}
    owned = {eq.dim for eq in model.equations}
    return {name: _over_width(Fraction(values[name], values["d_model"]))
            for name in ("n_heads", "n_kv", "d_ff")
            if name in model.values and name not in given and name not in owned}


def split(widths: Sequence[int], rules: Mapping[str, Rule]) -> tuple[int, ...]:
    """Widths that a model's ratios come out whole at, each as near as can be.

    >>> split((768, 1024), {"n_heads": parse_rule("d_model/288")})
    (864, 1152)
    """
    step = math.lcm(*(Fraction(ex.evaluate(rule.expr, {"d_model": 1})).denominator
                      for rule in rules.values() if ex.symbols_in(rule.expr) == ["d_model"]))
    return tuple(dict.fromkeys(max(1, round(width / step)) * step for width in widths))


def _over_width(ratio: Fraction) -> Rule:
    return parse_rule(f"d_model/{ratio.denominator}" if ratio.numerator == 1
                      else f"{ratio}*d_model")


def _grid(model: Model, axes: Axes, rules: Mapping[str, Rule], quantities: Sequence[str],
          setting: Setting | None = None) -> Sweep:
    """A sweep, with rules in place of the model's numbers.

    Raises:
        NotDerivable: the model has nowhere in the grid what is asked for.
    """
    if (points := math.prod(map(len, axes.values()))) > MOST_POINTS:
        raise BadValue("the axes", f"{points:,} points", f"are more than a picture shows "
                       f"({MOST_POINTS:,}): give steps, L=8:96:8")
    held, values = dict(rules), resolve(model).values
    if "n_heads" in held and "d_head" in values:  # more heads then, not wider ones
        held["d_head"] = parse_rule(str(values["d_head"]))
    known = with_known(model, dict.fromkeys(axes, "an axis"))
    found = sweep(with_overrides(known, held), axes, quantities, setting=setting)
    blocks = list(found.blocks())
    if not any(block.rows for block in blocks):
        why = next(iter(blocks[0].skipped))
        raise NotDerivable(f"no point of the grid is possible for {model.name}: at the first one "
                           f"this does not hold: {why}")
    return found


def _rows(found: Sweep, names: Sequence[str]) -> tuple[tuple[Any, ...], ...]:
    arrays = found.arrays()
    return tuple(zip(*(arrays[name].tolist() for name in names), strict=True))


def _resting(found: Sweep) -> tuple[str, ...]:
    fixed = " ".join(f"{name}={value}" for name, value in found.dims.fixed.items())
    rules = "; ".join(map(str, found.dims.rules.values()))
    counted = ((each.name, each.convention) for each in found.columns if each.convention
               and find(each.name).at_work)
    return tuple(f"{what}: {text}" for what, text in (
        *counted, ("model", found.model.name), ("dims", fixed), ("by rule", rules),
        ("assumed", "; ".join(found.assumed_in_words))) if text)


#: The pictures that there are.
KINDS = ("shapes", "depth", "heads", "cache", "parts", "shares", "pie", "contours", "flow",
         "isoflop", "over")
#: Those of several models.
OF_MODELS: dict[str, Callable[[Sequence[Model]], Picture]] = {
    "shapes": shapes, "parts": parts, "shares": shares}
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
    "over": ("llama-2-7b",)}


def picture(kind: str, models: Sequence[Model], axes: Axes | None = None,
            given: Sequence[str] = (), setting: Setting | None = None,
            quantity: str | None = None, by: str | None = None) -> Picture:
    """The numbers of a picture.

    Args:
        kind: one of :data:`KINDS`.
        models: what it is of: several for ``shapes``, ``parts`` and ``shares``, none for
            ``heads``, else one.
        axes: values of its axes (:data:`AXES`) in place of the usual ones.
        given: dims whose numbers were given, which do not follow the width.
        setting: number formats.
        quantity: what ``depth`` and ``contours`` show; of ``isoflop`` how training is counted.
        by: of ``isoflop`` the fit by which a size is best (:mod:`symparam.solve.fits`).

    Raises:
        UnknownName: no such kind or quantity. BadValue: an axis, a quantity or a number of models
            that it does not have.
        NotDerivable: a model that has not what is shown.

    >>> picture("heads", (), {"d_model": [1024]}).column("d_head")
    [256, 128, 64, 32]
    """
    if kind == "isoflop" and len(models) == 1:
        found = _isoflop(models[0], axes or {}, quantity, by, setting)
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
