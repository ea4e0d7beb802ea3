"""Three answers to one question: the formula, the ledger over integers, the listed state dict."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
import sympy as sp
from hypothesis import HealthCheck, given, seed, settings

from symparam import expression as ex
from symparam.components import choices
from symparam.count import count
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.options import SITES, Options
from symparam.quantities import counts, parameters
from symparam.resolve import numbers
from symparam.symbols import symbol, tag
from tests import strategies
from tests.helpers import ledger, rows, together, total_of
from tests.oracle import decoder as oracle
from tests.oracle.mutants import MUTANTS
from tests.strategies import SEED, Arch, Dims, decoders, engine, mixed, quick


def test_the_table_of_strategies_knows_every_option() -> None:
    assert set(strategies.OPTIONS) == {f.name for f in fields(Options)}
    assert set(strategies.OPTIONS) == set(oracle.MODEL_DEFAULTS) - {"blocks"}
    assert strategies.SITES == SITES
    for slot in ("attention", "ffn", "norm", "positions"):
        assert set(strategies.OPTIONS[slot]) <= set(choices(slot)), slot


@together("name", strategies.OPTIONS)
def test_an_option_left_out_is_the_plain_decoder(name: str) -> None:
    dims = {"V": 97, "L": 3, "d_model": 24, "n_heads": 4, "n_kv": 4, "d_head": 6, "d_ff": 89,
            "n_ctx": 53}
    default = strategies.OPTIONS[name][0]
    assert rows(engine({name: default}, dims)) == rows(engine({}, dims))
    assert oracle.MODEL_DEFAULTS[name] == default


@quick
@given(decoders())
def test_formula_integers_and_listing_agree(case: tuple[Arch, Dims]) -> None:
    arch, dims = case
    model = engine(arch, dims)
    wanted = oracle.total(arch, dims)
    over_integers = ledger(model)
    counted = count(model)
    at = {symbol(name): sp.Integer(value) for name, value in numbers(model).values.items()}
    assert over_integers.total() == wanted
    assert counted.plain().xreplace(at) == wanted
    assert {path: share.xreplace(at) for path, share in counted.shares.items()} == {
        m.path: m.size() for m in over_integers.stored()}


@quick
@given(decoders())
def test_names_shapes_and_copies_agree(case: tuple[Arch, Dims]) -> None:
    arch, dims = case
    assert rows(engine(arch, dims)) == oracle.tensors(arch, dims)


@quick
@given(decoders(primes=True))
def test_they_agree_on_distinct_primes_too(case: tuple[Arch, Dims]) -> None:
    arch, dims = case
    assert rows(engine(arch, dims)) == oracle.tensors(arch, dims)


@settings(quick, max_examples=25)
@given(decoders())
def test_tags_at_one_give_the_count_and_each_tag_its_share(case: tuple[Arch, Dims]) -> None:
    counted = count(engine(*case))
    ones = {tag(path): sp.Integer(1) for path in counted.shares}
    assert sp.expand(counted.tagged.xreplace(ones) - counted.plain()) == 0
    for path, share in counted.shares.items():
        assert sp.expand(counted.tagged).coeff(tag(path)) == sp.expand(share)


@settings(quick, max_examples=25)
@given(decoders())
def test_trees_hold_the_same_number(case: tuple[Arch, Dims]) -> None:
    arch, dims = case
    model = engine(arch, dims)
    values = numbers(model).values
    tree = model.ledger({name: ex.Sym(name) for name in model.dims}).total()
    assert ex.evaluate(tree, values) == oracle.total(arch, dims)


@quick
@given(decoders())
def test_every_view_sums_the_same_rows(case: tuple[Arch, Dims]) -> None:
    arch, dims = case
    listed, made = oracle.tensors(arch, dims), ledger(engine(arch, dims))

    def without(*names: str) -> int:
        return total_of({k: n for k, n in listed.items() if not k[0].startswith(names)})

    table, head, positions = "model.embed_tokens", "lm_head", "model.embed_positions"
    assert counts.non_embedding(made) == {
        "without_input": without(table),
        "without_embeddings": without(table, head),
        "without_positions": without(table, head, positions)}
    assert counts.value(made, "trainable") == counts.value(made, "with_buffers") == made.total()
    assert sum(row.numel for row in parameters.breakdown(made)) == made.total()
    assert all(row.copies * row.per_copy == row.numel for row in parameters.breakdown(made))
    active = counts.active(made)
    if arch.get("ffn") != "moe":
        assert active is None
        return
    kept, of = dims["top_k"], dims["n_experts"]
    used = {k: n * kept // of if ".experts." in k[0] else n for k, n in listed.items()}
    assert active is not None
    assert active["all"] == total_of(used)
    assert active["all"] - active["without_input"] == total_of(
        {k: n for k, n in listed.items() if k[0].startswith(table)})


def described(arch: Arch, dims: Dims, taken: list[list[int]]) -> dict[str, Any]:
    """The architecture as a file would describe it: layer numbers, the last kind the rest."""
    blocks = []
    for i, (kind, own) in enumerate(zip(arch["blocks"], taken, strict=True)):
        sites = set(kind["bias"])
        blocks.append({
            "name": f"kind{i}", "layers": own if i < len(taken) - 1 else "rest",
            "attention": {"kind": kind["attention"], "qk_norm": kind["qk_norm"],
                          "bias": sorted(sites & {"qkv", "attn-out"})},
            "ffn": {"kind": kind["ffn"], "bias": "ffn" in sites},
            "norm": {"kind": kind["norm"], "per_block": kind["norms_per_block"]}})
    return {"dims": dims, "blocks": blocks, "model": {
        "tied": arch["tied"], "positions": arch["positions"],
        "final_norm": arch["norm"] if arch["final_norm"] else False}}


@pytest.mark.thinned(3)
@quick
@given(mixed())
def test_several_kinds_of_block_agree(case: tuple[Arch, Dims, list[list[int]]]) -> None:
    arch, dims, taken = case
    model = describe_model("drawn", described(arch, dims, taken), "drawn")
    wanted = oracle.tensors(arch, dims)
    assert rows(model) == wanted
    assert ledger(model).total() == total_of(wanted)
    at = {symbol(name): value for name, value in numbers(model).values.items()}
    assert count(model).plain().xreplace(at) == total_of(wanted)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", MUTANTS)
def test_the_comparison_notices_a_wrong_answer(name: str) -> None:
    """Of models in which the mistake can be made at all."""
    mutant, noticed = MUTANTS[name], 0

    @seed(SEED)
    @settings(quick, max_examples=12, suppress_health_check=list(HealthCheck))
    @given(decoders().filter(lambda case: mutant(oracle.tensors(*case)) is not None))
    def run(case: tuple[Arch, Dims]) -> None:
        nonlocal noticed
        assert rows(engine(*case)) != mutant(oracle.tensors(*case))
        noticed += 1

    run()
    assert noticed >= 12
