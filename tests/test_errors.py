"""Errors: one line each, their parts kept, one root."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import symparam
from symparam import errors
from symparam.arithmetic import MAX_BITS, bounded, exact_power
from symparam.errors import (
    BadValue,
    ConstraintViolated,
    ContractError,
    Contradiction,
    DocsError,
    FalseStep,
    MissingDims,
    ParseError,
    SpecError,
    SymparamError,
    TemplateError,
    UnknownName,
    nearest,
)
from tests.helpers import message, together

SAMPLES: list[SymparamError] = [
    ParseError("2^3", 1, "write **"), UnknownName("symbol", "d_modle", ["d_model", "V"]),
    MissingDims(["V", "L"], "the decoder"), BadValue("L", 0, "must be at least 1"),
    ConstraintViolated("a divides b", "why", {"a": 2, "b": 3}, "4 would do"),
    Contradiction("this", "that", "leave out one"), SpecError("f.toml", "dims.L", "is missing"),
    ContractError("Bad", "no docstring"), FalseStep("a = b", "1"),
    errors.LayoutError("no"), errors.BrokenPromise("a number", None),
    errors.NotDerivable("no"), errors.OutputError("no"),
    TemplateError("mine.tex", 3, "no"), errors.FileError("x.csv", "is a pipe"),
    DocsError("README.md", 0, "no")]


def test_every_error_is_sampled_and_has_one_root() -> None:
    defined = {cls for _, cls in inspect.getmembers(errors, inspect.isclass)
               if issubclass(cls, Exception) and cls.__module__ == errors.__name__}
    assert defined == {type(each) for each in SAMPLES} | {SymparamError}
    assert all(issubclass(cls, SymparamError) for cls in defined)


#: Files that are wrong, each in its own way.
WRONG = {
    "empty/readme.md": "", "not.json": "{", "list.json": "[]",
    "gpt2.json": '{"model_type": "gpt2", "n_embd": "wide"}',
    "llama.json": '{"model_type": "llama", "hidden_size": 64}',
    "key.toml": 'name = "x"\nhiden = 3\n', "bad.toml": "name = \n", "latin.toml": "name = '\xff'",
    "dims.toml": '[dims]\nL = 0\n', "open.md": "<!-- symparam count gpt2 -->\nx\n",
    "eval.md": "<!-- symparam nope -->\nx\n<!-- /symparam -->\n",
    "loop.txt.j2": "<% for i in range(10**9) %><% endfor %>", "name.txt.j2": "<< nope >>",
    "filter.txt.j2": "<< 1 | eval >>", "half.txt.j2": "<% if",
    "rows.csv": "model,layers,params\nx,2\n", "cell.csv": "model,layers,d_model,params\nx,a,8,1M\n",
    "dims.csv": "model,params\nx,1M\n", "twice.csv": "model,params,params\nx,1M,2M\n",
    "weights.safetensors": "no header", "x.gguf": "GGUFxxxxxxxxxxxxxxxxxxxxx",
    "x.bin": "PK"}
#: Commands that end in a line, every verb among them.
REFUSED = """
count; count nope; count gpt2 gpt2x; count not.json; count list.json
count gpt2.json; count llama.json; count key.toml; count bad.toml; count latin.toml; count dims.toml
count missing.json; count empty; count gpt2 L=0; count gpt2 L=2.5; count gpt2 q=3
count gpt2 L=1e400; count gpt2 --ffn nope; count gpt2 --part vision
count x.gguf; count weights.safetensors; count x.bin; count gpt2 d_model=7
derive; derive nope; derive gpt2 --quantity nope; derive gpt2 --assume x; derive gpt2 --assume d=V
derive gpt2 --template name.txt.j2; derive gpt2 --template filter.txt.j2
derive gpt2 --template half.txt.j2
derive gpt2 --template missing.txt.j2; derive gpt2 --template loop.txt.j2
derive gpt2 --leading V
solve; solve L=2; solve P=7e9 nope=2; solve P=-1; solve P=7e9 d_model=4096 n_heads=24
solve P=7e9 d_model=4095 n_heads=32 L=32; solve P=7e9 L=32 d_model=1001 n_kv=8
solve P=7e9 L=32 d_head=64 d_model=1000; solve P=7e9 --attention gqa n_kv=7 d_model=4096 n_heads=32
solve P=7e9 --ffn moe n_experts=4 top_k=9 L=3 d_model=512 n_heads=8; solve gpt2 L=? P=1
cost; cost nope; cost gpt2 s=0; cost gpt2 s=5000; cost gpt2 --attention half; cost gpt2 b=x
sensitivity; sensitivity gpt2 --quantity nope; sensitivity gpt2 --wrt nope
diff gpt2; diff gpt2 nope; diff gpt2 gpt2 --quantity nope; compare; compare gpt2 nope
sweep gpt2; sweep gpt2 L=1,2 L=3; sweep gpt2 L=1:2:0; sweep gpt2 L=2:1
sweep gpt2 nope=1,2; sweep gpt2 L=1,2 -o x.zip
check; check gpt2; check gpt2 --claim P; check gpt2 --claim P=x; check rows.csv; check cell.csv
check dims.csv; check twice.csv; check missing.csv; check gpt2 weights.safetensors
docs check empty; docs check open.md; docs build eval.md; docs check missing.md
plot nope; plot shapes nope; plot depth L=1; align nope; align nope --latex; align gpt2 V=0
bundle nope -o x; convert nope --to toml
convert gpt2 --to hf V=0; explore nope; models nope; nope
"""


def test_what_is_refused_and_in_which_words(line: Callable[[str], tuple[int, str, str]],
                                            golden: Callable[[str, str], None]) -> None:
    """Whole lines: the place that is named, and what would be right, are part of them."""
    for name, text in WRONG.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("latin-1"))
    said: list[str] = []
    for command in filter(None, map(str.strip, re.split("[;\n]", REFUSED))):
        code, out, err = line(command)
        assert "Traceback" not in out + err
        said += [f"$ symparam {command}", *out.splitlines()[:2], *err.splitlines(), f"[{code}]"]
    golden("refusals.txt", "\n".join(said) + "\n")


def test_a_group_without_a_command_names_its_commands(
        line: Callable[[str], tuple[int, str, str]]) -> None:
    _, out, err = line("docs")
    assert err == "symparam: docs needs a command: build, check\n" or (
        "Usage: symparam docs" in out)  # (click before 8.2 shows the help by itself)


@together("error", SAMPLES, ids=lambda e: type(e).__name__)
def test_a_copy_says_the_same(error: SymparamError) -> None:
    """They travel between processes, as a sweep or a test run sends them."""
    assert str(copy.copy(error)) == message(error)
    assert str(pickle.loads(pickle.dumps(error))) == message(error)


@together("text", ["a\nb", "\x1b[31mred", "x" * 9000, "\u2028"], ids=repr)
@together("make", [
    lambda t: ParseError(t, 0, "problem"), lambda t: UnknownName("symbol", t, ["V"]),
    lambda t: BadValue("L", t, "problem"), lambda t: BadValue("bias", [t], "problem"),
    lambda t: SpecError("f", t[:60], "problem")])
def test_text_of_others_stays_in_its_line(make: type[SymparamError], text: str) -> None:
    shown = message(make(text))
    assert len(shown) < 200
    assert shown.isprintable()


def test_the_nearest_names_come_first() -> None:
    assert nearest("d_modle", ["d_model", "d_head", "V"]) == ["d_model"]
    assert nearest("LLAMA-2-7B", ["llama-2-7b", "gpt2"])[0] == "llama-2-7b"
    assert nearest("zzzz", ["d_model"]) == []
    assert len(nearest("gpt2", [f"gpt2-{n}" for n in range(9)])) == 3


def test_names_that_are_too_long_to_compare_are_not_compared() -> None:
    """That takes as long as the square of their letters, and nobody mistypes such a name."""
    long = "".join(chr(97 + n * n % 151) for n in range(9_000))
    start = time.process_time()
    assert nearest(long, [long[::-1], "gpt2"]) == []
    assert nearest("gpt3", [long, "gpt2"]) == ["gpt2"]
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(("known", "words"), [
    (["alpha", "beta"], "known: alpha, beta"), ([f"n{i}" for i in range(99)], "99 are known")])
def test_a_name_near_none_lists_what_there_is(known: list[str], words: str) -> None:
    assert words in message(UnknownName("model", "zzz", known))


#: Errors whose first part says where it is: how many parts they have, and which the problem is.
PLACED = {("error", 2): 1, ("SpecError", 3): 2, ("BadValue", 3): 2, ("TableError", 4): 3,
          ("TraceError", 2): 1, ("FileError", 2): 1, ("DocsError", 3): 2, ("TemplateError", 3): 2,
          ("ContractError", 2): 1, ("ContractError", 3): 1, ("UnknownName", 3): 2}
RAISED = re.compile(rf"^ *(?:raise|return) ((?:[\w.]+\.)?("
                    rf"{'|'.join({name for name, _ in PLACED})})\()", re.M)
#: A number of FLOPs has no name of its own.
NAMELESS = {"FLOPs, caches, activations, active parameters"}


#: Which part is written where the error is raised, and which is never: a file is not known there,
#: an option or an argument is, and so is what kind of name it is.
WRITTEN = {"SpecError": (None, 0), "UnknownName": (0, 1)}


def raised() -> Iterator[tuple[str, ast.expr, ast.expr, str, list[ast.expr]]]:
    """Every error of these that the package raises: its place, what says where, the problem, its
    class and all of its parts."""
    folder = Path(symparam.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for match in RAISED.finditer(text):
            call = called(text[match.start(1):])
            problem = PLACED.get((match[2], len(call.args)))
            if problem is not None:
                line = text.count("\n", 0, match.end()) + 1
                yield (f"{path.relative_to(folder)}:{line}", call.args[0], call.args[problem],
                       match[2], call.args)


def called(text: str) -> ast.Call:
    """The call that a text begins with; what follows it is not read."""
    for end in (m.end() for m in re.finditer(r"\)", text)):
        try:
            call = ast.parse(text[:end], mode="eval").body
        except SyntaxError:
            continue
        if isinstance(call, ast.Call):
            return call
    raise AssertionError(text[:80])


def blanks(part: ast.expr) -> int:
    """Blanks in what is written of a text."""
    return sum(n.value.count(" ") for n in ast.walk(part)
               if isinstance(n, ast.Constant) and isinstance(n.value, str))


def asked(part: ast.expr) -> bool:
    """Whether a part is the name of an option or of an argument."""
    return isinstance(part, ast.Constant) and isinstance(part.value, str) and (
        part.value.startswith("--") or part.value.isupper())


def test_what_is_refused_is_named_first_and_the_problem_last() -> None:
    found = list(raised())
    for where, first, last, name, parts in found:
        said, never = WRITTEN.get(name, (None, None))
        assert said is None or isinstance(parts[said], ast.Constant | ast.JoinedStr), where
        assert never is None or not isinstance(parts[never], ast.Constant), where
        assert name != "BadValue" or not asked(parts[1]) or asked(first), where
        if name == "UnknownName":
            continue  # (whose last part is what there is)
        known = isinstance(first, ast.Constant) and first.value in NAMELESS
        assert known or blanks(first) < 3, where
        assert not isinstance(first, ast.Constant) or isinstance(first.value, str), where
        assert not isinstance(last, ast.Constant) or blanks(last), where
    assert len(found) > 400


def test_a_number_beyond_any_model_is_refused_by_name() -> None:
    assert bounded(2**(MAX_BITS - 1)) == 2**(MAX_BITS - 1)
    assert exact_power(2, MAX_BITS // 2) == 2**(MAX_BITS // 2)
    for grown in (lambda: bounded(-2**MAX_BITS), lambda: exact_power(3, MAX_BITS)):
        with pytest.raises(BadValue) as caught:
            grown()
        assert message(caught.value) == "the expression = a huge number: beyond any model"
