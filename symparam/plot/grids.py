"""Pictures of a sweep: quantities over depths, widths, contexts and whatever else a model has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.descriptions.options import Options, apply, with_known
from symparam.dims import TOTAL
from symparam.errors import BadValue, NotDerivable
from symparam.grammar import Rule, parse_rule
from symparam.model import Model
from symparam.plot.picture import Axes, Picture
from symparam.quantities import find
from symparam.quantities.setting import Setting
from symparam.resolve import resolve, with_overrides
from symparam.sweep.sweep import Sweep, sweep

#: Values of axes where nobody gives others.
DEPTHS = tuple(range(8, 97, 8))
WIDTHS = (768, 1024, 2048, 4096, 8192)
CONTEXTS = tuple(1 << k for k in range(10, 18))

#: Points that a grid may have.
MOST_POINTS = 50_000


def depth(model: Model, axes: Axes, rules: Mapping[str, Rule], quantity: str,
          setting: Setting | None) -> Picture:
    """A quantity against depth, a line a width."""
    chosen = {"L": axes.get("L", DEPTHS), "d_model": axes.get("d_model", split(WIDTHS, rules))}
    found = over(model, chosen, rules, quantity, setting)
    return replace(found, kind="depth", title=f"{_titled(quantity)} and depth")


def contours(model: Model, axes: Axes, rules: Mapping[str, Rule], quantity: str,
             setting: Setting | None) -> Picture:
    """Lines of an equal quantity over depth and width."""
    widths = axes.get("d_model", split(range(512, 12289, 256), rules))
    found = _grid(model, {"L": axes.get("L", tuple(range(4, 129, 2))), "d_model": widths}, rules,
                  [quantity], setting)
    title = "numbers of parameters" if quantity == TOTAL.name else find(quantity).title
    columns = ("L", "d_model", quantity)
    return Picture("contours", f"Equal {title}", columns, _rows(found, columns), _resting(found))


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
    columns = (*lines, across, quantity)
    rows = _rows(found, columns)
    return Picture("over", f"{_titled(quantity)} of {model.name} over {across}", columns, rows,
                   (*_still(rows, columns), *_resting(found)))


def _still(rows: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> tuple[str, ...]:
    """A word on a quantity that stays as it is along the axis."""
    across, quantity = columns[-2:]
    found: dict[tuple[Any, ...], set[Any]] = {}
    for *line, _, value in rows:
        found.setdefault(tuple(line), set()).add(value)
    moves = any(len(values) > 1 for values in found.values())
    several = len({row[-2] for row in rows}) > 1
    return (f"{quantity} is the same at every {across} here",) if several and not moves else ()


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


def _without(model: Model, dim: str) -> Model:
    """The model with every check and rule but those that define a dim, which is varied."""
    if any(slot.component.slot == "attention" and slot.component.name in {"mha", "mqa"}
           for _, slot in model.slots()):
        model = apply(model, Options(attention="gqa"))
    return replace(model, values={k: v for k, v in model.values.items() if k != dim})


def _scheme(n_kv: int, n_heads: int) -> str:
    return "MHA" if n_kv == n_heads else "MQA" if n_kv == 1 else "GQA"


def _titled(quantity: str) -> str:
    """What a picture of a quantity begins its title with; the rest as it is written."""
    title = "parameters" if quantity == TOTAL.name else find(quantity).title
    return title[:1].upper() + title[1:]


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
