"""What five documents say, replayed: the same value and the same verdict for every claim.

tests/data/claims.json has them; tests/data/README.md says how it was made.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import symparam as sp
from symparam.align import head_configurations
from symparam.api import load
from symparam.claims.claim import read_claim
from symparam.claims.context import TOLD, contexts
from symparam.cli.main import run
from symparam.solve.guide import suggest
from tests.helpers import data, together

CLAIMS: list[dict[str, Any]] = data("claims.json")
#: What the program says where the file says so. A claim of another kind is false of what it is
#: said of (and true elsewhere, where it is qualified or nominal).
SAME = {
    "exact": {"exact"}, "rounds_to": {"rounds", "truncates", "exact"}, "true_bound": {"holds"},
    "nominal_only": {"nominal"}, "wrong": {"wrong"}, "qualified": {"wrong", "rounds"},
    "inconsistent": {"wrong"}, "policy": {"wrong"}, "counterexample": {"wrong"},
    "misses_target": {"wrong"}, "omits_terms": {"wrong"}, "derived": {"exact"}}
#: Of these another count is what was printed.
COUNTED_OTHERWISE = {"B21-LLaMA-2 70B", "B21-LLaMA-7B", "G42", "N15"}


def command(on: str, claims: Iterable[Mapping[str, Any]], explain: bool = False) -> list[str]:
    """The command line that answers claims about one model."""
    words = ["check", *shlex.split(on), "--json"]
    for claim in claims:
        said = claim.get("said") or f"{Fraction(claim['computed'])}"
        words += ["--claim", f"{claim['of']} {claim.get('relation', '=')} {said}"]
    return words if explain else [*words, "--explain", "0"]


@cache
def answers() -> dict[str, dict[str, Any]]:
    """The program's answer to each claim that is a number, one command a model."""
    import contextlib
    import io

    groups: dict[str, list[dict[str, Any]]] = {}
    for claim in CLAIMS:
        if "of" in claim and (claim.get("said") or isinstance(claim["computed"], int)):
            groups.setdefault(claim["on"], []).append(claim)
    found: dict[str, dict[str, Any]] = {}
    for on, claims in groups.items():
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            assert run(command(on, claims)) in {0, 1}
        rows = json.loads(out.getvalue())["reviews"][0]["rows"]
        found |= {claim["id"]: row for claim, row in zip(claims, rows, strict=True)}
    return found


def agrees(computed: int | str, wanted: int | str) -> bool:
    """Whether a value is the file's: exactly, or to the last digit of a float."""
    if isinstance(wanted, int):
        return Fraction(computed) == wanted
    return float(Fraction(computed)) == pytest.approx(float(wanted), rel=1e-12)


NUMBERS = [c for c in CLAIMS if "of" in c and (c.get("said") or isinstance(c["computed"], int))]


def test_the_file_is_whole() -> None:
    assert len(CLAIMS) == 307
    assert len({c["id"] for c in CLAIMS}) == 307
    sources = [c["source"] for c in CLAIMS]
    assert {s: sources.count(s) for s in set(sources)} == {
        "guide": 145, "nanochat": 46, "perseid": 42, "gpt2": 40, "counting": 26, "derived": 8}
    for claim in CLAIMS:
        assert "of" in claim or claim["ask"] in ASKS, claim["id"]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("source", ["nanochat", "counting", "perseid", "guide", "gpt2", "derived"])
def test_a_claim_gets_the_value_and_the_verdict(source: str) -> None:
    own = [claim for claim in NUMBERS if claim["source"] == source]
    assert own
    for claim in own:
        row = answers()[claim["id"]]
        assert agrees(row["computed"], claim["computed"]), claim["id"]
        wanted = {"convention"} if claim["id"] in COUNTED_OTHERWISE else SAME[claim["verdict"]]
        assert row["verdict"] in wanted, claim["id"]


def test_nearly_every_claim_is_such_a_number() -> None:
    assert len(NUMBERS) >= 275


@together("claim", [c for c in CLAIMS if "of" in c and c not in NUMBERS],
                         ids=lambda c: str(c["id"]))
def test_a_ratio_that_nobody_claims_is_worked_out(claim: dict[str, Any]) -> None:
    from symparam.claims.names import Names
    from symparam.grammar import parse_expression

    words = shlex.split(claim["on"])
    model = sp.load(words[0]) if not words[0].startswith("-") else sp.decoder(
        ffn=words[1], **{k: int(v) for k, v in (w.split("=") for w in words[2:])})
    names = Names(model)
    value = names.value(parse_expression(claim["of"], set(names.known())))
    assert agrees(str(value), claim["computed"])


@pytest.mark.parametrize("claim", [c for c in CLAIMS if "elsewhere" in c],
                         ids=lambda c: str(c["id"]))
def test_what_is_true_elsewhere_is(claim: dict[str, Any],
                                   capsys: pytest.CaptureFixture[str]) -> None:
    there = claim["elsewhere"]
    assert run(["check", *shlex.split(there["on"]), "--json", "--claim",
                f"{there['of']}={there['said']}"]) == 0
    row = json.loads(capsys.readouterr().out)["reviews"][0]["rows"][0]
    assert row["verdict"] in {"exact", "rounds"}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("claim", [c for c in CLAIMS if c["verdict"] == "omits_terms"],
                         ids=lambda c: str(c["id"]))
def test_what_a_total_omits_is_named(claim: dict[str, Any],
                                     capsys: pytest.CaptureFixture[str]) -> None:
    run(command(claim["on"], [claim], explain=True))
    row = json.loads(capsys.readouterr().out)["reviews"][0]["rows"][0]
    assert row["residual"]["closed"]
    names = {term["name"] for term in row["residual"]["terms"]}
    assert names == ({"QKV biases"} if claim["source"] == "gpt2" else {"head, untied"} if (
        "LLaMA" in claim["id"]) else {"position table", "biases", "norm shifts"})


# --- claims that are no number of one model -------------------------------------------------

def heads(claim: Mapping[str, Any]) -> None:
    assert [list(pair) for pair in head_configurations(claim["d_model"])][::-1] == (
        claim["computed"])


def guide(claim: Mapping[str, Any]) -> None:
    found = suggest(claim["P"]).dims
    assert [found[k] for k in ("L", "d_model", "n_heads", "d_ff")] == claim["computed"]


def drop(claim: Mapping[str, Any]) -> None:
    model = sp.load("perseid")
    assert model.count(n_kv=1) - model.count(n_kv=4) == claim["computed"] < 0


def words(claim: Mapping[str, Any]) -> None:
    """One key-value head is multi-query attention, not the attention of all heads."""
    model = sp.load("perseid")
    assert model.count() == sp.load("perseid", attention="mqa").count()
    assert model.count() < model.count(n_kv=model.values["n_heads"])


def degree(claim: Mapping[str, Any]) -> None:
    """Of degree 1 with the other dims held, of degree 2 where ratios are kept."""
    found = sp.load("perseid").sensitivity(wrt="d_model").json()["measures"][0]["rows"]
    degrees = {row["held"]["name"]: row["degree"] for row in found}
    assert degrees == {"all others": 1, "ratios kept": 2}


def cube(claim: Mapping[str, Any]) -> None:
    """At a fixed ratio of width to depth P grows with the cube of either."""
    found = sp.decoder().derive(assume=["n_heads*d_head=d_model", "n_kv=n_heads",
                                        "d_ff=4*d_model", "L=d_model/100"], leading="d_model")
    assert str(found.formula) == "3*d_model**3/25"


def slope(claim: Mapping[str, Any]) -> None:
    if claim["id"] == "G44":
        assert sp.load("gpt2").count(n_heads=6) == sp.load("gpt2").count()
        return
    model = sp.decoder(tied=True, ffn="swiglu", V=32000, L=32, d_model=4096, n_heads=32,
                       d_ff=11008)
    held = "by rule" if claim["wrt"] == "d_model" else "all others"
    row = model.sensitivity(wrt=claim["wrt"]).total.row(claim["wrt"], held)
    assert row is not None
    assert row.here == claim["computed"]


ASKS = {"heads": heads, "guide": guide, "drop": drop, "words": words, "degree": degree,
        "cube": cube, "slope": slope}


@pytest.mark.parametrize("claim", [c for c in CLAIMS if "ask" in c], ids=lambda c: str(c["id"]))
def test_other_claims(claim: dict[str, Any]) -> None:
    ASKS[claim["ask"]](claim)


def test_a_claim_with_another_value_is_noticed() -> None:
    claim = dict(NUMBERS[1])
    assert not agrees(answers()[claim["id"]]["computed"], claim["computed"] + 1)
    assert not agrees("1/3", "0.3333")


@together("rows", range(1, 2 * TOLD + 1))
def test_every_setting_that_rows_were_counted_with_is_told_or_counted(rows: int) -> None:
    """Each row is of a model of its own length; the last line has the number of those left out."""
    claim = read_claim("train_full=1", {"train_full"}).left
    lines = list(contexts((load("gpt2", n_ctx=100 + i), claim) for i in range(rows)))
    named = [int(number) for each in lines for number in re.findall(r"s = (\d+)", each)]
    left = sum(int(number) for each in lines for number in re.findall(r": (\d+) other", each))
    assert named == [100 + i for i in range(min(rows, TOLD))]
    assert len(named) + left == rows
