"""Every key of a configuration class changed alone: counted as transformers builds it, or refused.

By hand, for all changes of some model types or of all: ``python -m tests.differential.keys llama``.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from symparam.descriptions.assembling.wholes import WHOLES
from symparam.descriptions.families import composites
from symparam.errors import SymparamError
from tests.differential.compare import built, difference, listed
from tests.differential.draw import Config
from tests.differential.drawn import BUILT, Undrawn, drawn

#: Differences that are meant: why, a value that both read alike and one that they do not.
MEANT: dict[tuple[str, str], tuple[str, Any, Any]] = {
    **{(model_type, "tie_word_embeddings"): (
        "checkpoints that say false hold a head of their own; transformers 5 ties it whatever is "
        "said", True, False) for model_type in ("t5", "mt5", "umt5")},
    ("longcat_flash", "zero_expert_num"): (
        "transformers makes room for the gates of experts that have no weights", 0, 3)}
#: Keys that say what is read and built, not how.
FIXED = frozenset("model_type architectures transformers_version".split())
#: Configurations inside a configuration that no count depends on, where the tower is not known.
APART = frozenset({*composites.TOWERS, "esmfold_config"})
DEPTHS = ("num_hidden_layers", "depth", "num_layers", "encoder_layers", "n_layers")
HEAD = re.compile("For[A-Z]|LMHead")
#: Configurations that are drawn to find a small one.
TRIED = 8


@dataclass(frozen=True)
class Change:
    """Another value of one key.

    Attributes:
        path: the key, after the keys of the tables that it stands in.
        value: what it is set to.
        flip: whether it is the other truth value.
    """

    path: tuple[str, ...]
    value: Any
    flip: bool = False

    def of(self, config: Config) -> Config:
        """The changed configuration."""
        changed: Config = json.loads(json.dumps(config))
        table = changed
        for key in self.path[:-1]:
            table = table.setdefault(key, {})
        table[self.path[-1]] = self.value
        return changed

    def __str__(self) -> str:
        return f"{'.'.join(self.path)} = {json.dumps(self.value)}"


def held(ours: Config, theirs: Config | None = None) -> tuple[str, list[str]]:
    """``equal``, ``refused`` here, ``unbuilt`` there, or ``wrong`` and what differs.

    Args:
        ours: what symparam reads.
        theirs: what transformers reads, where it is not the same.
    """
    try:
        here = listed(json.loads(json.dumps(ours)))
    except SymparamError:
        return "refused", []
    try:
        there = built(json.loads(json.dumps(theirs or ours)))
    except Exception:  # whatever transformers raises: there is nothing to compare with
        return "unbuilt", []
    lines = difference(here[0], there[0]) + difference(here[1], there[1])
    if here[2] != there[2]:
        lines.append(f"{here[2]} can be trained here, {there[2]} there")
    return ("wrong" if lines else "equal"), lines


class Uncounted(AssertionError):
    """A type of which no drawn configuration is counted as it is built."""


def base(model_type: str) -> Config:
    """A small configuration with a head, where there is a class with one, that is counted right.

    Raises:
        Uncounted: none of those that are drawn is. Undrawn: nobody draws them.
    """
    sized = []
    for number in range(TRIED):
        config = drawn(model_type, f"base {number}")
        try:
            copies = listed(config)[0].values()
        except SymparamError:
            continue
        headless = not HEAD.search(config["architectures"][0])
        sized.append((headless, max(copies) < 2, sum(copies), number))
    for *_, number in sorted(sized):
        config = drawn(model_type, f"base {number}")
        for tried in (_small_towers(config), config):
            if tried is not None and held(tried)[0] == "equal":
                return tried
    raise Uncounted(f"{model_type}: no configuration is counted as it is built")


def _made(config: Config) -> Any:
    """The configuration as an object of its class."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    return CONFIG_MAPPING[config["model_type"]].from_dict(json.loads(json.dumps(config)))


def _small_towers(config: Config) -> Config | None:
    """The same with one layer in each tower; None where there is none."""
    if config["model_type"] not in composites.MODEL_TYPES:
        return None
    try:
        made = _made(config)
    except Exception:  # of transformers: it is not built either
        return None
    changed: Config = json.loads(json.dumps(config))
    for key in composites.TOWERS:
        tower: Any = getattr(made, key, None)
        for depth in DEPTHS:
            if isinstance(getattr(tower, depth, None), int):
                changed.setdefault(key, {"model_type": tower.model_type})[depth] = 1
    return changed


def changes(config: Config) -> list[Change]:
    """Each key of its class and of the parts that count: flipped, ±1, doubled, zero, null.

    Of a key that is null, what its class allows: both truth values, and small whole numbers.
    """
    found: list[Change] = []
    for path, made, table in _tables(_made(config), config):
        kinds = {field.name: str(field.type) for field in fields(made)}
        for key in _keys(made, table):
            one = made.attribute_map.get(key, key)
            value = table.get(key, table.get(one, vars(made).get(one)))
            found += _values((*path, key), value, key in table, kinds.get(one, ""))
    return found


def _tables(made: Any, config: Config, path: tuple[str, ...] = (),
            ) -> Iterator[tuple[tuple[str, ...], Any, Config]]:
    from transformers import PreTrainedConfig

    yield path, made, config
    for key, part in vars(made).items():
        inside = config.get(key)
        apart = key in APART and made.model_type not in WHOLES
        if isinstance(part, PreTrainedConfig) and not apart and (
                isinstance(inside, dict) or made.model_type not in composites.MODEL_TYPES):
            yield from _tables(part, inside or {}, (*path, key))


def _keys(made: Any, table: Config) -> list[str]:
    """Its fields, what it sets itself, other names of both, and what the file has besides."""
    from transformers import PreTrainedConfig

    named = [*table, *vars(made), *(field.name for field in fields(made)), *made.attribute_map]
    return [key for key in dict.fromkeys(named) if not key.startswith("_") and key not in FIXED
            and key not in APART and not isinstance(vars(made).get(key), PreTrainedConfig)]


def _values(path: tuple[str, ...], value: Any, given: bool, kind: str) -> Iterator[Change]:
    if isinstance(value, bool) or (value is None and "bool" in kind):
        yield from (Change(path, each, flip=True) for each in (True, False) if each != value)
    elif value is None and "int" in kind:
        yield from (Change(path, each) for each in (1, 2, 6, 0))
    elif isinstance(value, int):
        yield from (Change(path, each) for each in dict.fromkeys(
            (value + 1, value - 1, 2 * value, 0)) if each != value)
    if value is not None or not given:
        yield Change(path, None)


def main(model_types: list[str]) -> int:
    """Try all changes of some model types, or of all, and print what is wrong."""
    wrong, start = 0, time.perf_counter()
    for model_type in model_types or sorted(BUILT):
        begun = time.perf_counter()
        try:
            config = base(model_type)
        except (Undrawn, Uncounted) as error:
            print(error)
            return 1
        found: Counter[str] = Counter()
        for change in changes(config):
            verdict, lines = held(change.of(config))
            if verdict == "wrong" and (model_type, change.path[-1]) in MEANT:
                verdict = "meant"
            found[verdict] += 1
            if verdict == "wrong":
                print(f"{model_type}: {change}: {json.dumps(config)}", *lines[:4], sep="\n    ")
        wrong += found["wrong"]
        print(f"{model_type}: {dict(found)} in {time.perf_counter() - begun:.1f} s", flush=True)
    print(f"{wrong} wrong, {time.perf_counter() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
