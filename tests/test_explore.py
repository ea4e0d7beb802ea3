"""A model as data: it has all that is needed to count it with other numbers."""

from __future__ import annotations

import base64
import contextlib
import copy
import gzip
import hashlib
import json
import random
import re
import shlex
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symparam import SymparamError, decoder, load
from symparam.cli.main import run
from symparam.constraints import Check, Divides
from symparam.descriptions import catalogue
from symparam.descriptions.config import read_config
from symparam.descriptions.convert import matrices
from symparam.errors import BadValue, MissingDims, NotDerivable
from symparam.explore.counting import counting
from symparam.explore.keys import placed
from symparam.explore.page import PACKED, _style, embedded
from symparam.explore.relations import relations
from symparam.explore.tables import _slider
from symparam.expression import evaluate
from symparam.grammar import parse_equation, parse_expression, parse_rule
from symparam.quantities import everything
from symparam.templating.render import template_folder
from symparam.traced.checks import Fixed, Proportional
from tests.browser.packed import made_of, scripts
from tests.helpers import message, published, together
from tests.strategies import SEED
from tests.test_json import OPTIONAL, schema, spoiled, trimmed, valid

#: One of each kind: multi-head, grouped, tied, a window in some layers and in all, latent, hybrid,
#: recurrent, an encoder, an encoder and a decoder, experts.
KINDS = ("llama-2-7b", "llama-2-70b", "gpt2", "gemma-3-27b", "mistral-7b", "deepseek-v3",
         "jamba-v0.1", "mamba-130m", "bert-base", "t5-base", "mixtral-8x7b", "qwen3-next-80b-a3b")


@cache
def data_of(name: str) -> dict[str, Any]:
    """A model as data, as another program reads it."""
    return dict(json.loads(json.dumps(load(name).explore().json())))


def at(data: dict[str, Any], text: str, values: dict[str, int]) -> Any:
    """An expression of the data at numbers."""
    return evaluate(parse_expression(text, data["dims"]), values)


def counted(data: dict[str, Any], quantity: dict[str, Any], values: dict[str, int]) -> Fraction:
    """A quantity from its shares alone."""
    total = Fraction(0)
    for share in quantity["shares"]:
        value = Fraction(1)
        for factor in share["factors"]:
            value *= at(data, factor, values)
        total += value
    return total


def numbers_of(data: dict[str, Any]) -> dict[str, int]:
    """The numbers that stand beside the dims."""
    return {name: dim["value"] for name, dim in data["dims"].items()}


# --- what the data says ---------------------------------------------------------------------

@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", KINDS)
def test_shares_and_lines_are_the_numbers(name: str) -> None:
    data = data_of(name)
    valid("explore", data)
    values = numbers_of(data)
    for quantity in data["quantities"]:
        assert counted(data, quantity, values) == Fraction(quantity["value"]), quantity["name"]
        assert Fraction(quantity["value"]) == load(name).quantity(quantity["name"])
    for line in data["lines"]:
        if all(at(data, str(left), values) == at(data, str(right), values)
               for left, right in (parse_equation(text, data["dims"]) for text in line["under"])):
            total = sum(at(data, term["expression"], values) for term in line["terms"])
            assert total == data["quantities"][0]["value"], line
    assert data["lines"][0]["under"] == []


@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", KINDS)
def test_shares_are_the_numbers_elsewhere(name: str) -> None:
    """At other numbers for what is given, those that follow worked out by symparam alone."""
    data, drawn, model = data_of(name), random.Random(f"{SEED} {name}"), load(name)
    tried = 0
    while tried < 3:
        changed = {dim: drawn.choice((2, 3)) * data["dims"][dim]["value"]
                   for dim in drawn.sample(sorted(data["dims"]), 2)
                   if data["dims"][dim]["value"]}
        try:
            again = numbers_of(json.loads(json.dumps(model.explore(**changed).json())))
            wanted = [model.quantity(q["name"], **changed) for q in data["quantities"]]
        except SymparamError:
            continue
        assert [counted(data, q, again) for q in data["quantities"]] == wanted, changed
        tried += 1


def test_a_share_that_is_wrong_is_noticed() -> None:
    data = copy.deepcopy(data_of("mistral-7b"))
    share = data["quantities"][2]["shares"][0]
    assert share["factors"][-1] == "min(s, window)"
    share["factors"][-1] = "s"
    values = numbers_of(data) | {"s": 100_000}
    assert counted(data, data["quantities"][2], values) != load("mistral-7b").quantity(
        "kv_cache", s=100_000)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", ["gemma-3-27b", "deepseek-v3"])
def test_every_quantity_can_be_asked_for(name: str) -> None:
    model, wanted, told = load(name), dict[str, Fraction](), {"D": 10**9, "t": 4}
    for quantity in everything():
        with contextlib.suppress(BadValue, NotDerivable):
            wanted[quantity] = Fraction(model.quantity(quantity, **told))
    wanted.pop("image_tokens", None)  # a picture is brought to size by procedures: no page has it
    for quantity in set(everything()) - set(wanted):
        with pytest.raises((BadValue, NotDerivable)):
            model.explore(quantity, **told)
    assert len(wanted) > 30
    data = json.loads(json.dumps(model.explore(*wanted, **told).json()))
    for found in data["quantities"]:
        assert Fraction(found["value"]) == wanted[found["name"]], found["name"]
        assert counted(data, found, numbers_of(data)) == wanted[found["name"]], found["name"]
    assert {found["name"] for found in data["quantities"]} >= set(wanted)


@pytest.mark.thinned(4)
def test_equations_give_the_numbers_that_follow() -> None:
    for name in KINDS:
        data = data_of(name)
        values = numbers_of(data)
        for equation in (each for each in data["equations"] if each["used"]):
            rule = parse_rule(equation["expression"], data["dims"])
            value = evaluate(rule.expr, values)
            assert values[equation["dim"]] == (rule.rounding.apply(value) if rule.rounding
                                               else value)
            assert not data["dims"][equation["dim"]]["given"]


#: A check, numbers that meet it, and numbers that break it.
CHECKS: tuple[tuple[Check, dict[str, int], dict[str, int]], ...] = (
    (Divides("n_kv", "n_heads", ""), {"n_kv": 4, "n_heads": 8}, {"n_kv": 3, "n_heads": 8}),
    (Fixed("L", 2, ""), {"L": 2}, {"L": 3}),
    (Proportional("d_ff", "d_model", Fraction(8, 3), ""), {"d_ff": 8, "d_model": 3},
     {"d_ff": 9, "d_model": 3}))


@together(("check", "good", "bad"), CHECKS)
def test_relations_say_what_a_check_says(check: Check, good: dict[str, int],
                                         bad: dict[str, int]) -> None:
    for numbers, held in ((good, True), (bad, False)):
        assert (check.broken(numbers) is None) == held
        assert all(related(*(str(part) for part in each), numbers)
                   for each in relations(check)) == held


def related(left: str, sign: str, right: str, values: dict[str, int]) -> bool:
    """Whether a relation of the data holds at numbers."""
    a, b = (evaluate(parse_expression(text, values), values) for text in (left, right))
    return {"divides": lambda: b % a == 0, "=": lambda: a == b, "!=": lambda: a != b,
            "<": lambda: a < b, "<=": lambda: a <= b}[sign]()


@pytest.mark.thinned(12)
@pytest.mark.parametrize("name", published())
def test_every_published_model_is_explored(name: str) -> None:
    """All its checks are relations, and its own numbers meet them."""
    data = data_of(name)
    values = numbers_of(data)
    for check in data["checks"]:
        if set(check["dims"]) <= set(values):
            assert all(related(**each, values=values) for each in check["relations"]), check["text"]
    assert {eq["dim"] for eq in data["equations"] if eq["used"]} <= set(values)
    assert set(data["needs"]["weights"]) <= set(values)
    assert data["config"] is not None or not any(dim["key"] for dim in data["dims"].values())


def test_the_schema_refuses_what_is_wrong() -> None:
    data = trimmed(data_of("gpt2"))
    data["dims"] = dict([*data["dims"].items()][:1])
    valid("explore", data)
    passed = [what for what, wrong in spoiled(data) if schema("explore").is_valid(wrong)]
    free = ("'config'", "'dims', '", "('dims',)", "'given')", "'defaults', 0", "'value') as text")
    assert [what for what in passed if not OPTIONAL.search(what)
            and not any(word in what for word in free)] == []


# --- keys of its configuration --------------------------------------------------------------

def test_a_key_holds_the_dim_whatever_it_is_called() -> None:
    keys = {name: dim["key"] for name, dim in data_of("gpt2")["dims"].items()}
    assert keys["d_model"] == "n_embd"
    assert keys["n_kv"] is keys["s"] is None  # there is no key for the one, and none is wanted
    inner = data_of("gemma-3-27b")["dims"]
    assert inner["window"]["key"] == "text_config.sliding_window"


@pytest.mark.parametrize("name", KINDS)
def test_a_configuration_with_another_number_is_the_model_with_it(name: str) -> None:
    data = data_of(name)
    found = data["config"]
    for dim in data["dims"].values():
        if dim["key"]:
            found = placed(found, dim["key"], dim["value"])
    if found is None:
        return
    assert matrices(read_config("a file", found, name)) == matrices(load(name))
    deeper = placed(found, data["dims"]["V"]["key"], 1000)
    assert read_config("a file", deeper, name).values["V"] == 1000


# --- on the command line --------------------------------------------------------------------

def printed(capsys: pytest.CaptureFixture[str], line: str) -> Any:
    assert run([*shlex.split(line), "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_words_of_a_command_count_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ("gpt2 L=24", "gpt2 --ffn swiglu --untied --bias attn-out,ffn d_ff=4*d_model",
                  "--ffn swiglu V=32000 L=4 d_model=48 n_heads=4", "llama-2-7b s=128 n_kv=8"):
        data = printed(capsys, f"explore {words}")
        asked = data["command"]
        given = " ".join(shlex.quote(f"{name}={value}") for name, value in asked["given"].items())
        again = printed(capsys, f"count {asked['words']} {given}")
        assert again["total"] == data["quantities"][0]["value"], words


def test_python_knows_the_words_of_what_is_published_alone() -> None:
    assert load("gpt2", L=24).explore().json()["command"] == {"words": "gpt2",
                                                              "given": {"L": "24"}}
    assert load("gpt2", tied=False).explore().json()["command"] is None


def test_a_model_without_numbers_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MissingDims):
        decoder().explore()
    assert run(["explore", "--ffn", "swiglu"]) == 2
    assert "L" in capsys.readouterr().err
    with pytest.raises(BadValue) as caught:
        load("t5-base").explore("flops_per_token")
    assert "encoder" in message(caught.value)


# --- the page -------------------------------------------------------------------------------

def test_the_page_lets_its_own_script_run_and_nothing_else() -> None:
    page = load("llama-2-7b").explore().html()
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}'" in policy
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert "url(" not in page
    assert page.count("<script") == 2


def test_what_a_name_holds_is_text_in_a_page() -> None:
    text = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    page = replace(load("gpt2"), name=text, source=text).explore().html()
    assert page.count("<script") == 2
    assert "<img" not in page


def test_a_page_holds_no_character_that_is_not_seen() -> None:
    hidden = [chr(0), chr(7), chr(27), chr(0x9b), chr(0x202e), chr(0x2028), chr(0x2066)]
    name = f"a{''.join(hidden)}b"
    page = replace(load("gpt2"), name=name, source=name).explore().html()
    assert not [each for each in hidden if each in page]
    assert f"<h1>a{' ' * len(hidden)}b</h1>" in page
    assert embedded({"a": name}) == json.dumps({"a": name}, separators=(",", ":"))


def test_the_script_is_small_and_of_small_files() -> None:
    sizes = {path.name: len(path.read_bytes()) for path in scripts()}
    assert len(sizes) >= 8
    assert sum(sizes.values()) <= 24_000
    assert max(sizes.values()) <= 6_000


def test_the_packed_script_was_made_of_its_files() -> None:
    """Else: ``python -m tests.browser.packed``."""
    first, _, code = PACKED.read_text(encoding="utf-8").partition("\n")
    assert first == made_of()
    assert "</script" not in code


#: More kinds of blocks than any model of text has.
MANY_KINDS = 12
#: The largest pages: most kinds of layer, towers, formulas of hybrids.
LARGE = ("deepseek-v4-pro", "gemma-3-4b", pytest.param("gemma-3n-e4b", marks=pytest.mark.slow),
         "gemma-4-e2b", "granite-4.0-h-small", "qwen3.5-122b-a10b")


@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", LARGE)
def test_the_largest_pages_are_small(name: str) -> None:
    small(name)


@pytest.mark.thinned(200)
@pytest.mark.parametrize("name", catalogue.names())
def test_pages_are_small(name: str) -> None:
    small(name)


def small(name: str) -> None:
    """Of what has blocks that are alike; of any other: experts, kinds of layer, several stacks;
    of a tower of convolutions, which has more kinds of blocks than any model of text."""
    view = load(name).explore()
    content = view.html().encode()
    kinds = sum(1 for stack in view.explored.model.stacks if stack.repeat)
    mixed = kinds > 1 or any(answer.quantity.name == "active" for answer in view.explored.answers)
    many = kinds > MANY_KINDS
    assert len(content) <= (175_000 if many else 100_000 if mixed else 60_000), name
    assert len(gzip.compress(content)) <= (27_000 if many else 20_000), name


def test_a_slider_reaches_what_its_dim_divides() -> None:
    """Key-value heads as far as the query heads, of which the published model has eight times
    as many; a dim that divides no other twice as far as it is."""
    page = load("llama-2-70b").explore().html()
    found = {name: int(end) for end, name in re.findall(
        r'type="range" min="\d+" max="(\d+)".*? aria-label="(\w+)"', page)}
    assert (found["n_kv"], found["L"]) == (64, 160)


def test_matrices_that_are_not_named_are_counted() -> None:
    data = data_of("llama-2-7b")
    names = next(term["matrices"] for line in data["lines"] for term in line["terms"]
                 if len(term["matrices"]) == 8)
    named = ", ".join([*names[:6], "… and 2 more"])
    assert named in [matrices for _, matrices in counting(data)["terms"]]


def test_the_page_is_what_html_is(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert run(["explore", "gpt2", "-q", "-o", str(target)]) == 0
    assert target.read_text(encoding="utf-8") == load("gpt2").explore().html()
    assert 'data-dim="d_model"' in target.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["gpt2", "llama-2-70b", "deepseek-v3"])
def test_a_slider_goes_in_steps_through_what_the_dim_is(name: str) -> None:
    for dim in data_of(name)["dims"].values():
        found = _slider(dim, reach=7)
        if dim["scale"] == "doubling":
            assert (found["low"], found["step"]) == (0, 1)
            assert 2**found["high"] >= max(4 * dim["value"], 2**20) > 0
            continue
        assert 0 < found["low"] <= found["step"] == dim["step"]
        assert (dim["value"] - found["low"]) % found["step"] == 0
        assert found["high"] >= max(2 * dim["value"], 8 * dim["step"], 7)
        assert found["position"] == dim["value"]


def test_a_page_has_the_rules_of_what_its_derivation_has_and_no_others() -> None:
    pieces = (template_folder() / "pieces.css").read_text("utf-8")
    named = re.findall(r"\.symparam \.(\w+) {", pieces)
    assert len(set(named)) > 3
    for name in named:
        style = _style(f'<div class="x {name} y">')
        assert {other for other in named if f".symparam .{other}{{" in style} == {name}
