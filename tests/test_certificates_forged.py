"""Certificates that were written by hand to be confirmed and are false, or say more than they show.

Each stands beside its true twin, which differs in the one thing that is wrong: it is not the form
that is refused.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from symparam.certificate import check
from symparam.certificate.coq import coq_of
from symparam.certificate.coq_words import name_of
from symparam.certificate.folder import confirmed, files_of, problems
from tests.certified import certificates
from tests.helpers import together

Data = dict[str, Any]
#: One matrix of V rows and d columns.
ONE = {"W": {"rows": "V", "columns": "d", "copies": "1"}}
EMPTY: Data = {}


def matrix(rows: str, columns: str = "1", copies: str = "1") -> Data:
    return {"W": {"rows": rows, "columns": columns, "copies": copies}}


def whole(kind: str, **body: Any) -> Data:
    return {"certificate": 1, "kind": kind, "model": "x", "rows": {"x": {"are": "stated"}},
            "body": body}


def line(formula: str, given: str | None = None, left: tuple[str, ...] = ()) -> Data:
    return {"line": formula, "terms": [[formula, {"W": formula}]], "given": given,
            "left": [[text, {"W": text}] for text in left]}


def derived(*lines: Data, entries: Data = ONE, first: str = "V*d", part: str = "P_one",
            layers: str = "1", **more: Any) -> Data:
    """A derivation of one matrix in one part."""
    left = [[text, None] for text, _ in lines[-1]["left"]]
    return whole("derive", **{
        "symbol": "P", "dims": {}, "leading": None, "left": left, "lines": list(lines),
        "parts": [{"symbol": part, "stacks": [{"layers": layers, "entries": entries}],
                   "line": first, "terms": [[first, {"W": first}]]}],
        "apart": part if layers == "1" else f"({layers})*{part}", "conventions": [],
        "formula": lines[-1]["line"], "value": None, "inside": {}, **more})


def called(symbol: str, formula: str, weight: str, written: str, value: int | None = None) -> Data:
    return {"symbol": symbol, "formula": formula, "counted": {"W": weight}, "written": written,
            "value": value}


def moved(entries: Data = ONE, formula: str = "V*d", inside: Data = EMPTY, dims: Data = EMPTY,
          value: int | None = None, **row: Any) -> Data:
    """A sensitivity with one derivative."""
    change = {"wrt": "d", "follows": [], "derivative": "V", "here": None, "elasticity": "1",
              "relative": None, **row}
    return whole("sensitivity", dims=dims, measures=[{
        "entries": entries, "inside": inside, "formula": formula, "value": value,
        "rows": [change]}])


def follows(equation: str, slope: str | None = None) -> list[Data]:
    return [{"equation": equation, "slope": slope}]


def solved(entries: Data = ONE, configurations: Any = (), target: int = 7, **form: Any) -> Data:
    """A solution with one closed form."""
    return whole("solve", entries=entries, target=target, configurations=list(configurations),
                 forms=[{"unknown": "d", "equations": [], "formulas": ["P/V"], "dims": {},
                         "roots": [], **form}])


def differing(places: bool = True, change: int | None = None, dims: Data = EMPTY) -> Data:
    """A difference of one matrix."""
    place = {"pairs": {"k": {"before": {"U": {"factors": ["d"]}}, "after": ONE}},
             "line": "V*d - d", "terms": [["V*d - d", {"k": "V*d - d"}]], "change": change}
    return whole("diff", dims=dims, numel=None, places=[place] if places else [],
                 line="V*d - d" if places else "0", terms=place["terms"] if places else [])


#: What is false, or shows less than it says; then its true twin.
PAIRS: dict[str, tuple[Data, Data]] = {
    "0/0 under two equations that each allow it": (
        derived(line("V*d"), line("V*d + (r - q)/(p - q) - 1", "p = r"), line("V*d - 1", "r = q")),
        derived(line("V*d"), line("V*d + (r - q)/(p - q) - 1", "p = r"))),
    "a symbol that is a sentence": (
        derived(line("V*d"), symbol="P = 7, here 7; and Q"), derived(line("V*d"), symbol="Q")),
    "a total that an equation speaks of": (
        derived(line("V*d"), line("P*d/7", "V = P/7")),
        derived(line("V*d"), line("U*d/7", "V = U/7"))),
    "a part that is called as a dim": (
        derived(line("V*d"), part="V"), derived(line("V*d"), part="U")),
    "a convention that is called as a dim": (
        derived(line("V*d"), conventions=[called("V", "P/2", "1/2", "V*d/2")]),
        derived(line("V*d"), conventions=[called("P_half", "P/2", "1/2", "V*d/2")])),
    "a dim in the numbers that is called as the total": (
        derived(line("V*d"), dims={"V": 2, "d": 3, "P": 7}, value=6),
        derived(line("V*d"), dims={"V": 2, "d": 3, "U": 7}, value=6)),
    "the size of what is left out, without numbers": (
        derived(line("0", left=("V*d",)), left=[["V*d", 99]]),
        derived(line("0", left=("V*d",)), left=[["V*d", None]])),
    "the number of a convention, without numbers": (
        derived(line("V*d"), conventions=[called("P_all", "P", "1", "V*d", 99)]),
        derived(line("V*d"), conventions=[called("P_all", "P", "1", "V*d")])),
    "dims below 0": (
        derived(line("V*d"), dims={"V": -5, "d": -7}, value=35),
        derived(line("V*d"), dims={"V": 5, "d": 7}, value=35)),
    "dims that are 0": (
        derived(line("V*d"), dims={"V": 0, "d": 7}, value=0),
        derived(line("V*d"), dims={"V": 1, "d": 7}, value=7)),
    "rows below 0": (
        derived(line("-3*d"), entries=matrix("-3", "d"), first="-3*d"),
        derived(line("3*d"), entries=matrix("3", "d"), first="3*d")),
    "no copy": (
        derived(line("0"), entries=matrix("V", "d", "0"), first="0"),
        derived(line("2*V*d"), entries=matrix("V", "d", "2"), first="2*V*d")),
    "half a layer": (
        derived(line("V*d/2"), layers="1/2"), derived(line("2*V*d"), layers="2")),
    "a leading term that an equation puts under another name": (
        derived(line("V*d**2"), line("V*d**2/2", "f = 4*d", ("V*f*d/8",)),
                entries=matrix("V", "d**2"), first="V*d**2", leading="d"),
        derived(line("V*d**2"), line("V*d**2/2", "f = 4*d", ("V*f*d/8",)),
                entries=matrix("V", "d**2"), first="V*d**2")),
    "leading by a name that is given": (
        derived(line("V*d"), line("V*f/4", "d = f/4"), leading="d"),
        derived(line("V*d"), line("V*f/4", "d = f/4"), leading="f")),
    "leading by a sentence": (
        derived(line("V*d"), leading="d, and P = 7"), derived(line("V*d"), leading="d")),
    "a rounding below a line, which may be 0": (
        derived(line("V*d"), line("V*d + 0/down(1/(V + 2))")),
        derived(line("V*d"), line("V*d + 0*down(1/(V + 2))"))),
    "blanks that push the rest out of sight": (
        derived(line(f"V{' ' * 900}*d")), derived(line("V *d"))),
    "a version that is true": (
        {**derived(line("V*d")), "certificate": True}, derived(line("V*d"))),
    "an equation for the total inside": (
        derived(line("P*d"), line("7*d", "P = 7"), entries=matrix("P", "d"), first="P*d",
                symbol="M", inside={"P": derived(line("V*d"))["body"]}),
        derived(line("P*d"), line("P*7", "d = 7"), entries=matrix("P", "d"), first="P*d",
                symbol="M", inside={"P": derived(line("V*d"))["body"]})),
    "other equations inside": (
        derived(line("P*d"), line("P*2*V", "d = 2*V"), entries=matrix("P", "d"), first="P*d",
                symbol="M", inside={"P": derived(line("V*d"), line("3*V*V", "d = 3*V"))["body"]}),
        derived(line("P*d"), line("P*3*V", "d = 3*V"), entries=matrix("P", "d"), first="P*d",
                symbol="M", inside={"P": derived(line("V*d"), line("3*V*V", "d = 3*V"))["body"]})),
    "a derivative that is another": (moved(derivative="2*V", elasticity="2"), moved()),
    "a derivative that is less than it is": (moved(derivative="0", elasticity="0"), moved()),
    "a derivative by what is no name": (
        moved(wrt="(d)", derivative="0", elasticity="0"), moved()),
    "a derivative by a total": (
        moved(matrix("T"), "T", {"T": ONE}, wrt="T", derivative="0", elasticity="0"),
        moved(matrix("T"), "T", {"T": ONE})),
    "what follows a total that moves": (
        moved(matrix("D", "d"), "D*d", {"T": ONE}, follows=follows("D = T"), derivative="T"),
        moved(matrix("D", "d"), "D*d", {"T": ONE}, follows=follows("D = U"), derivative="U")),
    "an equation that the numbers do not meet": (
        moved(dims={"V": 5, "d": 1}, value=5, follows=follows("V = 9*d"), derivative="18*d",
              elasticity="2", here=18, relative=2),
        moved(dims={"V": 9, "d": 1}, value=9, follows=follows("V = 9*d"), derivative="18*d",
              elasticity="2", here=18, relative=2)),
    "an elasticity's number without a number": (moved(relative=99), moved(relative=1)),
    "derivatives of nothing": (moved({}, "0", derivative="0", elasticity="0"), moved()),
    "the target among the matrices": (
        solved(matrix("P"), formulas=["42"]), solved(matrix("d"), formulas=["P"])),
    "a closed form of what is no name": (solved(unknown="(d)", formulas=[]), solved()),
    "a sign that changes at a pole": (
        solved(target=1, equations=["V = 1/(d - 3)"], formulas=[], roots=[["2", "4"]]),
        solved(target=1, equations=["V = d - 3"], formulas=[], roots=[["3", "4"]])),
    "a root between two of them": (
        solved(target=1, equations=["V = d - 3 + 3/d"], formulas=[], roots=[["1", "2"]]),
        solved(target=1, equations=["V = d - 3 + 3/d"], formulas=[], roots=[["1", "1"]])),
    "a configuration of half a dim": (
        solved(configurations=[{"dims": {"V": "1/2", "d": 14}, "numel": 7}]),
        solved(configurations=[{"dims": {"V": 1, "d": 7}, "numel": 7}])),
    "a configuration below 0": (
        solved(configurations=[{"dims": {"V": -1, "d": -7}, "numel": 7}]),
        solved(configurations=[{"dims": {"V": 7, "d": 1}, "numel": 7}])),
    "a change without numbers": (differing(change=99), differing()),
    "a difference of nothing": (differing(places=False), differing()),
}


def refusal(data: Data) -> str:
    """Why a certificate is refused; empty where it is confirmed."""
    try:
        confirmed(json.dumps(data).encode())
    except check.Refused as error:
        return str(error)
    return ""


@together("what", list(PAIRS))
def test_what_is_forged_is_refused_and_its_twin_confirmed(what: str) -> None:
    false, true = PAIRS[what]
    assert refusal(true) == ""
    assert refusal(false).startswith(("not confirmed: ", "cannot be read: "))


@together("value", [6.0, True, "\uff16", "1e1", "six", float("nan"), float("inf"), [6], "7"])
def test_a_number_is_a_whole_number_or_a_text_of_one(value: Any) -> None:
    assert refusal(derived(line("V*d"), dims={"V": 2, "d": 3}, value=6)) == ""
    assert refusal(derived(line("V*d"), dims={"V": 2, "d": 3}, value="12/2")) == ""
    assert refusal(derived(line("V*d"), dims={"V": 2, "d": 3}, value=value))


def test_what_is_said_and_not_checked_stands_in_quotation_marks() -> None:
    data = derived(line("V*d"), conventions=[
        {**called("P_half", "P/2", "1/2", "V*d/2"), "about": {"title": 'all"; P = 7\n    P = 8'}}])
    data["body"]["about"] = {"title": "what is counted", "convention": ["odd"]}
    assert confirmed(json.dumps(data).encode()).split("\n    ") == [
        'derive of "x"', 'P_one: "W": V x d x 1', 'P = V*d; "what is counted"; "odd"',
        r'P_half = P/2; "all\"; P = 7\n    P = 8"',
        'matrices of "x", according to this file: stated; not compared with a checkpoint',
        'not checked: the name "x", and all else in quotation marks; that these matrices are the '
        "model's"]


def test_a_path_that_is_a_sentence_and_a_sum_are_printed_as_what_they_are() -> None:
    path = "W\n    P = 7"
    data = derived({"line": "V*d + d", "terms": [["V*d + d", {path: "V*d + d"}]], "given": None,
                    "left": []}, entries={path: matrix("V + 1", "d")["W"]}, first="V*d + d")
    data["body"]["parts"][0]["terms"] = [["V*d + d", {path: "V*d + d"}]]
    assert confirmed(json.dumps(data).encode()).split("\n    ")[1] == (
        r'P_one: "W\n    P = 7": (V + 1) x d x 1')


def test_a_refusal_is_one_line_whatever_stands_in_the_file(tmp_path: Path) -> None:
    """A path of the file is repeated in it, and could else say that another file is confirmed."""
    data = derived(line("V*d"))
    data["body"]["lines"][0]["terms"][0][1] = {"W\nother.json: confirmed: x": "V*d"}
    (tmp_path / "it.json").write_text(json.dumps(data))
    found = subprocess.run([sys.executable, check.__file__, "it.json"], cwd=tmp_path, check=False,
                           capture_output=True, text=True)
    assert found.returncode == 1
    assert len(found.stdout.splitlines()) == 1


@pytest.mark.slow
@together("data", [
    derived({**line("0"), "terms": [["0", {"W": "0"}]] * 100_000}),
    derived(*[line("V*d")] * 10_000, entries={
        **ONE, **{f"W{i}": {"factors": ["V"]} for i in range(14_000)}}),
    derived(*(line("V*d", f"a{i} = 2") for i in range(20_000))),
    solved(equations=[f"a{i} = 1" for i in range(70_000)]),
])
def test_a_large_file_ends_soon(data: Data) -> None:
    began = time.process_time()
    assert refusal(data)
    assert time.process_time() - began < 4


# --- the folder -----------------------------------------------------------------------------------


def written(folder: Path, data: Data) -> Path:
    folder.mkdir()
    for name, content in files_of(data).items():
        (folder / name).write_bytes(content)
    return folder


def test_the_checker_imports_nothing_that_lies_beside_it(tmp_path: Path) -> None:
    folder = written(tmp_path / "it", certificates()["derive gpt2"])
    (folder / "derivation.json").write_text("{}")
    for name in ("json", "re", "fractions"):
        (folder / f"{name}.py").write_text("print('confirmed'); raise SystemExit(0)\n")
    found = subprocess.run([sys.executable, "check.py"], cwd=folder, check=False,
                           capture_output=True, text=True)
    assert found.returncode == 1
    assert found.stdout.startswith("derivation.json: cannot be read: ")


@pytest.mark.thinned(3)
@together("name", ["json.py", "GNUmakefile", "List.v", "QArith.vo"])
def test_docs_check_sees_what_does_not_belong_to_a_certificate(
        name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = written(tmp_path_factory.mktemp("forged") / "it", certificates()["derive gpt2"])
    (folder / "gpt2.vo").write_text("")
    (folder / "notes.txt").write_text("")
    assert list(problems(folder)) == []
    (folder / name).write_text("")
    assert list(problems(folder)) == [f"{name}: does not belong to the certificate"]


# --- Coq ------------------------------------------------------------------------------------------


def test_two_dims_never_have_one_name_in_coq() -> None:
    words = ["end", "end_", "end__", "Q", "Q_", "x", "x_", "_x", "_", "__", "d_model", "P"]
    assert len({name_of(word) for word in words}) == len(words)
    assert "_" not in {name_of(word) for word in words}


HAS_COQ = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


@pytest.mark.slow
@pytest.mark.coq
@HAS_COQ
@pytest.mark.parametrize("more", ["", "Theorem all : 1 == 2. Admitted.", (
    "Unset Guard Checking. Fixpoint f (n : nat) : False := f n. Set Guard Checking.\n"
    "Theorem all : 1 == 2. Proof. destruct (f O). Qed.")])
def test_make_coq_fails_where_a_proof_rests_on_anything(more: str, tmp_path: Path) -> None:
    """An axiom, or a recursion without an end, which is no axiom; coqc takes both."""
    folder = written(tmp_path / "it", certificates()["derive gpt2"])
    (folder / "gpt2.v").write_text((folder / "gpt2.v").read_text() + f"\n{more}\n")
    found = subprocess.run(["make", "coq"], cwd=folder, check=False, capture_output=True, text=True)
    assert (found.returncode == 0) == (more == ""), found.stderr
    assert "CONTEXT SUMMARY" in found.stderr


@pytest.mark.coq
@HAS_COQ
def test_the_standard_library_is_not_taken_from_the_folder(tmp_path: Path) -> None:
    """A file List.v beside the certificate would else give fold_right another meaning."""
    (tmp_path / "List.v").write_text(
        "Definition fold_right {A B} (f : B -> A -> A) (a : A) (l : list B) := a.\n"
        "Module ListNotations. End ListNotations.\n")
    subprocess.run(["coqc", "List.v"], cwd=tmp_path, check=True)
    (tmp_path / "it.v").write_text(coq_of(certificates()["derive gpt2"]))
    found = subprocess.run(["coqc", "it.v"], cwd=tmp_path, check=False, capture_output=True,
                           text=True)
    assert (found.returncode, found.stderr) == (0, "")
