"""Every quantity under one name in every verb, and one number wherever it is asked for."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symparam.api import Model, compare, load
from symparam.claims.names import Names
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.documents.derivations.data import derivation_json
from symparam.errors import NotDerivable, SymparamError, UnknownName
from symparam.plot.data import picture
from symparam.polynomial import Polynomial
from symparam.quantities import ALIASES, everything
from symparam.quantities.counts import COUNTS, has_experts
from symparam.resolve import numbers
from symparam.run import RUN
from symparam.sensitivity import analyse
from symparam.solve.requests.goals import Goal
from symparam.solve.requests.targets import amount, setting_for
from tests.helpers import together

#: Dense, grouped, a mixture, latent attention, windows, a recurrence, encoders, shared layers.
MODELS = ("gpt2", "llama-2-70b", "mixtral-8x7b", "deepseek-v3", "gemma-3-1b", "falcon-mamba-7b",
          "bert-base", "t5-base", "albert-base", "mistral-7b")
#: Of these, and of the quantities, those of everyday.
EVERYDAY = {
    "gpt2": ("P", "active", "trainable", "without_positions", "memory", "kv_cache",
             "training_memory_zero_1", "optimal_compute"),
    "deepseek-v3": ("active", "memory", "train_palm")}
#: What a formula may be refused with where there is a number: the sum is 0, it is no polynomial, or
#: it has more terms than anybody reads.
NO_FORMULA = r"is 0: it has nothing of the kind|no polynomial|too long to multiply out"

CASES = [pytest.param(model, name, id=f"{model} {name}", marks=() if (
    name in EVERYDAY.get(model, ())) else pytest.mark.slow)
    for model in MODELS for name in everything()]


def asked(model: Model, name: str) -> int | Fraction | SymparamError:
    """A quantity, or why there is none."""
    try:
        return model.quantity(name)
    except SymparamError as error:
        return error


def derived(model: Model, name: str) -> Any:
    return model.derive(name).value


def swept(model: Model, name: str) -> Any:
    dim = next(iter(model.values))
    return model.sweep(name, **{dim: [model.values[dim]]}).arrays()[name].item()


def claimed(model: Model, name: str) -> Any:
    return Names(model).number(name)


def depended(model: Model, name: str) -> Any:
    return model.sensitivity(name).total.value


def differed(model: Model, name: str) -> Any:
    found = model.diff(model, name).difference
    assert found.empty
    return found.totals[1] if found.totals else None


def targeted(model: Model, name: str) -> Any:
    length = model.values.get("n_ctx", 4096)
    run = {"s": length, "s_encoder": model.values.get("n_ctx_encoder", length)}
    return amount(model, Goal(name, Polynomial({}), 1), setting_for(model, None, run)[0])


@pytest.mark.thinned(12)
@pytest.mark.parametrize(("model", "name"), CASES)
def test_a_quantity_is_one_number_in_every_verb(model: str, name: str) -> None:
    """Where one verb refuses it, all do, with one line; a formula is refused where there is none.

    That the numbers are right is for other tests: each is held against its own oracle there.
    """
    read = load(model)
    value = asked(read, name)
    for verb in (derived, swept, claimed, depended, targeted, differed):
        if isinstance(value, SymparamError):
            with pytest.raises(SymparamError) as refused:
                verb(read, name)
            assert "\n" not in str(refused.value)
            continue
        try:
            assert verb(read, name) == value, verb.__name__
        except NotDerivable as error:
            if verb not in (derived, depended, differed) or not re.search(NO_FORMULA, str(error)):
                raise


#: Experts of which nobody says how many a token uses, tensors of which nobody says whether they are
#: experts, and a configuration without that number.
UNSENT = {
    "banks.json": {"dims": {"V": 1000, "d": 64, "L": 4, "E": 8}, "tensors": [
        {"pattern": "embed.weight", "shape": ["V", "d"]},
        {"pattern": "layers.*.experts.*.w", "shape": ["d", "4*d"], "copies": ["L", "E"]}]},
    "rows.json": {"dims": {"V": 1000, "d": 64, "L": 4}, "tensors": [
        {"pattern": "embed.weight", "shape": ["V", "d"], "role": "token"},
        {"pattern": "layers.*.w", "shape": ["d", "4*d"], "copies": ["L"]}]},
    "config.json": {
        "model_type": "deepseek_v2", "vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 2,
        "num_attention_heads": 2, "q_lora_rank": None, "kv_lora_rank": 4, "qk_nope_head_dim": 4,
        "qk_rope_head_dim": 2, "v_head_dim": 4, "intermediate_size": 32, "n_routed_experts": 4,
        "n_shared_experts": 1, "moe_intermediate_size": 8, "first_k_dense_replace": 1}}
#: What depends on how many parameters a token touches.
OF_TOKEN = ("active", "active_without_input", "train_all", "train_palm", "optimal_compute")


def columns(model: Model) -> list[Any]:
    return compare(model, columns=OF_TOKEN).json()["rows"][0]


def drawn(model: Model) -> list[Any]:
    (row,) = picture("compare", [model], columns=OF_TOKEN).rows
    return [None if cell == "–" else cell for cell in row[1:]]


@pytest.fixture
def at(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A model of the catalogue, or the path of a file of those above."""
    name: str = request.param
    if name not in UNSENT:
        return name
    (tmp_path / name).write_text(json.dumps(UNSENT[name]), encoding="utf-8")
    return str(tmp_path / name)


TOUCHED = pytest.mark.parametrize("at", ["gpt2", "mixtral-8x7b", *UNSENT], indirect=True)


def in_columns(model: Model) -> list[int | None]:
    """What a token touches where models stand side by side: of a dense one its total."""
    values = [asked(model, name) for name in OF_TOKEN]
    found = [None if isinstance(each, SymparamError) else each for each in values]
    return [model.count(), model.count("without_input"), *found[2:]] if (
        model.name == "gpt2") else found


@pytest.mark.thinned(4)
@TOUCHED
def test_what_a_token_touches_is_known_in_every_verb_or_in_none(at: str) -> None:
    read = load(at)
    for name in OF_TOKEN:
        value = asked(read, name)
        for verb in (derived, swept, claimed, depended, targeted, differed):
            if isinstance(value, SymparamError):
                with pytest.raises(SymparamError, match=re.escape(str(value))):
                    verb(read, name)
            else:
                assert verb(read, name) == value, verb.__name__
    known = in_columns(read)
    assert [each is None for each in known] == [at not in MODELS] * len(OF_TOKEN)
    assert columns(read) == drawn(read) == known


@pytest.mark.thinned(3)
@TOUCHED
def test_what_a_token_touches_is_said_to_be_unset_where_it_is(
        at: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In a count, a difference and the chain to what training costs."""
    read = load(at)
    assert run(["count", at, "--json"]) == 0
    active = json.loads(capsys.readouterr().out)["active"]
    assert (active or {}).get("all") == (in_columns(read)[0] if at != "gpt2" else None)
    beside = read.diff("mixtral-8x7b")
    assert (beside.json()["active"] or {}).get("before") == in_columns(read)[0]
    unset = "active for a token: unset: " in " ".join(beside.text().split())
    chain = read.cost(sections=["data"]).json()["data"]["pipeline"]
    assert unset is ("C" not in [link["symbol"] for link in chain]) is (at not in MODELS)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("model", "name"), CASES)
def test_a_difference_of_any_quantity_is_that_of_its_numbers(model: str, name: str) -> None:
    """Each against the next model, both run alike; parts and steps sum to it, and no line of the
    page is wider than it. Where either has no such quantity there is no difference."""
    first, second = load(model), load(MODELS[(MODELS.index(model) + 1) % len(MODELS)])
    run_alike = {"s": 64, "b": 2, "s_encoder": 32}
    values = []
    experts = [has_experts(each.ledger(numbers(each).values)) for each in (first, second)]
    for each, mixed in zip((first, second), experts, strict=True):
        if name.startswith("active") and any(experts) and not mixed:  # all of them are active
            values.append(each.count(name.removeprefix("active_").replace("active", "P")))
            continue
        try:
            values.append(each.quantity(name, **run_alike))
        except SymparamError:
            with pytest.raises(SymparamError):
                first.diff(second, name, **run_alike)
            return
    view = first.diff(second, name, **run_alike)
    assert view.difference.totals == tuple(values)
    assert view.change == values[1] - values[0]
    assert sum(part.change or 0 for part in view.parts) == view.change
    if path := view.difference.path:
        assert path.start == values[0]
        assert path.start + sum(move.adds for move in path.moves) == values[1]
    assert max(map(len, view.text().splitlines())) <= 80


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("model", "name"), CASES)
def test_a_doubling_is_what_the_quantity_is_there(model: str, name: str) -> None:
    """Twice what it is run with, and twice a width that nothing follows, as the quantity itself
    is worked out there."""
    read = load(model)
    try:
        found, here = read.sensitivity(name), read.quantity(name)
    except SymparamError:
        return
    values = found.found.values
    for twice in found.doublings:
        wrt = twice.held.wrt
        if wrt in RUN and twice.factor is not None:
            run = {run: values[run] for run in RUN if run in values} | {wrt: 2 * values[wrt]}
            assert twice.factor == Fraction(read.quantity(name, **run)) / here


def test_the_numbers_that_agree_are_told_apart_by_convention() -> None:
    """The test above can fail: no two conventions of one mixture are the same function."""
    model = load("deepseek-v3")
    found = {name: model.count(name) for name in COUNTS}
    same = {"trainable": "P", "without_positions": "without_embeddings"}
    assert len(set(found.values())) == len(found) - len(same)
    assert all(found[name] == found[other] for name, other in same.items())


def test_the_parts_of_a_count_add_up() -> None:
    for name in ("gpt2", "deepseek-v3", "t5-base"):
        found = {each: load(name).quantity(each) for each in COUNTS if "active" not in each}
        assert found["without_embeddings"] + found["embeddings"] == found["P"]
        assert found["with_buffers"] - found["buffers"] == found["P"]


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_is_the_same_quantity(alias: str) -> None:
    model = load("gpt2")
    assert model.quantity(alias) == model.count(alias) == model.count() == swept(model, "P")
    assert model.solve(targets=[f"{alias}=124M"], limit=1).target == 124 * 10**6


def test_what_is_no_number_of_parameters_cannot_be_counted() -> None:
    with pytest.raises(UnknownName, match="kv_cache"):
        load("gpt2").count("kv_cache")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "derive mixtral-8x7b --quantity active --leading L", "derive gpt2 --quantity kv_cache "
    "--exercise --answers -", "derive llama-2-7b --quantity flops --leading s",
    "sensitivity llama-2-70b --quantity memory --step n_kv=8 --step s=100",
    "plot depth llama-2-7b --quantity memory L=8,16 d_model=1024",
    "plot contours mixtral-8x7b --quantity active L=8,16,24 d_model=1024,2048,4096",
    "solve mixtral-8x7b L=? --target active=13B", "check deepseek-v3 --claim active=37.6B",
    "sweep gpt2 L=6,12 --quantity total,without_positions,memory",
    "diff llama-2-7b mistral-7b --quantity kv_cache s=8192", "diff gpt2 --quantity memory s=512",
    "diff mixtral-8x7b deepseek-v3 --quantity active", "diff gpt2 --quantity flops d_ff=1024"])
def test_an_option_that_means_something_works_for_any_quantity(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@together(("line", "words"), [
    ("sensitivity gpt2 --quantity kv_cache --share 5%", "share = 1/20"),
    ("diff gpt2 llama-2-7b --quantity active", "a model without experts"),
    ("diff gpt2 t5-base --quantity train_kaplan", "this model has no such dim"),
    ("diff gpt2 llama-2-7b --kv-dtype int8", "add --quantity"),
    ("plot parts gpt2 --quantity kv_cache", "depth and contours"),
    ("plot depth gpt2 --quantity active", "a model without experts"),
    ("derive gpt2 --quantity active", "a model without experts"),
    ("derive gpt2 --quantity buffers", "is 0"),
    ("solve gpt2 P=1e9 --target P=1e9", "leave out one of them"),
    ("sweep gpt2 L=6 --quantity P,total", "name each once")])
def test_what_means_nothing_is_refused_in_one_line(
        line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", ["active", "active_without_input", "active_without_embeddings"])
def test_beside_a_mixture_the_active_parameters_of_a_dense_model_are_all_of_them(
        name: str) -> None:
    dense, mixture = load("llama-2-7b"), load("mixtral-8x7b")
    values = dense.count(name.removeprefix("active_").replace("active", "P")), mixture.count(name)
    assert dense.diff(mixture, name).difference.totals == values
    assert mixture.diff(dense, name).difference.totals == values[::-1]
    assert "of a model without experts all" in " ".join(
        dense.diff(mixture, name).text().split())


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("line", "words"), [
    ("cost gpt2 s=5000", "s = 5000: more than the 1024 positions"),
    ("derive gpt2 --quantity kv_cache s=4096", "s = 4096: more than the 1024 positions"),
    ("sensitivity gpt2 --quantity flops s=1025", "s = 1025: more than the 1024 positions"),
    ("diff gpt2 bert-base --quantity flops s=600", "s = 600: more than the 512 positions"),
    ("cost whisper-tiny s_encoder=1501", "s_encoder = 1501: more than the 1500 positions"),
    ("solve gpt2 b=? s=2048 --target kv_cache<=1e9", "s = 2048: more than the 1024 positions")])
def test_a_sequence_longer_than_the_positions_is_remarked_on(
        line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 0
    assert words in " ".join(capsys.readouterr().out.split())
    assert run([*line.split(), "--json"]) == 0
    assert words.partition(":")[2].strip() in capsys.readouterr().out


def test_what_k_is_read_as_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("cost llama-2-7b s=32k --only cache".split()) == 0
    assert "s = 32k is read as 32000 (k is a thousand" in capsys.readouterr().err
    assert run("cost llama-2-7b s=32Ki --only cache".split()) == 0
    assert not capsys.readouterr().err


@pytest.mark.parametrize("line", [
    "cost gpt2 s=1024", "derive gpt2 --quantity weights s=4096", "cost llama-2-7b s=100000",
    "cost gpt2 s=4096 --only weights", "derive gpt2 --quantity kv_cache s=1024"])
def test_a_sequence_that_fits_or_does_not_enter_is_not(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 0
    assert "positions that" not in " ".join(capsys.readouterr().out.split())


def test_a_whole_step_of_a_quantity_is_what_the_quantity_is_there() -> None:
    model = load("llama-2-70b")
    row = analyse(model, own_steps={"n_kv": [8, 9]}, quantity="memory").row("n_kv", "all others")
    assert row is not None
    taken, refused = row.steps
    assert taken.change == model.quantity("memory", n_kv=16) - model.quantity("memory")
    assert refused.change is None
    assert "n_heads" in refused.refused
    for delta in (1, 1000):
        found = analyse(model, own_steps={"s": [delta]}, quantity="memory").row("s", "all others")
        assert found is not None
        assert found.steps[0].change == model.quantity("memory", s=4096 + delta) - model.quantity(
            "memory")


def test_a_derivation_of_active_parameters_ends_as_its_convention_is_written_out() -> None:
    whole = derive(load("mixtral-8x7b"))
    own = derive(load("mixtral-8x7b"), quantity="active")
    convention = next(c for c in whole.conventions if c.name == "active")
    assert convention.step.status == "proved"
    assert convention.step.after.plain == own.exact.plain
    assert convention.value == own.value == 12_879_925_248
    assert [m["copies"] for part in derivation_json(own)["components"]
            for m in part["matrices"] if m["path"].endswith("X_up")] == ["L*top_k"]
