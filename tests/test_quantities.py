"""Caches, operations and bytes against measured models, a naive walk and published figures."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.count import quantity_count
from symparam.descriptions.config import read_config
from symparam.descriptions.load import load
from symparam.descriptions.lookup import known_model_types
from symparam.errors import BadValue, MissingDims, SymparamError, UnknownName
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.quantities import activations, everything, find, training, training_memory
from symparam.quantities.data import data_of
from symparam.quantities.devices import DEVICES, Fit, amount
from symparam.quantities.formats import FORMATS, Groups, number_format
from symparam.quantities.inputs import DataInputs
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.resolve import with_overrides
from symparam.run import RUN
from symparam.stack import Slot
from symparam.symbols import symbol
from tests.helpers import message, together, truth
from tests.oracle import work
from tests.strategies import Arch, Dims, decoders, engine, quick

MEASURED = [record for record in truth() if record.get("forward_flops_batch1")
            or record.get("kv_elements_per_token")]


def subject(model: Model, **setting: Any) -> Subject:
    """A model with integers, and what it is run with."""
    run = {name: setting.pop(name) for name in RUN if name in setting}
    return Subject.of(model, Setting(run=run, **setting))


def value(name: str, model: Model, **setting: Any) -> Any:
    """A quantity of a model."""
    return find(name).value(subject(model, **setting))


def padded_convolutions(model: Model, ledger: Ledger) -> int:
    """transformers runs each convolution over k_conv − 1 positions behind the sequence too."""
    kernel = model.values["k_conv"]
    return sum(2 * m.size("applied") * (kernel - 1) for m in ledger if m.role == "convolution")


def all_heads(model: Model) -> int:
    """transformers copies keys and values to all query heads of Falcon before it keeps them."""
    return model.values["n_heads"] // model.values["n_kv"]


#: Records whose measured number is another than the model's own, each with its cause.
PADDED = {"pub-falcon-mamba-7b": padded_convolutions}
EXPANDED = {"pub-falcon-40b": all_heads}


@together("record", MEASURED, ids=lambda r: r["id"])
def test_a_measured_model_is_met(record: dict[str, Any]) -> None:
    assert record["model_type"] in known_model_types()
    model = read_config(record["id"], record["config"], record["id"])
    if (kept := record["kv_elements_per_token"]) is not None:
        times = EXPANDED[record["id"]](model) if record["id"] in EXPANDED else 1
        assert value("kv_elements", model) * times == kept
    for length, flops in record["forward_flops_batch1"].items():
        asked = subject(model, s=int(length), s_encoder=int(length), attention="all-pairs")
        more = PADDED[record["id"]](model, asked.ledger) if record["id"] in PADDED else 0
        assert find("flops").value(asked) + more == flops


def test_every_measured_record_is_compared() -> None:
    assert len(MEASURED) == 74  # of 78; the others' numbers are empty
    assert sum(r["kv_elements_per_token"] is not None for r in MEASURED) == 55
    assert sum(len(r["forward_flops_batch1"]) for r in MEASURED) == 136


def without(ledger: Ledger, name: str) -> Ledger:
    """A ledger whose products and states of a name are lost."""
    return replace(ledger, products=tuple(p for p in ledger.products if p.name != name),
                   states=tuple(s for s in ledger.states if s.name != name))


@pytest.mark.parametrize("lost", ["scores", "sums", "K", "V"])
def test_a_list_with_a_hole_is_noticed(lost: str) -> None:
    record = next(r for r in MEASURED if r["id"] == "pub-llama-2-7b")
    asked = subject(read_config("x", record["config"], "x"), s=128)
    asked = replace(asked, ledger=without(asked.ledger, lost))
    assert (find("flops").value(asked), find("kv_elements").value(asked)) != (
        record["forward_flops_batch1"]["128"], record["kv_elements_per_token"])


#: Few layers and tokens: the oracle visits every pair of query and key.
short = st.integers(1, 5)


def small(dims: Dims) -> Dims:
    """The same dims with few layers and heads."""
    heads = {"n_heads": dims["n_heads"] // dims["n_kv"] * min(dims["n_kv"], 2)}
    return {**dims, "L": min(dims["L"], 3), **heads, "n_kv": min(dims["n_kv"], 2)}


@settings(quick, max_examples=30)
@given(decoders(), short, st.integers(1, 4))
def test_a_naive_walk_agrees(case: tuple[Arch, Dims], tokens: int, window: int) -> None:
    arch, dims = case[0], small(case[1])
    model = engine(arch, dims)
    assert value("kv_cache", model, s=tokens) == 2 * work.cached(arch, dims, tokens)
    assert value("kv_cache", windowed(model, window), s=tokens) == 2 * work.cached(
        arch, dims, tokens, window)
    assert value("flops", model, s=tokens) == work.forward(arch, dims, tokens)
    for name, length in ((model, None), (windowed(model, window), window)):
        each = work.generated(arch, dims, tokens, length)
        assert value("flops_per_token", name, s=tokens) == each
        assert value("flops", name, s=tokens) == tokens * each
        assert value("flops", name, s=tokens, attention="all-pairs") == work.forward(
            arch, dims, tokens)
    exact = work.forward(arch, dims, tokens, masked=False)
    own = work.forward(arch, dims, 1) - _scores(arch, dims)  # s·(s + 1)/2 pairs against s²/2
    assert 2 * (exact - tokens * own) * tokens == 2 * (tokens + 1) * (
        value("flops", model, s=tokens, attention="causal") - tokens * own)


def _scores(arch: Arch, dims: Dims) -> int:
    """What scores cost for one query and key."""
    return work.forward(arch, dims, 2) // 2 - work.forward(arch, dims, 1)


def windowed(model: Model, length: int) -> Model:
    """The model with a window on all that meets keys."""
    from symparam.stack import Window

    def new(slot: Slot) -> Slot:
        return replace(slot, window=Window("window"))

    stacks = tuple(replace(s, slots=tuple(map(new, s.slots))) if s.repeat else s
                   for s in model.stacks)
    return replace(model, stacks=stacks, values={**model.values, "window": length})


@together("mutant", work.MUTANTS)
def test_the_walk_notices_a_wrong_rule(mutant: str) -> None:
    arch: Arch = {"attention": "gqa", "ffn": "moe", "tied": True}
    dims = {"V": 11, "L": 2, "d_model": 6, "n_heads": 4, "n_kv": 2, "d_head": 2, "n_experts": 3,
            "top_k": 2, "d_expert": 5}
    model, rules = engine(arch, dims), work.MUTANTS[mutant]
    right = value("kv_cache", model, s=3) // 2, value("flops", model, s=3)
    assert right == (work.cached(arch, dims, 3), work.forward(arch, dims, 3))
    assert right != (work.cached(arch, dims, 3, None, rules),
                     work.forward(arch, dims, 3, True, rules))


def test_the_walk_notices_a_window_that_is_passed_over() -> None:
    arch: Arch = {"attention": "mha", "ffn": "mlp"}
    dims = {"V": 11, "L": 2, "d_model": 6, "n_heads": 3, "n_kv": 3, "d_head": 2, "d_ff": 5}
    found = value("flops_per_token", windowed(engine(arch, dims), 2), s=5)
    assert found == work.generated(arch, dims, 5, 2)
    assert found != work.generated(arch, dims, 5, 2, work.Rules(dropped=False))


def test_what_attention_counts_under_windows() -> None:
    gemma, s, w = load("gemma-3-1b"), 8192, 512
    pair, sliding, rest = 4 * 4 * 256, 22, 4  # operations of a query and a key; layers
    own = value("flops", gemma, s=1) - pair * (sliding + rest)
    wanted = {"all-pairs": s * s * (sliding + rest), "full": s * (sliding * w + rest * s),
              "causal": Fraction(sliding * (2 * s * w - w * w) + rest * s * s, 2)}
    for attention, pairs in wanted.items():
        assert value("flops", gemma, s=s, attention=attention) == s * own + pair * pairs
        convention = attention.replace("-", "_")
        assert value(f"train_{convention}", gemma, s=s) == 3 * value(
            "flops_per_token", gemma, s=s, attention=attention)
        assert value("flops_training", gemma, s=s, attention=attention) == 3 * (
            s * own + pair * pairs)
    assert value("train_palm", gemma, s=s) == 6 * 999_885_952 + 3 * pair * s * (
        sliding + rest)
    assert value("train_selective", gemma, s=s) - value("train_full", gemma, s=s) == (
        pair * (sliding * w + rest * s))


#: One of each kind: latent, windows, a selection of keys, recurrent, encoder, both sides.
KINDS = ["llama-2-7b", "deepseek-v3", "gemma-3-1b", "falcon-mamba-7b", "bert-base", "t5-base"]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", KINDS)
def test_symbols_trees_and_integers_agree(name: str) -> None:
    model = load(name)
    for regime, s in (("within", 64), ("beyond", 100_000)):
        usual = (name for name, row in RUN.items() if row.usual(encoder=True))
        run = {**{name: 2 + i for i, name in enumerate(usual)}, "s": s, "s_encoder": 50}
        asked = subject(model, **run)
        numbers = {**asked.dims, **run}
        at = {symbol(k): sp.Integer(v) for k, v in numbers.items()}
        over_trees = Subject.over(model, ex.Sym, regime)  # type: ignore[arg-type]
        for quantity in everything().values():
            try:
                wanted = quantity.value(asked)
            except SymparamError:
                continue
            shares = {share.path: share.value for share in quantity.shares(over_trees)}
            found = quantity_count(model, quantity, regime).shares  # type: ignore[arg-type]
            assert sum(share.xreplace(at) for share in found.values()) == wanted, quantity.name
            assert list(shares) == list(found), quantity.name
            assert sum(ex.evaluate(ex.node(tree), numbers) for tree in shares.values()) == wanted


def test_arrays_are_the_numbers_at_each_point() -> None:
    model = load("gemma-3-1b")
    lengths = [1, 500, 512, 513, 40_000]
    at = subject(model)
    for name in ("kv_cache", "flops", "kv_elements", "weights"):
        for attention in ("full", "causal", "all-pairs"):
            over = replace(at, setting=Setting(
                run={"s": np.array(lengths)}, attention=attention))
            each = [find(name).value(replace(at, setting=Setting(
                run={"s": s}, attention=attention)))
                    for s in lengths]
            assert np.broadcast_to(find(name).value(over), len(each)).tolist() == each


@together("quantity", everything().values(), ids=lambda q: q.name)
def test_a_quantity_says_what_it_is(quantity: Any) -> None:
    assert quantity.title
    assert quantity.convention
    assert quantity.source
    assert (quantity.kind == "literal") == bool(quantity.dims)
    model = load({"active": "mixtral-8x7b", "image": "gemma-3-4b"}.get(
        quantity.name.partition("_")[0], "llama-2-7b"))
    asked = subject(model, s=64)
    paths = [share.path for share in quantity.shares(asked)]
    assert len(set(paths)) == len(paths)
    if quantity.kind == "view":
        listed = {e.path for e in (*asked.ledger, *asked.ledger.states, *asked.ledger.products,
                                   *asked.ledger.pictures)}
        assert {path.partition("[")[0] for path in paths} <= listed


#: GFLOP a token of Llama-2-7B at s = 4096, to the last FLOP.
TABLE = {"train_blocks": 38_856_032_256, "train_head": 39_642_464_256,
         "train_all": 40_430_493_696, "train_causal": 42_863_689_728,
         "train_full": 46_084_915_200, "train_palm": 46_872_944_640,
         "train_narayanan": 45_883_588_608, "train_narayanan_recomputed": 60_915_974_144}


def test_the_table_of_conventions() -> None:
    asked = subject(load("llama-2-7b"), s=4096)
    assert {name: find(name).value(asked) for name in TABLE} == TABLE
    d, depth, vocab, s, f = 4096, 32, 32000, 4096, 11008
    blocks = depth * (4 * d * d + 3 * d * f)
    scores = 6 * depth * s * d
    wanted = {"train_blocks": 6 * blocks, "train_head": 6 * (blocks + vocab * d),
              "train_all": 6 * 6_738_415_616, "train_causal": 6 * (blocks + vocab * d) + scores,
              "train_full": 6 * (blocks + vocab * d) + 2 * scores,
              "train_palm": 6 * 6_738_415_616 + 12 * depth * 32 * 128 * s,
              "train_narayanan": 72 * depth * d * d * (
                  1 + Fraction(s, 6 * d) + Fraction(vocab, 12 * depth * d)),
              "train_narayanan_recomputed": 96 * depth * d * d * (
                  1 + Fraction(s, 6 * d) + Fraction(vocab, 16 * depth * d))}
    assert wanted == TABLE


def test_other_formulas_of_papers() -> None:
    asked = subject(load("llama-2-7b"), s=4096)
    d, depth, vocab, s, f = 4096, 32, 32000, 4096, 11008
    chinchilla = 3 * (2 * vocab * d * 2 + depth * (
        2 * 3 * d * d + 2 * s * d + 3 * 32 * s + 2 * s * d + 2 * d * d + 4 * d * f))
    assert find("train_chinchilla").value(asked) == chinchilla
    assert find("train_kaplan").value(asked) == 6 * 2 * d * depth * (2 * d + f) + 6 * depth * s * d
    assert find("train_korthikanti").value(asked) == find("train_narayanan").value(asked)
    assert find("train_korthikanti_hardware").value(asked) == 72 * depth * d * d * (
        1 + Fraction(s, 3 * d) + Fraction(vocab, 12 * depth * d))


def test_views_and_literals_are_told_apart() -> None:
    assert {q.kind for q in training.VIEWS} == {"view"}
    assert {q.kind for q in training.LITERALS} == {"literal"}
    gpt3 = {"V": 50257, "L": 96, "d_model": 12288, "n_heads": 96, "n_ctx": 2048}
    gpt = engine({"positions": "learned"}, {**gpt3, "d_head": 128, "d_ff": 4 * 12288, "n_kv": 96})
    asked = subject(gpt, s=2048)  # where a formula's assumptions hold, it is the view
    assert find("train_narayanan").value(asked) == find("train_full").value(asked)
    scores = 6 * 96 * 2048 * 12288
    assert find("train_kaplan").value(asked) == find("train_blocks").value(asked) + scores


def test_a_run_is_so_many_tokens() -> None:
    model = load("llama-2-7b")
    for convention in training.CONVENTIONS:
        one = convention.value(subject(model, s=4096))
        assert convention.value(subject(model, s=4096, D=10**12)) == one * 10**12
    assert value("optimal_compute", model) == 6 * 20 * 6_738_415_616**2


@pytest.mark.parametrize(("name", "s", "n_kv", "wanted"), [
    ("llama-2-70b", 131_072, 64, 343_597_383_680), ("llama-2-70b", 131_072, 8, 42_949_672_960)])
def test_the_cache_of_a_long_sequence(name: str, s: int, n_kv: int, wanted: int) -> None:
    assert value("kv_cache", with_overrides(load(name), {"n_kv": n_kv}), s=s) == wanted


def test_bytes_a_token() -> None:
    assert value("kv_per_token", load("llama-2-7b")) == 524_288
    assert value("kv_per_token", load("deepseek-v3")) == 70_272


@pytest.mark.parametrize(("heads", "wanted"), [(32, 8192), (8, 2048), (4, 1024), (1, 256)])
def test_cached_numbers_of_one_layer(heads: int, wanted: int) -> None:
    one = with_overrides(load("llama-2-7b"), {"n_kv": heads, "L": 1})
    assert value("kv_elements", one) == wanted


def test_the_pipeline_of_nanochat() -> None:
    model = load("nanochat-d20")
    assert [value("weights", model, weights=FORMATS[f]) for f in ("fp32", "fp16", "int8")] == [
        2_243_952_640, 1_121_976_320, 560_988_160]
    assert value("optimal_tokens", model) == 11_219_763_200
    assert value("characters", model) == 53_854_863_360
    found = data_of(560_988_160, DataInputs())
    assert (found.shards_needed, found.shards, found.disk) == (216, 216, 21_600_000_000)
    with_margin = data_of(560_988_160, DataInputs(shards=240))
    assert (with_margin.shards_needed, with_margin.disk) == (216, 24_000_000_000)
    with pytest.raises(BadValue) as caught:
        data_of(560_988_160, DataInputs(shards=215))
    assert "216" in message(caught.value)


def test_recurrent_states_do_not_grow() -> None:
    mamba = load("falcon-mamba-7b")
    assert value("kv_per_token", mamba) == 0
    assert value("kv_cache", mamba, s=1) == value("kv_cache", mamba, s=10**6) == value(
        "state", mamba) == 2 * 64 * 8192 * (16 + 4)


def test_a_window_bounds_its_layers() -> None:
    gemma = load("gemma-3-1b")
    each, sliding, layers, window = 2 * 1 * 256, 22, 26, gemma.values["window"]
    assert value("kv_elements", gemma) == layers * each
    for s in (1, window - 1, window, window + 1, 10 * window):
        wanted = each * (sliding * min(s, window) + (layers - sliding) * s)
        assert value("kv_cache", gemma, s=s) == 2 * wanted
    fewer = with_overrides(gemma, {"L": 21})  # one layer in six sees all: three of them
    assert value("kv_cache", fewer, s=9 * window) == 2 * each * window * (18 + 9 * 3)
    with pytest.raises(BadValue) as caught:
        value("kv_cache", with_overrides(gemma, {"L": 21, "L_window": 22}))
    assert "L_window" in message(caught.value)


def test_a_selection_bounds_scores_and_not_the_cache() -> None:
    v32 = read_config("x", {"model_type": "deepseek_v32"}, "x")
    top = v32.values["top_index"]
    grown = [value("kv_cache", v32, s=s) for s in (top, 2 * top)]
    assert grown[1] == 2 * grown[0]
    asked = {s: subject(v32, s=s, attention="causal") for s in (top, 8 * top)}
    attention = {s: sum(share.value for share in find("flops").shares(a)
                        if share.path.endswith(("attention.scores", "attention.sums")))
                 for s, a in asked.items()}
    assert attention[8 * top] < 16 * attention[top]  # and not 64 times as much


def test_causal_attention_is_half_and_an_encoders_is_not() -> None:
    for name, share in (("llama-2-7b", 2), ("bert-base", 1)):
        model = load(name)
        full, half = (value("flops", model, s=1000, attention=a) for a in ("full", "causal"))
        scores = full - 1000 * (value("flops", model, s=2) - value(
            "flops", model, s=1))  # grows with the square alone
        assert full != half if share == 2 else full == half
        assert scores
    both = load("t5-base")
    full, half = (value("flops", both, s=64, s_encoder=64, attention=a)
                  for a in ("full", "causal"))
    d_attention, depth = 12 * 64, 12
    assert full - half == 2 * 2 * depth * d_attention * 64 * 64 // 2  # the decoder's alone


@pytest.mark.parametrize("total", [8, 12, 16, 18, 20])
def test_training_memory_is_so_many_bytes_a_parameter(total: int) -> None:
    model = load("llama-2-7b")
    assert value(f"training_memory_{total}", model) == total * 6_738_415_616


def test_zero_splits_more_at_each_stage() -> None:
    model, p, n = load("llama-2-7b"), 6_738_415_616, 64
    stages = [value(f"training_memory_zero_{k}", model, n_devices=n) for k in (1, 2, 3)]
    assert stages == [4 * p + 12 * p // n, 2 * p + 14 * p // n, 16 * p // n]
    alone = [value(f"training_memory_zero_{k}", model, n_devices=1) for k in (1, 2, 3)]
    assert alone == [16 * p] * 3
    assert value("training_memory_zero_1", model, n_devices=64, training_bytes=18) == (
        6 * p + 12 * p // n)
    for wrong, error in (({"n_devices": 0}, BadValue), ({"training_bytes": 17}, UnknownName)):
        with pytest.raises(error) as caught:
            value("training_memory_zero_1", model, **wrong)
        message(caught.value)  # type: ignore[arg-type]


def test_a_frozen_table_has_no_gradient() -> None:
    whisper = load("whisper-tiny")
    asked = subject(whisper)
    frozen = sum(m.size() for m in asked.ledger if m.status == "frozen")
    assert frozen
    total = asked.ledger.total()
    assert find("training_memory_16").value(asked) == 16 * (total - frozen) + 2 * frozen


def test_activations_by_korthikanti() -> None:
    gpt = load("gpt3-175b")
    asked = subject(gpt, s=2048, b=1, t=8)
    sbh, a, s, h, t = 2048 * 12288, 96, 2048, 12288, 8
    scores = Fraction(5 * a * s, h)
    wanted = {"none": sbh * (34 + scores), "tensor": sbh * (10 + Fraction(24, t) + scores / t),
              "sequence": sbh * (34 + scores) / t, "selective": sbh * (10 + Fraction(24, t)),
              "sequence_selective": sbh * Fraction(34, t), "full": 2 * sbh}
    assert {q.name.removeprefix("activations_"): q.value(asked)
            for q in activations.QUANTITIES} == {k: 96 * v for k, v in wanted.items()}


def test_scales_of_groups() -> None:
    model = load("llama-2-7b")
    linear = 32 * (4 * 4096 * 4096 + 3 * 4096 * 11008)
    rest = 6_738_415_616 - linear
    grouped = value("weights", model, weights=FORMATS["int4"], groups=Groups(128))
    assert grouped == linear // 2 + 2 * linear // 128 + 2 * rest
    assert value("weights", model, weights=FORMATS["int4"]) == 6_738_415_616 // 2
    odd = engine({}, {"V": 5, "L": 2, "d_model": 6, "n_heads": 2, "n_kv": 2, "d_head": 4,
                      "d_ff": 7})
    rows = 2 * (3 * 8 * 2 + 6 * 2 + 7 * 2 + 6 * 2)  # groups of 4 in rows of 6, 8, 6 and 7
    weights = 2 * (4 * 8 * 6 + 2 * 6 * 7)
    assert value("weights", odd, weights=FORMATS["int8"], groups=Groups(4)) == (
        weights + 2 * rows + 2 * (2 * 5 * 6 + 5 * 6))


def test_whether_it_fits() -> None:
    needed = value("weights", load("nanochat-d20"), weights=FORMATS["fp16"])
    fit = Fit(DEVICES["rtx-4090"], needed, "weights")
    assert (fit.fits, fit.left) == (True, 24_000_000_000 - 1_121_976_320)
    assert not Fit(DEVICES["t4"], 16 * 10**9 + 1, "weights").fits
    assert Fit(DEVICES["t4"], 16 * 10**9, "weights").fits
    for wrong in (0, Fraction(1, 2), -5):
        with pytest.raises(BadValue):
            amount(wrong)


@together(("call", "error", "words"), [
    (lambda: find("kv_cach"), UnknownName, "kv_cache"),
    (lambda: number_format("fp7"), UnknownName, "fp8"),
    (lambda: Groups(0), BadValue, "at least 1"),
    (lambda: value("flops", load("t5-base"), s=8), BadValue, "encoder"),
    (lambda: value("train_full", load("t5-base"), s=8, s_encoder=8), BadValue, "encoder"),
    (lambda: value("train_chinchilla", load("mixtral-8x7b"), s=8), BadValue, "d_ff"),
    (lambda: value("activations_none", load("t5-base"), s=8), BadValue, "L"),
    (lambda: value("flops", engine({}, {"L": 2}), s=8), MissingDims, "d_model"),
    (lambda: value("flops", read_config("x", {"model_type": "deepseek_v2"}, "x"), s=8),
     BadValue, "experts"),
    (lambda: DataInputs(tokens_per_parameter=0), BadValue, "more than 0"),
    (lambda: DataInputs(characters_per_token=4.8), BadValue, "exact"),
    (lambda: training_memory.scheme(17), UnknownName, "8, 12, 16, 18, 20"),
])
def test_what_cannot_be_said_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert words in message(caught.value)  # type: ignore[arg-type]


def test_a_shared_layer_has_a_cache_each_time_and_a_tied_head_is_multiplied() -> None:
    model = read_config("x", {"model_type": "albert", "is_decoder": True}, "x")
    assert subject(model, s=7).ledger.states[0].copies() == model.values["L"]
    gpt2 = load("gpt2")
    assert value("train_head", gpt2, s=8) - value("train_blocks", gpt2, s=8) == (
        6 * 50257 * 768)
