"""Families that are written by hand against traces of what transformers builds of them.

A drawn configuration of a model type is traced; then both are asked for their tensors at points
that neither has seen, at two depths or more, widths moved each on its own. Two polynomials that
agree there are equal but by a chance that nobody meets. Where they differ, what transformers builds
at the point says which of the two is wrong.

By hand: ``python -m tests.differential.traced_families OUT.jsonl [TYPE ...]``; without types all,
in an order at random that is always the same. What OUT has already is left out.
"""

from __future__ import annotations

import copy
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from symparam.api import Model
from symparam.errors import SymparamError
from symparam.traced.model import model_of
from symparam.traced.records import Key, Trace
from symparam.tracing import trace
from symparam.tracing.sources.as_given import renamed
from symparam.tracing.sources.configurations import from_config
from tests.differential.compare import TEXT, built, difference, listed, of_text
from tests.differential.draw import Config
from tests.differential.drawn import BUILT, drawn
from tests.helpers import Rows
from tests.traces import bound
from tests.traces import drawn as moved

#: Points at each of two depths.
POINTS = 3
TRIES = 120
SECONDS = 150.0
_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


@dataclass
class Outcome:
    """What came of one model type.

    Attributes:
        model_type: which.
        verdict: ``equal``, ``ours`` or ``trace`` (which of them is wrong), ``unbuilt``,
            ``untraced``, or ``uncompared`` where no point was accepted by all.
        points: points at which the tensors of both were held against each other.
        depths: numbers of layers there.
        text: what differs, or why nothing was compared.
        loose: keys that are null and follow others, for which the trace has no rule.
        seconds: of the trace.
    """

    model_type: str
    verdict: str
    points: int = 0
    depths: int = 0
    text: str = ""
    loose: tuple[str, ...] = ()
    seconds: float = 0


def compared(model_type: str, seed: str = "0") -> Outcome:
    """A drawn configuration of a model type, traced and held against its family.

    Where a list names each of its layers, so that their number stays, another one is drawn with
    more or fewer, and traced too.
    """
    config = _drawn(model_type, seed)
    if config is None:
        return Outcome(model_type, "unbuilt")
    outcome = _held(model_type, seed, config)
    if outcome.verdict != "equal" or outcome.depths > 1:
        return outcome
    other = _drawn(model_type, f"{seed} other", unlike=_layers(config))
    if other is None:
        return outcome
    again = _held(model_type, f"{seed} other", other)
    return replace(again, points=outcome.points + again.points, depths=1 + again.depths,
                   seconds=outcome.seconds + again.seconds)


def _drawn(model_type: str, seed: str, unlike: int | None = None) -> Config | None:
    """A configuration that transformers builds, under the names that its class stores.

    Args:
        model_type: of which type.
        seed: of the drawing.
        unlike: a number of layers that it may not have.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    for n in range(20):
        config = renamed(CONFIG_MAPPING[model_type], drawn(model_type, f"{seed} {n}"))
        if _builds(config) and _layers(config) != unlike:
            return config
    return None


def _layers(config: Config) -> int:
    """The largest number of tensors that are alike: it follows the number of layers."""
    return max(listed(config)[0].values())


def _held(model_type: str, seed: str, config: Config) -> Outcome:
    """A configuration, traced and held against its family at points beside it."""
    start = time.monotonic()
    try:
        found = trace(from_config(config, {}, model_type), seconds=SECONDS)
    except SymparamError as error:
        return Outcome(model_type, "untraced", text=str(error))
    outcome = Outcome(model_type, "equal", seconds=round(time.monotonic() - start, 1))
    model, depths = Model.wrap(model_of(found)), set[tuple[int, ...]]()
    ruled = {equation.dim for equation in found.equations}
    outcome.loose = tuple(key.name for key in found.keys if config.get(str(key.path[0]), 0) is None
                          and type(key.base) is int and key.name not in ruled)
    for given, point in _points(found, config, f"{model_type} {seed}"):
        try:
            ours, theirs = listed(point)[0], rows_of(model, given, config)
        except SymparamError:
            continue
        lines = difference(ours, theirs)
        if lines:
            verdict = _judged(point, ours, theirs)
            if verdict is None:
                continue
            said = " ".join(f"{name}={value}" for name, value in given.items())
            outcome.verdict, outcome.text = verdict, f"{said}: {lines[:3]}"
            return outcome
        outcome.points += 1
        depths.add(tuple(given.get(key.name, -1) for key in found.keys if key.kind == "structure"))
        outcome.depths = len(depths)
        if outcome.points >= 2 * POINTS and len(depths) > 1:
            break
    if outcome.points < 2:
        outcome.verdict = "uncompared"
    return outcome


def _builds(config: Config) -> bool:
    try:
        built(config)
        listed(config)
    except Exception:  # whatever transformers raises
        return False
    return True


def _judged(point: Config, ours: Rows, theirs: Rows) -> str | None:
    """Which of two lists is wrong, by what is built; None where the point is refused."""
    try:
        real = built(point)[0]
    except Exception:  # whatever transformers raises
        return None
    wrong = [name for name, rows in (("ours", ours), ("trace", theirs)) if difference(rows, real)]
    return " and ".join(wrong)


def rows_of(model: Model, given: Mapping[str, int], config: Config) -> Rows:
    """The parameters that a traced model has at a point, of a composite those of its text model."""
    inside = of_text(config)
    rows: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for tensor in model.tensors(**given):
        if not inside or tensor.name.startswith(TEXT):
            rows[_NUMBER.sub("*", tensor.name), tuple(tensor.shape)] += tensor.copies
    return {key: number for key, number in rows.items() if number}


def _points(found: Trace, config: Config, seed: str) -> Iterator[tuple[dict[str, int], Config]]:
    """Numbers for keys that the family reads too, each moved on its own, half with other depths.

    What stays is said too where the trace has no rule for it: a null may follow what moves.
    """
    rng, fixed = random.Random(seed), bound(found)
    ruled = {equation.dim for equation in found.equations}
    keys = [key for key in found.keys if key.name not in fixed and _readable(key, config)]
    for attempt in range(TRIES):
        dims = moved(found, rng, structure=bool(attempt % 2), share=(.9, .6, .3)[attempt % 3])
        given = {key.name: dims[key.name] for key in keys if dims[key.name] != key.base}
        point = copy.deepcopy(config)
        for key in keys:
            if key.name in given or key.name not in ruled:
                _set(point, key.path, dims[key.name])
        yield given, point


def _readable(key: Key, config: Config) -> bool:
    """Whether the family reads a key: given as it is, the configuration is as it was."""
    if type(key.base) is not int or key.kind not in {"size", "structure"}:
        return False
    try:
        point = copy.deepcopy(config)
        _set(point, key.path, key.base)
        return listed(point)[0] == listed(config)[0]
    except (SymparamError, LookupError, TypeError):
        return False


def _set(config: Any, path: tuple[str | int, ...], value: int) -> None:
    """Give a key of a configuration, nested ones too."""
    *outer, last = path
    for step in outer:
        config = config.setdefault(step, {}) if isinstance(config, dict) else config[step]
    known = config.get(last) if isinstance(config, dict) else config[last]
    config[last] = float(value) if isinstance(known, float) else value


def order() -> list[str]:
    """All model types that are drawn, in an order at random."""
    types = sorted(BUILT)
    random.Random("families").shuffle(types)
    return types


def main() -> None:
    """Write an outcome a line."""
    path, *types = sys.argv[1:]
    out = Path(path)
    done = {json.loads(line)["model_type"] for line in out.read_text().splitlines()
            } if out.exists() else set()
    for model_type in types or order():
        if model_type in done:
            continue
        try:
            outcome = compared(model_type)
        except Exception as error:  # (a survey goes on: the line says what happened)
            outcome = Outcome(model_type, "failed", text=f"{type(error).__name__}: {error}")
        with out.open("a") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")


if __name__ == "__main__":
    main()
