"""Numbers for dims: what is given, what follows and by which rule, what is missing or wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam.constraints import AtMost, Differs, Divides, Equation, Standing, Sums
from symparam.descriptions.decoder import plain_decoder
from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options, bias_sites
from symparam.errors import (
    BadValue,
    ConstraintViolated,
    Contradiction,
    MissingDims,
    SymparamError,
    UnknownName,
)
from symparam.grammar import parse_expression, parse_rule
from symparam.model import Model
from symparam.resolve import (
    MAX_DIM,
    Resolution,
    Rules,
    numbers,
    resolve,
    whole_number,
    with_overrides,
)
from tests.helpers import ledger, message, together
from tests.strategies import Arch, Dims, decoders, engine, quick

BASE = {"V": 101, "L": 12, "d_model": 64, "n_heads": 4}


def plain(**given: int | str) -> Model:
    """The plain decoder with dims, rules as text."""
    values = {**BASE, **given}
    return with_overrides(plain_decoder(), {
        name: parse_rule(v) if isinstance(v, str) else v for name, v in values.items()})


def values(**given: int | str) -> dict[str, int]:
    """All numbers of the plain decoder under some."""
    return numbers(plain(**given)).values


def refusal(error: type[SymparamError], model: Model) -> Any:
    """The error that asking for all numbers raises, its text one line."""
    with pytest.raises(error) as caught:
        numbers(model)
    message(caught.value)
    return caught.value


def test_defaults_follow_and_are_named_with_their_rules() -> None:
    found = numbers(plain())
    assert found.values == {**BASE, "n_kv": 4, "d_head": 16, "d_ff": 256}
    assert found.given == set(BASE)
    assert {name: str(eq) for name, eq in found.rules.items()} == {
        "n_kv": "n_kv = n_heads", "d_head": "d_head = d_model/n_heads", "d_ff": "d_ff = 4*d_model"}
    assert all(eq.reason for eq in found.rules.values())
    assert not found.missing


def test_a_number_given_is_never_replaced() -> None:
    assert values(d_ff=100)["d_ff"] == 100
    assert values(d_head=10)["d_head"] == 10


def test_heads_follow_from_their_width() -> None:
    model = with_overrides(plain_decoder(), {"V": 9, "L": 2, "d_model": 64, "d_head": 8})
    found = numbers(model)
    assert found.values["n_heads"] == found.values["n_kv"] == 8
    assert found.rules["n_heads"].standing is Standing.INVERSE


@together(("rule", "d_ff"), [
    ("4*d_model", 256), ("8/3*d_model, up to 64", 192), ("2*d_head", 32), ("n_kv*d_head", 64),
    ("d_model + L", 76), ("d_model*d_model", 4096), ("d_model**2/8", 512), ("3 * L", 36)])
def test_a_rule_given_is_what_counts(rule: str, d_ff: int) -> None:
    """Also where its inputs follow by rules themselves: the default must not come first."""
    assert values(d_ff=rule)["d_ff"] == d_ff


def test_a_rule_given_for_a_named_model_may_use_what_follows() -> None:
    model = build("gpt2", Options(), {"d_ff": parse_rule("2*d_head")})
    assert numbers(model).values["d_ff"] == 128


@pytest.mark.parametrize(("rule", "missing"), [("2*n_ctx", "n_ctx"), ("2*n_types", "n_types")])
def test_a_rule_that_needs_a_dim_nobody_gave_says_so(rule: str, missing: str) -> None:
    error = refusal(MissingDims, plain(d_ff=rule))
    assert missing in str(error)


@together(("given", "words"), [
    ({"d_ff": "d_model", "d_model": "d_ff"}, "d_model = d_ff; d_ff = d_model"),
    ({"d_model": "d_ff"}, "d_model = d_ff; d_ff = 4*d_model"),
    ({"d_model": "d_ff", "d_ff": "2*d_head"},
     "d_model = d_ff; d_head = d_model/n_heads; d_ff = 2*d_head")])
def test_rules_in_a_circle_are_named_without_those_that_wait_for_them(
        given: dict[str, str], words: str) -> None:
    assert str(refusal(BadValue, plain(**given))) == (
        f"{words}: the rules go round in a circle: give one of them as a number")


@pytest.mark.parametrize("given", [{"d_ff": "d_ff + 1"}, {"d_ff": "2*d_head", "d_head": "d_ff/2"}])
def test_a_rule_in_a_circle_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(SymparamError, match=r"refers to itself|round in a circle"):
        numbers(plain(**given))


@together("rule", [
    "8/3*d_model", "d_model/7", "d_model**(1/2)*11/10", "d_model**-1*100", "(d_model+1)**(1/2)"])
def test_a_rule_that_does_not_come_out_whole_is_refused(rule: str) -> None:
    assert "whole number" in str(refusal(BadValue, plain(d_ff=rule)))


def test_the_refusal_of_a_fraction_tells_what_to_give() -> None:
    error = refusal(BadValue, plain(d_ff="8/3*d_model"))
    assert "d_model = 64" in str(error)
    assert "d_ff=170" in str(error)
    assert "up to 256" in str(error)


@together("rule", [
    "d_model/(L - 12)", "d_model**(L - L)/0.0001/(L-L)", "(0 - d_model)**(1/2)",
    "(1e12*d_model)**(63/2)", "((d_model**64)**64)**2", "d_model - 100", "d_model - 64",
    "1e9*d_model*d_model"])
def test_a_rule_without_a_sensible_value_is_refused_in_one_line(rule: str) -> None:
    try:
        model = plain(d_ff=rule)
    except SymparamError as error:
        message(error)
    else:
        refusal(SymparamError, model)


@together("value", [0, -1, -(10**50), MAX_DIM + 1, 10**50, 10**5000, True, False],
                         ids=lambda value: hex(value)[:20])
def test_a_number_no_dim_can_have_is_refused_in_one_line(value: int) -> None:
    with pytest.raises(BadValue) as caught:
        with_overrides(plain_decoder(), {"L": value})
    assert message(caught.value).startswith("L = ")
    with pytest.raises(BadValue):
        whole_number("L", value)


@together("rule", ["0", "5/2", "-3", "1e13", "2**64", "1/3", "3 - 3", "0, up to 4"])
def test_a_rule_without_symbols_is_held_to_the_same(rule: str) -> None:
    with pytest.raises(BadValue) as caught:
        plain(L=rule)
    assert "L = " in message(caught.value)


def test_the_largest_dim_is_allowed() -> None:
    assert whole_number("V", MAX_DIM) == MAX_DIM


def test_what_is_missing_is_named_with_an_example() -> None:
    error = refusal(MissingDims, with_overrides(plain_decoder(), {"L": 2, "d_model": 64}))
    assert error.names == ("V", "n_heads")  # the others follow from these
    assert "add V=... n_heads=..." in str(error)
    partly = resolve(with_overrides(plain_decoder(), {"L": 2, "d_model": 64}))
    assert partly.missing == ("V", "n_heads", "n_kv", "d_head")
    assert partly.values["d_ff"] == 256


def test_a_ledger_without_numbers_names_what_is_missing() -> None:
    with pytest.raises(MissingDims) as caught:
        plain_decoder().ledger({"V": 1})
    assert "needs a number for d_model, L" in message(caught.value)


@pytest.mark.parametrize(("attention", "given", "remedy"), [
    ("mha", {"n_heads": 32, "n_kv": 8}, "grouped queries"),
    ("mqa", {"n_heads": 32, "n_kv": 8}, "grouped queries")])
def test_a_number_against_a_definition_is_a_contradiction(
        attention: str, given: dict[str, int], remedy: str) -> None:
    model = build(None, Options(attention=attention), {**BASE, "d_model": 4096, **given})
    error = refusal(Contradiction, model)
    assert "n_kv = 8" in error.first
    assert remedy in error.remedy


def test_a_number_of_key_value_heads_alone_means_grouped_queries() -> None:
    model = build(None, Options(), {**BASE, "n_kv": 2})
    assert numbers(model).values["n_kv"] == 2


@pytest.mark.parametrize(("given", "relation", "words"), [
    ({"n_kv": 3, "n_heads": 32, "d_model": 4096}, "n_kv divides n_heads", "2 or 4"),
    ({"n_kv": 8, "n_heads": 4}, "n_kv divides n_heads", "would do"),
    ({"n_kv": 2, "d_head": 5}, "2 divides d_head", "4 or 6 would do"),
    ({"n_kv": 2, "d_head": 1}, "2 divides d_head", "2 would do"),
])
def test_a_check_names_its_reason_and_what_would_do(
        given: dict[str, int], relation: str, words: str) -> None:
    error = refusal(ConstraintViolated, build(None, Options(), {**BASE, **given}))
    assert error.relation == relation
    assert error.reason in str(error)
    assert words in error.remedy
    assert all(error.values[name] == value for name, value in given.items() if name in error.values)


def test_odd_heads_are_fine_without_rotation() -> None:
    model = build(None, Options(positions="none"), {**BASE, "d_head": 5})
    assert numbers(model).values["d_head"] == 5


@pytest.mark.parametrize("given", [{"d_model": 100}, {"n_heads": 10}])
def test_heads_that_do_not_divide_the_width_say_what_to_give(given: dict[str, int]) -> None:
    error = refusal(BadValue, build("gpt2", Options(), {"d_model": 768, "n_heads": 7, **given}))
    assert error.name == "d_head"
    assert "d_head=..." in str(error)


@quick
@given(st.integers(1, 200), st.integers(1, 200))
def test_every_divisor_offered_does_divide(divisor: int, dividend: int) -> None:
    check = Divides("n_kv", "n_heads", "why")
    try:
        check.check({"n_kv": divisor, "n_heads": dividend})
    except ConstraintViolated as error:
        assert dividend % divisor
        offered = [int(w) for w in error.remedy.partition("n_kv = ")[2].split() if w.isdigit()]
        assert offered
        assert all(dividend % each == 0 for each in offered)
    else:
        assert dividend % divisor == 0


@quick
@given(st.integers(1, 99), st.integers(2, 9))
def test_every_multiple_offered_is_one(value: int, by: int) -> None:
    try:
        Divides(by, "d_head", "why").check({"d_head": value})
    except ConstraintViolated as error:
        offered = [int(w) for w in error.remedy.split() if w.isdigit()]
        assert len(offered) == 2
        assert all(each > 0 and each % by == 0 for each in offered)
    else:
        assert value % by == 0


def test_checks_wait_for_their_numbers() -> None:
    for check in (Divides("n_kv", "n_heads", "w"), Sums(("a", "b"), "L", "w"),
                  Differs("d_embed", "d_model", "w"), AtMost("top_k", "n_experts", "w")):
        check.check({})
        check.check({"n_heads": 7, "a": 3, "d_embed": 4, "top_k": 9})
    with pytest.raises(ConstraintViolated, match="add up to 5"):
        Sums(("a", "b"), "L", "w").check({"a": 2, "b": 3, "L": 6})
    Sums(("a", "b"), "L", "w").check({"a": 2, "b": 3, "L": 5})
    AtMost("top_k", "n_experts", "w").check({"top_k": 8, "n_experts": 8})
    with pytest.raises(ConstraintViolated, match="top_k up to 8 would do"):
        AtMost("top_k", "n_experts", "w").check({"top_k": 9, "n_experts": 8})


def test_relations_keep_their_meaning_under_other_names() -> None:
    names = {"d_ff": "d_dense", "n_kv": "n_kv2", "L": "depth", "d_model": "d_embed"}
    eq = Equation("d_ff", parse_expression("4*d_model"), "why").renamed(names)
    assert (eq.dim, eq.inputs, str(eq)) == ("d_dense", ("d_embed",), "d_dense = 4*d_embed")
    assert str(Divides("n_kv", "n_heads", "w").renamed(names)) == "n_kv2 divides n_heads"
    assert str(Divides(2, "d_model", "w").renamed(names)) == "2 divides d_embed"
    assert str(Sums(("a", "L"), "L", "w").renamed(names)) == "a + depth = depth"
    assert str(Differs("d_model", "d_ff", "w").renamed(names)) == "d_embed differs from d_dense"
    assert str(AtMost("L", "d_ff", "w").renamed(names)) == "depth is at most d_dense"


def test_an_equation_holds_exactly_or_is_not_known_to() -> None:
    eq = Equation("d_ff", parse_expression("8/3*d_model"), "why")
    assert eq.holds({"d_ff": 8, "d_model": 3}) is True
    assert eq.holds({"d_ff": 11008, "d_model": 4096}) is False
    assert eq.holds({"d_ff": 11008}) is None
    assert eq.holds({"d_model": 4096}) is None


def test_an_exchanged_attention_gives_way_to_its_definition() -> None:
    assert numbers(build("llama-2-70b", Options(attention="mha"), {})).values["n_kv"] == 64
    assert numbers(build("llama-2-70b", Options(attention="mqa"), {})).values["n_kv"] == 1
    assert numbers(build("llama-2-70b", Options(attention="gqa"), {})).values["n_kv"] == 8


@together(("options", "error", "words"), [
    (Options(attention="mla2"), UnknownName, "attention kind"),
    (Options(ffn="swigl"), UnknownName, "swiglu"),
    (Options(norm="rms"), UnknownName, "rmsnorm"),
    (Options(positions="ropes"), UnknownName, "rope"),
    (Options(norms_per_block=3), BadValue, "1, 2 or 4"),
    (Options(tied=True), BadValue, "no head"),
    (Options(bias=frozenset({"head"})), BadValue, "no such site"),
])
def test_an_option_the_model_cannot_take_is_refused(
        options: Options, error: type[SymparamError], words: str) -> None:
    with pytest.raises(error) as caught:
        build("bert-base", options, {})
    assert words in message(caught.value)


@together(("text", "sites"), [
    ("all", {"qkv", "attn-out", "ffn"}), ("none", set()), ("head, all",
     {"qkv", "attn-out", "ffn", "head"}), ("qkv", {"qkv"}), ("qkv,qkv", {"qkv"})])
def test_bias_sites(text: str, sites: set[str]) -> None:
    assert bias_sites(text) == sites


@pytest.mark.parametrize("text", ["qvk", "QKV", "qkv;ffn", "a\nb"])
def test_a_bias_site_there_is_not(text: str) -> None:
    with pytest.raises(BadValue) as caught:
        bias_sites(text)
    assert "the sites are qkv, attn-out, ffn, head" in message(caught.value)


@pytest.mark.parametrize(("keep", "task"), [(True, None), (False, "base")])
def test_what_needs_a_model_says_so(keep: bool, task: str | None) -> None:
    with pytest.raises(BadValue, match="needs a MODEL"):
        build(None, Options(), BASE, task, keep)


@pytest.mark.parametrize("given", [{}, {"L": 3}, {"d_model": 800}])
def test_ratios_that_cannot_be_kept_say_why(given: dict[str, int]) -> None:
    with pytest.raises(BadValue) as caught:
        build("gpt2", Options(), given, keep_ratios=True)
    assert "d_model" in message(caught.value)


def test_an_override_leaves_the_named_model_as_it_was() -> None:
    model = load("gpt2")
    before = ledger(model).total()
    with_overrides(model, {"L": 99})
    assert ledger(model).total() == before == ledger(load("gpt2")).total()


def outcome(made: Callable[..., Resolution]) -> Resolution | str:
    """What numbers come to, or how they are refused."""
    try:
        return made()
    except SymparamError as error:
        return message(error)


@quick
@given(decoders(), st.sampled_from(sorted(BASE)), st.integers(1, 300))
def test_rules_that_are_made_once_say_of_every_number_what_is_said_of_it_alone(
        case: tuple[Arch, Dims], name: str, number: int) -> None:
    model = with_overrides(engine(*case), {name: 1})
    for values in (model.values, {name: 1}):
        few = replace(model, values=values)
        alone = with_overrides(few, {name: number})
        assert outcome(lambda m=few, to=number: Rules(m).resolve({**m.values, name: to})) == (
            outcome(lambda m=alone: resolve(m)))


@pytest.mark.parametrize("number", ["5120", "max(5120, d_head)", "d_head*40"])
@pytest.mark.parametrize("less", ["", " - d_head/128"])
def test_a_rule_that_is_given_is_held_to_a_definition_as_a_number_is(number: str,
                                                                     less: str) -> None:
    """Whether what the rule is made of is known before or after the definition's dims."""
    model = load("qwen2.5-vl-7b")
    changed = with_overrides(model, {"d_merged_vision": parse_rule(number + less)})
    if less:
        with pytest.raises(Contradiction, match="d_merged_vision = 5119 contradicts"):
            numbers(changed)
    else:
        assert numbers(changed).values == numbers(model).values
