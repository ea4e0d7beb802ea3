"""Every family is what transformers builds: without one optional key, and with drawn ones.

``tests/data/bare.json`` and ``seeded.json`` were recorded from transformers by the modules of those
names in ``tests/differential``, which compare with transformers itself where it is installed.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from symparam.api import Model as View
from symparam.descriptions.config import Config, read_config
from symparam.descriptions.lookup import known_model_types
from symparam.errors import SpecError, SymparamError
from symparam.layout import pattern
from symparam.model import Model
from symparam.parts import one_part
from symparam.plot.data import picture
from symparam.quantities import counts
from symparam.resolve import resolve
from tests.differential import seeded, turned
from tests.differential.bare import digest, short
from tests.differential.compare import listed_whole
from tests.differential.drawn import DRAWN, drawn
from tests.differential.keys import Change
from tests.helpers import data, ledger, message, together, truth
from tests.oracle import published_code
from tests.oracle.mutants import MUTANTS
from tests.oracle.published_code import LISTED

RECORDS: dict[str, dict[str, Any]] = data("bare.json")
#: Of each type: number, configuration, parameters, buffers, how many can be trained.
SEEDED: dict[str, list[tuple[int, str, str, str, int]]] = data("seeded.json")
#: Of each type: a configuration, and what was built of it with one key turned.
TURNED: dict[str, dict[str, Any]] = data("turned.json")
#: What is asked for where there is no default: a configuration of the text model, or a number.
ASKING = (r"(text_config|encoder|n_routed_experts|vocab_size|head_dim|layer_types|block_configs"
          r"|num_key_value_heads(_per_layer)?)(: missing:| is missing)")
#: Types whose own class has no default that it can be built with.
NEEDY = frozenset("""
    aya_vision bailing_moe deci dots1 esm exaone4_5 hunyuan_v1_dense hunyuan_v1_moe kimi_k3
    lfm2_moe ministral nemotron nemotron-nas t5gemma
""".split())
#: A configuration that transformers' own class cannot be built from, and one that it builds with
#: more than checkpoints hold (tests/differential/keys.py, MEANT).
UNBUILT = {"dbrx", "longcat_flash"}
#: Windows of these are those of an index over keys, or two-sided: half of it is on each side.
OTHERWISE = {"axk2", "deepseek_v32", "deepseek_v4", "dots3_note", "dots3_note_text", "glm_moe_dsa",
             "hy_v4", "modernbert"}

#: Keys that a class has in two parts, or works out: what is counted is the other one.
TWICE = {("bailing_hybrid", "head_dim"), ("git", "num_hidden_layers"),
         ("hrm_text", "num_hidden_layers"), ("nemo_speechlm", "audio_config.hidden_size"),
         ("nemotron3_5_transcribe_audio", "hidden_size"), ("paligemma", "vocab_size"),
         ("paligemma", "hidden_size")}

#: Names have several numbers here: of a group and of a layer in it, of a block and of its use.
SEVERAL = {"albert", "zamba2"}


def bare(model_type: str) -> Model:
    """The model of the configuration without optional keys; of one that holds a text model, of
    which nothing is said."""
    record = RECORDS[model_type]
    config = {"model_type": model_type, "architectures": [record["class"]],
              **record.get("keys", {})}
    return read_config(model_type, config, model_type)


@together("model_type", sorted(set(RECORDS) - UNBUILT))
def test_a_family_has_the_defaults_of_its_class(model_type: str) -> None:
    record = RECORDS[model_type]
    if model_type in NEEDY:
        with pytest.raises(SpecError, match=ASKING):
            bare(model_type)
        return
    model = bare(model_type)
    made = ledger(model)
    everything = {(t.name, t.shape): t.copies for t in model.layout.tensors(made, buffers=True)}
    rows = {(t.name, t.shape): t.copies for t in model.layout.tensors(made)}
    buffers = {key: copies for key, copies in everything.items() if key not in rows}
    assert (made.total(), counts.value(made, "trainable")) == (record["total"], record["trainable"])
    assert digest(rows) == record["tensors"]
    assert digest(buffers) == record["buffers"]
    if "bounded" in record and model_type not in OTHERWISE:
        assert windows(model) == ({record["window"]: record["bounded"]} if record["bounded"]
                                  else {})


@together("model_type", sorted(name for name, record in RECORDS.items()
                               if record.get("bounded") and name not in UNBUILT | NEEDY))
def test_windows_are_in_the_layers_of_its_class(model_type: str) -> None:
    model = bare(model_type)
    found = picture("layers", [one_part(model, "text") if model.parts else model])
    mixing, layers = found.columns.index("mixing"), found.columns.index("layers")
    assert "".join(("w" if row[mixing] == "sliding window" else ".") * int(str(row[layers]))
                   for row in found.rows) == RECORDS[model_type]["marks"]


@together("model_type", sorted(name for name, record in RECORDS.items()
                               if "short" in record and name not in UNBUILT))
def test_three_layers_are_the_first_of_its_pattern_or_the_last(model_type: str) -> None:
    config = short(model_type)
    assert config is not None
    model = read_config(model_type, config, model_type)
    rows = {(t.name, t.shape): t.copies for t in model.layout.tensors(ledger(model))}
    assert digest(rows) == RECORDS[model_type]["short"]


@together(("model_type", "total"), [
    ("got_ocr2_vision", 89_670_912), ("kimi_k25_vision", 416_866_032),
    ("llama4_vision_model", 415_856_640), ("minimax_m3_vl_vision", 631_185_920),
    ("mllama_vision_model", 836_288_019), ("qwen2_vl_vision", 675_759_104),
    ("voxtral_realtime_text", 7_119_048_704)])
def test_a_part_alone_has_the_defaults_of_its_class(model_type: str, total: int) -> None:
    """Parameters that transformers 5.23.0 builds of the class's configuration of nothing."""
    assert ledger(read_config("part", {"model_type": model_type}, "part")).total() == total


@together("model_type", sorted(name for name, record in RECORDS.items() if record.get("said")))
def test_a_number_that_is_taken_is_that_of_the_class(model_type: str) -> None:
    """Those that change no tensor too: experts of a token, groups, scales of a picture."""
    taken = dict(each.split(" = ") for each in bare(model_type).defaulted)
    for key, number in RECORDS[model_type]["said"].items():
        assert json.loads(taken[key]) == number or (model_type, key) in TWICE, key


def windows(model: Model) -> dict[int, int]:
    """How many layers see how much of what is before them."""
    found: dict[int, int] = {}
    for product in model.ledger(
            resolve(model, model.dims_at_work).values, at_work=True).products:
        scores = re.search(r"\.attention\.scores(\[\w+\])?$", product.path)
        if product.window is not None and scores:
            found[product.window] = found.get(product.window, 0) + product.copies()
    return found


def test_most_families_have_all_defaults() -> None:
    assert set(RECORDS) <= known_model_types()
    built = [name for name, record in RECORDS.items() if "total" in record]
    assert len(built) >= 210
    assert sum(bool(RECORDS[name].get("bounded")) for name in built) >= 20


@together("model_type", sorted(SEEDED))
def test_two_drawn_configurations_of_each_type_are_what_was_built_of_them(model_type: str) -> None:
    """Layers are numbered."""
    rebuilt(model_type, None if model_type in SEVERAL else 2)


@pytest.mark.slow
@together("model_type", sorted(SEEDED))
def test_drawn_configurations_are_what_was_built_of_them(model_type: str) -> None:
    refused = rebuilt(model_type, None)
    assert refused <= len(SEEDED[model_type]) // 2


def rebuilt(model_type: str, most: int | None) -> int:
    """How many of the first few configurations are refused; the others have each tensor."""
    refused = 0
    for number, config_mark, parameters, buffers, trained in SEEDED[model_type][:most]:
        config = drawn(model_type, f"seeded {number}")
        assert seeded.mark(config) == config_mark, "drawn otherwise than when it was recorded"
        try:
            tensors, kept, trainable = listed_whole(config)
        except SpecError as error:
            refused += bool(message(error))
            continue
        assert (seeded.digest(tensors), seeded.digest(kept), trainable) == (
            parameters, buffers, trained), config
    return refused


@together("model_type", sorted(TURNED))
def test_a_key_that_is_turned_alone_gives_what_was_built_of_it(model_type: str) -> None:
    for text, wanted in TURNED[model_type]["turned"].items():
        path, _, value = text.partition("=")
        config = Change(tuple(path.split(".")), json.loads(value)).of(TURNED[model_type]["config"])
        if wanted == turned.REFUSED:
            with pytest.raises(SymparamError):
                listed_whole(config)
        else:
            assert turned.told(listed_whole(config)) == wanted, text


def test_keys_of_most_types_change_something_when_they_are_turned() -> None:
    kinds = Counter(wanted == turned.REFUSED for record in TURNED.values()
                    for wanted in record["turned"].values())
    assert len(TURNED) >= 270
    assert kinds[False] >= 550
    assert kinds[True] >= 100


@together("model_type", sorted(LISTED))
def test_models_that_transformers_has_not_are_what_their_published_code_lists(
        model_type: str) -> None:
    caught = 0
    for number in range(12):
        config = drawn(model_type, f"listed {number}")
        parameters, kept, trainable = listed_whole(config)
        wanted = LISTED[model_type](config)
        assert parameters == wanted, config
        assert (kept, trainable) == (
            published_code.buffers(config, wanted), sum(map(math.prod, wanted.values())))
        right = Counter((pattern(name), shape) for name, shape in wanted.items())
        for mutant in MUTANTS.values():
            wrong = mutant(dict(right))
            assert wrong != right
            caught += wrong is not None
    assert caught > 24


#: One configuration of each type that is known, as it is published or written.
CONFIGS = {name: {"model_type": name, "architectures": [record["class"]]}
           for name, record in RECORDS.items()} | {
    record["config"]["model_type"]: record["config"] for record in truth()
    if record["config"]["model_type"] in known_model_types()}


def places(config: dict[str, Any]) -> list[tuple[str, ...]]:
    """Where a key can be put: the top, and the text model's own configuration."""
    inner = [key for key in ("text_config", "decoder") if isinstance(config.get(key), dict)]
    return [(), *((key,) for key in inner)]


@together("model_type", sorted(CONFIGS))
def test_no_family_passes_over_a_key_that_it_does_not_know(model_type: str) -> None:
    config = CONFIGS[model_type]
    for place in places(config):
        for value in (7, None, {"y": 1}):
            wrong: dict[str, Any] = {**config}
            holder = wrong
            for key in place:
                holder[key] = holder = {**holder[key]}
            holder["num_surprises"] = value
            with pytest.raises(SpecError) as caught:
                read_config(model_type, wrong, model_type)
            text = message(caught.value)
            assert "num_surprises" in text or re.search(ASKING, text), text


GOLDEN = Path(__file__).parent / "golden"
#: As many drawn configurations of each type; a key that none of them reads is not seen.
LOOKED_AT = 2


def test_the_values_that_families_hold_keys_to(golden: Callable[[str, str], None],
                                               monkeypatch: pytest.MonkeyPatch,
                                               request: pytest.FixtureRequest) -> None:
    """What each family refuses, in one file: a line that goes away is a key that passes. A type
    that is new is written there with the next --update-golden."""
    held: dict[str, set[str]] = {}
    known = {line for line in GOLDEN.joinpath("held-keys.txt").read_text("utf-8").splitlines()
             if not line.startswith(" ")}
    looked_at = set(DRAWN) if request.config.getoption("--update-golden") else known & set(DRAWN)
    plain = Config.only

    def seen(config: Config, key: str, *allowed: Any) -> None:
        shown = " | ".join(json.dumps(value) for value in allowed)
        held.setdefault(config.model_type, set()).add(f"{key}: {shown}")
        plain(config, key, *allowed)

    monkeypatch.setattr(Config, "only", seen)
    for model_type in sorted(looked_at):
        for number in range(LOOKED_AT):
            with contextlib.suppress(SpecError):
                config = drawn(model_type, str(number))
                read_config("drawn", config, "drawn")
    golden("held-keys.txt", "".join(
        "".join(f"{line}\n" for line in (model_type, *(f"  {key}" for key in sorted(keys))))
        for model_type, keys in sorted(held.items()) if model_type))


def test_what_families_multiply_and_keep(golden: Callable[[str, str], None],
                                         request: pytest.FixtureRequest) -> None:
    """FLOPs, cache and active parameters of one drawn configuration of each type, in one file;
    tests/differential/test_work.py compares such with what torch counts."""
    known = {line.partition(" ")[0] for line in GOLDEN.joinpath("work.txt").read_text(
        "utf-8").splitlines()}

    def told(model_type: str) -> Iterator[str]:
        read = next(model for number in range(8) if (model := _read(model_type, number)))
        for quantity in ("flops", "kv_cache", "active"):
            try:
                yield str(read.quantity(quantity, **({} if quantity == "active" else {
                    "s": 64, "b": 2})))
            except SymparamError:
                yield "unset"

    golden("work.txt", "".join(f"{name} {' '.join(told(name))}\n" for name in sorted(DRAWN)
                               if name in known or request.config.getoption("--update-golden")))


def _read(model_type: str, number: int) -> View | None:
    """A drawn configuration; None where it is refused."""
    with contextlib.suppress(SpecError):
        return View.wrap(read_config("drawn", drawn(model_type, str(number)), "drawn"))
    return None


def test_what_is_taken_where_a_configuration_says_nothing_is_as_it_was_read(
        golden: Callable[[str, str], None]) -> None:
    """Of every type, a part of a model too; where something has to be said, what. The numbers
    that a class of transformers has are held against it above. A configuration inside may be empty,
    and that is not said of one that is missing."""
    lines = list[str]()
    for model_type in sorted(known_model_types()):
        for inner in ({}, {"text_config": {}, "tie_word_embeddings": True}):
            try:
                model = read_config(model_type, {"model_type": model_type, **inner}, model_type)
            except SpecError as error:
                lines.append(message(error).partition("; or say")[0])
            else:
                lines += [model_type, *(f"  {each}" for each in model.defaulted),
                          *(f"  without {each}" for each in model.left_out)]
                break
    golden("defaulted.txt", "".join(f"{line}\n" for line in lines))
