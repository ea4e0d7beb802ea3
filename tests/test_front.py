"""The command line is a front over the views: what it prints is what they say in Python."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

import symparam
from symparam import check_table, compare, decoder, load
from symparam.cli.main import run
from symparam.documents.common.view import View
from symparam.showable import json_text

#: A command line, and the same asked in Python.
ANSWERS: dict[str, Callable[[], View]] = {
    "count gpt2 L=3": lambda: load("gpt2").breakdown(L=3),
    "count llama-2-7b --attention gqa n_kv=8 --tensors":
        lambda: load("llama-2-7b", attention="gqa").tensors(n_kv=8),
    "derive llama-2-7b": lambda: load("llama-2-7b").derive(),
    "derive --ffn swiglu --leading --notation hf":
        lambda: decoder(ffn="swiglu").derive(leading="d_model", notation="hf"),
    "derive gpt2 --quantity kv_cache --batch 2 s=9 --kv-dtype int8 --detail full":
        lambda: load("gpt2").derive("kv_cache", s=9, b=2, kv_dtype="int8", detail="full"),
    "derive mixtral-8x7b --quantity active --sensitivity":
        lambda: load("mixtral-8x7b").derive("active", sensitivity=True),
    "derive gpt2 --exercise": lambda: load("gpt2").derive().exercise(),
    "derive gpt2 --exercise --answers -": lambda: load("gpt2").derive().exercise().answers(),
    "solve P=7e9 L=32 --max 3 --tolerance 0.5%":
        lambda: decoder().solve(P="7e9", L=32, limit=3, tolerance=Fraction(1, 200)),
    "solve --ladder 125M,350M --ffn swiglu d_head=64":
        lambda: decoder(ffn="swiglu").ladder(["125M", "350M"], d_head=64),
    "sensitivity gpt2 --wrt L": lambda: load("gpt2").sensitivity(wrt="L"),
    "sensitivity gpt2 --quantity flops_per_token --step s=1":
        lambda: load("gpt2").sensitivity("flops_per_token", steps={"s": [1]}),
    "diff gpt2 llama-2-7b": lambda: load("gpt2").diff("llama-2-7b"),
    "check gpt2 --claim P=124M --claim P=1": lambda: load("gpt2").check("P=124M", "P=1"),
    "compare gpt2 mixtral-8x7b --columns P,active,kv_cache s=64 --short --bold lowest":
        lambda: compare("gpt2", "mixtral-8x7b", columns=["P", "active", "kv_cache"], s=64,
                        short=True, bold="lowest"),
    "cost gpt2 --context 64 --only cache --only flops":
        lambda: load("gpt2").cost(s=64, sections=["cache", "flops"]),
}


def said(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run(shlex.split(line)) in {0, 1}
    return capsys.readouterr().out


@pytest.mark.thinned(5)
@pytest.mark.parametrize("form", ["--json", "", "--latex", "--format html"])
@pytest.mark.parametrize("line", ANSWERS)
def test_a_command_prints_what_its_view_says(line: str, form: str,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    view = ANSWERS[line]()
    wanted = {"--json": lambda: json_text(view.json()) + "\n", "": view.text,
              "--latex": view.latex, "--format html": view.html}[form]
    page = said(f"{line} {form}", capsys)
    assert page == wanted()
    assert form != "--format html" or stepwise(page)


def stepwise(page: str) -> bool:
    """Whether headings go from each level to the next: none is left out on the way down."""
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    return all(below <= above + 1 for above, below in pairwise([0, *levels]))


def test_a_table_of_claims_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("layers,d_model,heads,vocab,params\n12,768,12,50257,124M\n", encoding="utf-8")
    view = check_table(path, "gpt2")
    assert json.loads(said(f"check {path} gpt2 --json", capsys)) == json.loads(
        json_text(view.json()))
    path.write_text(path.read_text("utf-8") + "7,64,1,9,3\n", encoding="utf-8")
    alone, two = (said(f"check {files} gpt2 --format html", capsys)
                  for files in (path, f"{path} {path}"))
    assert alone.count("<h2") == two.count("<h3") / 2 > 0
    assert stepwise(alone)
    assert stepwise(two)
    assert not stepwise(alone.replace("h2", "h3"))


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """What a module takes from where, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def test_no_command_makes_a_document_or_data_itself() -> None:
    folder = Path(symparam.__file__).parent / "cli"
    assert len(list(folder.rglob("*.py"))) > 25
    found = {(path.name, name) for path in folder.rglob("*.py") for module, name in imported(path)
             if module.startswith("symparam.documents") and name.endswith(("_document", "_json"))}
    assert found == set()
