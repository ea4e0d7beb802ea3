"""Certificates: the checker confirms what is true, refuses what is not, and stands alone."""

from __future__ import annotations

import ast
import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import symparam as sp
from symparam.certificate import check
from symparam.certificate.coq import coq_of
from symparam.certificate.coq_words import name_of
from symparam.certificate.folder import confirmed, digest, files_of
from symparam.certificate.of_derivation import derivation_certificate
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.descriptions.load import load
from symparam.traced.model import model_of
from tests.certified import MUTANTS, SAMPLE, certificates, mutants
from tests.certify import AT_A_PROOF
from tests.helpers import together
from tests.misstated import statement_mutants
from tests.test_traced import OURS

ROOT = Path(__file__).parent.parent
SOURCE = Path(check.__file__)
Data = dict[str, Any]


def refusal(data: Any) -> str:
    """Why a certificate is refused; empty where it is confirmed."""
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    try:
        confirmed(text)
    except check.Refused as error:
        return str(error)
    return ""


# --- the checker ----------------------------------------------------------------------------------


def test_the_checker_is_short_and_imports_nothing_else() -> None:
    lines = SOURCE.read_text().splitlines()
    assert len(lines) <= 300
    assert max(map(len, lines)) <= 100
    tree = ast.parse(SOURCE.read_text())
    found = {alias.name if isinstance(node, ast.Import) else node.module
             for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
             for alias in node.names}
    assert found == {"json", "re", "sys", "fractions"}
    called = {node.func.id for node in ast.walk(tree)
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"eval", "exec", "compile", "__import__", "getattr", "globals"}


def test_the_sum_of_the_checker_is_in_the_documentation() -> None:
    assert digest() in (ROOT / "docs" / "certificates.md").read_text()


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", list(SAMPLE))
def test_what_is_derived_is_confirmed(name: str) -> None:
    assert refusal(certificates()[name]) == ""


@pytest.mark.thinned(4)
def test_certificates_are_of_the_schema() -> None:
    schema = json.loads((ROOT / "docs" / "certificate.schema.json").read_text())
    for found in certificates().values():
        jsonschema.validate(found, schema)


@pytest.mark.parametrize("text", [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"certificate": 1, "certificate": 1}',
    b'{"certificate": NaN}', b"1" * 10_000])
def test_what_is_no_certificate_is_refused(text: bytes) -> None:
    assert refusal(text).startswith("cannot be read")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("formula", [
    "x**1000", "x**(1/3)", "((((2**64)**64)**64)**64)**64", "(a+b+c+d+e+f+g+h)**90", "1/0",
    "1/(x - x)",
    "__import__('os')", "x.y", "x[0]", "2.5", "1e9", "x y", "", "(", "x)", "x; y", "lambda: 0",
    "(" * 5_000 + "x" + ")" * 5_000, "-" * 5_000 + "x", "9" * 9_000, "up(" * 100 + "x" + ")" * 100,
    "*".join(f"x{i}" for i in range(3_000)), "+".join(f"x{i}" for i in range(1_000)) * 20,
    "(" + "+".join(f"x{i}" for i in range(200)) + ")**9", "up(x, y)", "x" * 30_000, "\u00d7",
    "x**y",
    pytest.param("((a+b)**(1/2)+(c+d)**(1/2)+(e+f)**(1/2)+(g+h)**(1/2))**99",
                 marks=pytest.mark.slow)])
def test_a_formula_that_is_none_or_too_long_is_refused_soon(formula: str) -> None:
    data = copy.deepcopy(certificates()["derive gpt2"])
    data["body"]["parts"][0]["stacks"][0]["entries"]["embedding.token.W_E"]["rows"] = formula
    began = time.process_time()
    assert refusal(data)
    assert time.process_time() - began < 30


@pytest.mark.thinned(4)
def test_any_damage_is_refused_or_changes_nothing_that_is_checked() -> None:
    """Whatever stands where something else should: no traceback, and one line."""
    rng = random.Random(3)
    for name in ("derive gpt2", "diff", "sensitivity", "solve"):
        places = list(_places(certificates()[name]))
        for where in rng.sample(places, 20):
            for value in rng.sample([None, [], {}, "", "x", -1, True, 1.5, [[]], {"a": 1}], 2):
                data = copy.deepcopy(certificates()[name])
                _put(data, where, value)
                said = refusal(data)
                assert "\n" not in said
                assert said == "" or said.startswith(("cannot be read", "not confirmed"))


def _places(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    rows = data.items() if isinstance(data, dict) else (
        enumerate(data) if isinstance(data, list) else ())
    for key, value in rows:
        if key != "about":
            yield (*here, key)
            yield from _places(value, (*here, key))


def _put(data: Any, where: tuple[Any, ...], value: Any) -> None:
    for key in where[:-1]:
        data = data[key]
    data[where[-1]] = value


def test_equations_that_contradict_each_other_are_refused() -> None:
    """Without numbers nothing else would see that n_kv = n_heads and n_kv = 2*n_heads cannot be."""
    data = derivation_certificate(derive(sp.decoder(attention="gqa")))
    assert refusal(data) == ""
    first = next(line for line in data["body"]["lines"] if line["given"])
    name = first["given"].partition(" = ")[0]
    for again in (f"{name} = 7", f"{name} = {name} + 1", f"d_model = 2*{name}"):
        wrong = copy.deepcopy(data)
        last = copy.deepcopy(wrong["body"]["lines"][-1])
        wrong["body"]["lines"].append({**last, "given": again})
        assert refusal(wrong), again


def forged(name: str, change: Callable[[Any], None]) -> Data:
    """A certificate that was changed by hand."""
    data: Data = copy.deepcopy(certificates()[name])
    change(data)
    return data


def last_line(text: str) -> Callable[[Any], None]:
    """Another last line, with a term for what it says besides."""
    def change(data: Any) -> None:
        body = data["body"]
        line = body["lines"][-1]
        line["terms"].append([text, {}])
        line["line"] = body["formula"] = f"{body['formula']} + {text}"
        body["conventions"] = []
    return change


def set_in(where: str, value: Any) -> Callable[[Any], None]:
    """Another value at a place."""
    def change(data: Any) -> None:
        *path, last = where.split(".")
        for key in path:
            data = data[key]
        data[last] = value
    return change


def without_value(data: Any) -> None:
    data["body"]["value"] = None
    for each in data["body"]["conventions"]:
        each["value"] = None
    data["body"]["left"] = [[text, None] for text, _ in data["body"]["left"]]
    data["body"]["dims"]["n_kv"] += 1


#: What is false and could be written so that it multiplies out.
FORGED = {
    "a root that is its own negative": last_line(
        "d_ff*((n_heads**2)**(1/2) + n_heads) + 0/((n_heads**2)**(1/2) - n_heads)"),
    "zero over a divisor of zero": last_line("V + 0/(4**(1/2) - 2)"),
    "the sign of a root's denominator": last_line(
        "((V*L)/(V - 1))**(1/2) + ((-V*L)/(1 - V))**(1/2)"),
    "powers from the left": last_line("(2**1**3 - 2**3)"),
    "numbers that nothing holds together": without_value,
    "a total that is called as a dim": set_in("body.symbol", "V"),
    "rows from nowhere": set_in("rows", {}),
    "rows of other words": set_in("rows", {"it": {"are": "verified against the checkpoint"}}),
}


@together("what", list(FORGED))
def test_what_multiplies_out_and_is_false_is_refused(what: str) -> None:
    assert refusal(forged("derive gpt2", FORGED[what]))


def test_a_line_that_is_changed_to_the_same_is_confirmed() -> None:
    """The same changes pass where they are true: it is not the form that is refused."""
    for text in ("(2**1**3 - 2)", "0*((n_heads**2)**(1/2) - n_heads)", "(V - V)"):
        assert refusal(forged("derive gpt2", last_line(text))) == ""


def test_nothing_is_confirmed_of_no_matrices() -> None:
    empty = {"symbol": "P", "dims": {}, "parts": [], "apart": "0", "leading": None, "left": [],
             "lines": [{"line": "0", "terms": [], "left": [], "given": None}], "conventions": [],
             "formula": "0", "value": 0, "inside": {}}
    assert refusal({"certificate": 1, "kind": "derive", "model": "none", "body": empty,
                    "rows": {"none": {"are": "stated"}}})


def test_the_checker_says_under_which_equations_and_of_whom() -> None:
    said = confirmed(json.dumps(forged("derive gpt2", set_in(
        "model", 'x": P = 1, here 1; for "y'))).encode())
    assert said.startswith('derive of "x\\": P = 1, here 1; for \\"y"\n    P_embedding: "')
    assert '\n    not checked: the name "x\\": P = 1, here 1; for \\"y", and all else' in said
    assert "\n    given n_kv = n_heads\n" in said


def test_the_checker_prints_each_matrix_once_before_the_formula() -> None:
    said = confirmed(json.dumps(certificates()["derive gpt2"]).encode()).split("\n    ")
    formula = next(i for i, text in enumerate(said) if text.startswith("P = "))
    entries = {path: (row, stack["layers"]) for part in certificates()["derive gpt2"]["body"][
        "parts"] for stack in part["stacks"] for path, row in stack["entries"].items()}
    assert len(entries) == formula - 1
    for path, (row, layers) in entries.items():
        found, = (text for text in said[1:formula] if f'"{path}"' in text)
        wanted = f"{row['rows']} x {row['columns']} x {row['copies']}"
        assert found.endswith(f'"{path}": {wanted}' + (
            f", in each of {layers} layers" if layers != "1" else ""))


def test_the_equations_of_a_closed_form_may_not_speak_of_the_target() -> None:
    entries = {"W": {"rows": "d_model", "columns": "L", "copies": "1"}}
    def solved(equation: str, formula: str) -> Data:
        return {"certificate": 1, "kind": "solve", "model": "x", "rows": {"x": {"are": "stated"}},
                "body": {"entries": entries, "target": 12, "configurations": [], "forms": [{
                    "unknown": "d_model", "equations": [equation], "formulas": [formula],
                    "dims": {}, "roots": []}]}}
    assert refusal(solved("L = V", "P/V")) == ""
    assert "d_model = P/V, given L = V" in confirmed(json.dumps(solved("L = V", "P/V")).encode())
    assert refusal(solved("L = P/42", "42"))


def test_what_follows_a_dim_may_not_be_the_dim() -> None:
    data = copy.deepcopy(certificates()["sensitivity"])
    row = data["body"]["measures"][0]["rows"][0]
    row["follows"] = [{"equation": f"{row['wrt']} = 3", "slope": None}]
    row["derivative"] = row["elasticity"] = "0"
    row["here"] = row["relative"] = 0
    assert "by d_model" in refusal(data) or "by L" in refusal(data)


# --- mutants --------------------------------------------------------------------------------------


@pytest.mark.thinned(3)
def test_no_mutant_is_confirmed_and_each_is_read() -> None:
    """Every day a part of them; each is another formula or number, by values at a point."""
    found = list(mutants(MUTANTS, seed=11))
    assert len(found) == MUTANTS
    said = [(kind, refusal(data)) for kind, data in found]
    assert [kind for kind, why in said if not why] == []
    assert [each for each in said if not each[1].startswith("not confirmed")] == []
    assert {kind.partition(" ")[0] for kind, _ in found} >= {
        "coefficient", "term", "copies", "power", "dim", "swapped", "dropped"}


@pytest.mark.slow
def test_no_mutant_of_five_hundred_is_confirmed() -> None:
    found = list(mutants(500, seed=5))
    said = [(kind, refusal(data)) for kind, data in found]
    assert len(found) == 500
    assert [each for each in said if not each[1].startswith("not confirmed")] == []


# --- the command ----------------------------------------------------------------------------------


COMMANDS: dict[str, list[str]] = {
    "derive": ["derive", "gpt2"], "diff": ["diff", "gpt2", "llama-2-7b"],
    "sensitivity": ["sensitivity", "llama-2-7b"], "solve": ["solve", "P=7e9", "L=32", "--max", "2"]}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_writes_a_folder_that_checks_itself(command: str, tmp_path: Path) -> None:
    folder = tmp_path / "it"
    assert run([*COMMANDS[command], "--certificate", str(folder), "-q", "-o",
                str(tmp_path / "out.txt")]) == 0
    names = {path.name for path in folder.iterdir()}
    assert {"derivation.json", "check.py", "Makefile", "README.md"} <= names
    assert {name[-2:] for name in names - {"derivation.json", "check.py", "Makefile", "README.md"}
            } == ({".v"} if command in ("derive", "diff") else set())
    assert (folder / "check.py").read_bytes() == SOURCE.read_bytes()
    readme = (folder / "README.md").read_text()
    assert len(readme.splitlines()) <= 20
    assert max(map(len, readme.splitlines())) <= 100
    assert digest() in readme
    assert ("Coq's kernel" in readme) is (command in ("derive", "diff"))
    found = subprocess.run([sys.executable, "-I", "-S", "check.py"], cwd=folder, check=False,
                           capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith(f"derivation.json: confirmed: {command} ")
    assert run(["docs", "check", str(tmp_path)]) == 0


def test_docs_check_sees_what_was_changed(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "it"
    run(["derive", "gpt2", "--certificate", str(folder), "-q", "-o", str(tmp_path / "out.txt")])
    text = (folder / "derivation.json").read_text()
    for name, content in (("derivation.json", text.replace("124439808", "124439809")),
                          ("check.py", "import sys\nsys.exit(0)\n"),
                          ("gpt2.v", "Theorem t : True. Proof. exact I. Qed.\n")):
        old = (folder / name).read_text()
        (folder / name).write_text(content)
        capsys.readouterr()
        assert run(["docs", "check", str(folder)]) == 1
        assert name in capsys.readouterr().out
        assert run(["docs", "check", "--json", str(folder)]) == 1
        data = json.loads(capsys.readouterr().out)
        jsonschema.validate(data, json.loads(
            (ROOT / "docs" / "schema" / "docs.schema.json").read_text()))
        (folder / name).write_text(old)
    assert run(["docs", "check", str(folder)]) == 0
    (folder / "gpt2.v").unlink()
    assert run(["docs", "check", str(folder)]) == 1
    assert run(["docs", "check", str(tmp_path / "nothing")]) == 2
    (folder / "derivation.json").write_text(text.replace("124439808", "124439809"))
    capsys.readouterr()
    assert run(["docs", "check", str(folder)]) == 1
    assert "not confirmed: 124439809 = V*d_model + " in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert run(["docs", "check", str(tmp_path / "empty")]) == 2


@pytest.mark.parametrize(("what", "why"), [
    ("deep", "not JSON: nested too deeply"), ("text", "not JSON: "), ("bytes", "not a text"),
    ("pipe", "is a pipe"), ("device", "is a device"), ("folder", "is a folder")])
def test_a_certificate_that_cannot_be_read_is_an_error(
        what: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not confirmed is an answer (exit code 1); what nobody can read is none."""
    path = tmp_path / "derivation.json"
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    elif what == "folder":
        path.mkdir()
    else:
        path.write_bytes({"deep": b"[" * 200_000, "text": b"P = 1", "bytes": b"\xff"}[what])
    assert run(["docs", "check", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"symparam: {path}: {why}")
    assert len(err.splitlines()) == 1


def test_what_has_no_certificate_says_so(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["solve", "llama-2-7b", "s=?", "--target", "memory<=80GB",
                   "--certificate", str(tmp_path / "x")],
                  ["derive", "gpt2", "--exercise", "--certificate", str(tmp_path / "x")],
                  ["count", "gpt2", "--format", "coq"],
                  ["solve", "P=7e9", "L=32", "--format", "coq"],
                  ["derive", "gpt2", "--template", "x.md.j2", "--format", "coq"]):
        assert run([*words, "-q"]) == 2, words
        said = capsys.readouterr().err
        assert "Traceback" not in said
        assert len(said.strip().splitlines()) <= 4
        assert not (tmp_path / "x").exists()


def test_a_block_of_a_document_may_not_write_a_certificate(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("<!-- symparam: derive gpt2 --certificate there -->\n<!-- /symparam -->\n")
    assert run(["docs", "build", str(path)]) == 2
    assert not (tmp_path / "there").exists()


def test_a_traced_model_s_certificate_says_how_its_rows_were_found() -> None:
    data = derivation_certificate(derive(model_of(OURS)))
    found, = data["rows"].values()
    assert found["are"] == "found by probing, not proved"
    assert found["about"]["evidence"]["held_out"] == 20
    assert any("not proved" in sentence for sentence in found["about"]["sentences"])
    said = confirmed(json.dumps(data).encode())
    assert "according to this file: found by probing, not proved; not compared with a" in said
    assert "right at 20 fresh points of a second generator" in said
    assert "are found by probing, not proved" in coq_of(data)
    assert b"found by probing, not proved" in files_of(data)["README.md"]


# --- Coq ------------------------------------------------------------------------------------------

#: Models whose statements are kept as they are, to be read; the proofs are not.
READ = """gpt2 llama-2-7b llama-3-8b mixtral-8x7b deepseek-v3 gemma-3-27b t5-small bert-base
    mamba-130m albert-base falcon-7b opt-350m rwkv-4-430m phi-2 qwen3-30b-a3b olmo-2-7b whisper-tiny
    electra-small bloom-560m mpt-7b""".split()


def statements(name: str) -> str:
    """What a model's file for Coq says: matrices, what they sum to, the last line, the theorem."""
    text = coq_of(derivation_certificate(derive(load(name))))
    said = re.findall(r"^(?:Definition|Theorem) .*?\.$", text, re.MULTILINE | re.DOTALL)
    last = [each for each in said if each.startswith("Definition line_")][-1]
    wanted = re.compile(r"Definition (?!line|left)\w+ : (Q|entry) :=|Theorem m")
    kept = [each for each in said if wanted.match(each) or each == last]
    return "\n".join([f"(* {name} *)", *kept, ""])


@pytest.mark.thinned(3)
def test_the_statements_of_twenty_models_are_as_they_were_read(
        golden: Callable[[str, str], None]) -> None:
    assert len(READ) == 20
    golden("coq-statements.v", "\n".join(map(statements, READ)))


def test_what_is_stated_of_a_leading_term_is_as_it_was_read(
        golden: Callable[[str, str], None]) -> None:
    """One power of its symbol in what is kept, and lower ones in what is left out: none too."""
    found = list[str]()
    for name, symbol in (("gpt2", "L"), ("gpt2", "d_model"), ("mixtral-8x7b", "n_experts"),
                         ("deepseek-v3", "L"), ("t5-small", "V")):
        text = coq_of(derivation_certificate(derive(load(name), leading=symbol)))
        lemmas = re.findall(r"^Lemma (?:kept|left_out)_.*?\.$", text, re.MULTILINE | re.DOTALL)
        assert lemmas
        found += [f"(* {name}, {symbol} *)", *lemmas, ""]
    golden("coq-leading.v", "\n".join(found))


@pytest.mark.thinned(4)
def test_what_the_checker_says_of_twenty_models_is_as_it_was_read(
        golden: Callable[[str, str], None]) -> None:
    said = [confirmed(json.dumps(derivation_certificate(derive(load(name)))).encode())
            for name in READ]
    golden("certificate-statements.txt", "\n".join([*said, ""]))


def coqc(text: str, folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Coq on a file."""
    (folder / f"{name}.v").write_text(text)
    return subprocess.run(["coqc", f"{name}.v"], cwd=folder, check=False, capture_output=True,
                          text=True, timeout=300)


CERTIFIED = [name for name in SAMPLE if name not in {
    "sensitivity", "sensitivity of flops", "solve", "solve model", "diff of caches", "albert",
    "inside"}]
HAS_COQ = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def test_two_terms_of_one_text_that_are_left_out_are_one_definition() -> None:
    left = [text for text, _ in certificates()["left out twice"]["body"]["left"]]
    assert len(left) > len(set(left))
    text = coq_of(certificates()["left out twice"])
    assert text.count("Definition left_out_") == len(set(left))


@pytest.mark.coq
@HAS_COQ
@pytest.mark.parametrize("name", CERTIFIED)
def test_coq_accepts_a_sample_without_axioms(name: str, tmp_path: Path) -> None:
    found = coqc(coq_of(certificates()[name]), tmp_path, name_of(name))
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.strip() == "Closed under the global context"


@pytest.mark.coq
@HAS_COQ
@pytest.mark.parametrize("number", range(4))
def test_coq_refuses_mutants_at_a_proof(number: int, tmp_path: Path) -> None:
    """At a proof, and not for how it is written; ``tests.certify mutants`` does so with many."""
    kind, data = list(statement_mutants(4, seed=21))[number]
    said = coqc(coq_of(data), tmp_path, "mutant")
    assert said.returncode != 0, kind
    assert AT_A_PROOF.search(said.stderr), (kind, said.stderr)
