"""Whatever is typed or read: an answer or one line, in bounded time, never a traceback."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, seed, settings
from hypothesis import strategies as st

from symparam.cli.main import run
from symparam.descriptions.catalogue import names
from tests.helpers import together
from tests.strategies import SEED, quick

LIMIT = 2.0
few = settings(quick, max_examples=150, suppress_health_check=list(HealthCheck))
many = settings(few, max_examples=4000, phases=(Phase.explicit, Phase.generate))


class TooSlow(BaseException):
    """More processor time than any command may take; nothing in the package catches this."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooSlow where the block computes for longer."""
    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(arguments: list[str]) -> tuple[int, str, str]:
    """Run a command line in this process; SystemExit and the like are failures here."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), limited(LIMIT):
        code = run(arguments)
    return code, out.getvalue(), err.getvalue()


def check(arguments: list[str]) -> int:
    """The rules that hold for every command line; the exit code."""
    code, out, err = outcome(arguments)
    assert code in {0, 1, 2}
    assert "Traceback" not in err
    out.encode("utf-8")
    lines = err.splitlines()
    arguments = [each for each in arguments if each != "--"]  # alone it is no argument
    if code == 2 and arguments:
        assert not out
        assert len([line for line in lines if line.startswith("symparam: ")]) == 1, err
        assert lines[-1].startswith("symparam: ")
        lines.pop()
    if arguments:
        assert all(line.startswith(("note: ", "wrote ", "current: ")) for line in lines), err
    if code == 0 and "--json" in arguments and not {"-h", "--help", "-o"} & set(arguments):
        json.loads(out)
    return code


# --- command lines --------------------------------------------------------------------------

COMMANDS = ("derive", "count", "solve", "align", "models", "components", "diff", "cost",
            "sweep", "sensitivity", "check", "plot", "docs", "compare", "explore")
KEYS = ("V", "L", "d_model", "n_heads", "n_kv", "d_head", "d_ff", "n_ctx", "P", "hidden_size", "d",
        "n_kv_groups", "h", "n_types", "d_modle", "x", "", "s", "b", "D", "n_devices", "window")
VALUES = ("32", "0", "-1", "2.5", "1e3", "7B", "1e99", "4*d_model", "8/3*d_model, up to 256", "?",
          "n_heads", "d_ff", "d_model/n_heads", "(L", "1/0", "L", "", "2**60", "2**-1", "1,000",
          "nearest to 0", "P", "d_model**(1/2)", "1" * 45, "16", "64", "128", "50304", "L*L*L*L*L",
          "16:64:16", "1,2,4")
EQUATIONS = ("none", "d_ff=4*d_model", "d_ff = 8/3*d_model", "n_heads*d_head=d_model",
             "n_kv=n_heads", "n_kv = n_heads/4", "d_model=64*L", "d_ff=P", "P=3", "L=L",
             "d_ff=n_kv", "n_kv=d_ff", "d_ff=d_model**2", "0=1", "d_head=2", "=", "d_ff=1/d_model",
             "d_model=d_head*n_heads")
SYMBOLS = ("d_model", "L", "V", "d_ff", "n_heads", "P", "gpt2", "nope", "")
CHOICES: dict[str, tuple[str, ...]] = {
    "--attention": ("mha", "gqa", "mqa", "mla"), "--ffn": ("mlp", "swiglu", "geglu", "moe"),
    "--norm": ("rmsnorm", "layernorm", "layernorm-gain", "none"),
    "--norms-per-block": ("1", "2", "4", "3"), "--bias": ("all", "none", "qkv,ffn", "head", "x"),
    "--positions": ("none", "rope", "learned", "relative", "alibi"),
    "--as": ("base", "causal", "mlm", "seq2seq"),
    "--format": ("text", "markdown", "mkdocs", "latex", "macros", "json", "html", "pdf"),
    "--notation": ("paper", "hf", "megatron", "scaling-book", "palm", "nope.toml"),
    "--template": ("nope.txt.j2", "/", "README.md"),
    "--assume": EQUATIONS, "--leading": SYMBOLS,
    "--quantity": ("kv_cache", "flops", "train_palm", "weights", "P", "nope", ""),
    "--convention": ("all", "palm", "nope"), "--device": ("a100-80gb", "24GB", "0GB", "x"),
    "--context": ("0", "512", "1e99", "L"), "--group": ("64", "0", "x"),
    "--claim": ("P=124M", "P=7B", "7B", "=", "d_ff=4*d_model", "active<=3B", "P of L",
                "kv_cache=1GB"),
    "--columns": ("P,active", "L", "P/L", "1/0", ",", "nope", "kv_cache/P"),
    "--bold": ("lowest", "x"), "--map": ("P=total", "=", "a=b=c"), "--explain": ("0", "1", "x"),
    "--wrt": ("d_model", "all", "L,V", ",", "h"), "--share": ("5%", "0", "200%", "x"),
    "--step": ("d_model=64", "L=-1", "d_model", "V=0", "L=1e99"),
    "--tolerance": ("0", "1%", "x", "-1", "1e-9", "1/0"), "--max": ("1", "0", "1000", "1001")}
FLAGS = ("--tied", "--untied", "--qk-norm", "--no-qk-norm", "--final-norm", "--no-final-norm",
         "--json", "--latex", "--standalone", "--tensors", "--keep-ratios", "--quiet", "--leading",
         "--help", "--force", "--wat", "-q", "--version")
GIVEN = ["V=64", "L=2", "d_model=64", "n_heads=4"]
#: What some commands take before anything else.
FIRST = {"plot": ("parts", "pie", "shares", "cache", "flow", "depth", "heads", "nope"),
         "docs": ("check README.md", "check nope.md", "check", "nope"),
         "check": ("gpt2 --claim P=124M", "gpt2", "nope.csv", "")}

_option = st.sampled_from(sorted(CHOICES)).flatmap(
    lambda name: st.sampled_from(CHOICES[name]).map(lambda value: [name, value]))
_assignment = st.builds(lambda k, v: [f"{k}={v}"], st.sampled_from(KEYS), st.sampled_from(VALUES))
_words = st.one_of(_option, _option, _assignment, st.sampled_from(FLAGS).map(lambda f: [f]),
                   st.sampled_from([*names()[:9], "llama-2-70b", "nope"]).map(lambda n: [n]))
_command = st.sampled_from([[name, *first.split()] for name in COMMANDS
                            for first in FIRST.get(name, ("",))])
GRAMMATICAL = st.builds(
    lambda command, start, parts: [*command, *start, *(word for part in parts for word in part)],
    _command, st.sampled_from([[], [], GIVEN, ["gpt2"], ["llama-2-7b"]]),
    st.lists(_words, max_size=6))
TEXT = st.one_of(st.text(st.characters(exclude_characters="\0"), max_size=20),
                 st.text("dLV=*+-/().,?1e9 _\n", max_size=20),
                 st.sampled_from(("-", "--", "=", "-o", "-h", "..", "/", "~", "\udcff")))
RAW = st.builds(
    lambda command, words: [*command, *words], st.sampled_from([[c] for c in COMMANDS] + [[]]),
    st.lists(TEXT, max_size=5))


def typed(arguments: list[str]) -> bool:
    """Whether a command line may be run here: it writes no file where the tests happen to be."""
    return not any(word.startswith(("-o", "-qo", "--o")) for word in arguments)


@few
@given(GRAMMATICAL)
@example(["count", "gpt2", "L=1e12", "d_model=1e12", "--json"])
@example(["derive", "--assume", "d_ff=1/d_model", "--leading", "--json"])
@example(["derive", "gpt2", "--assume", "d_ff=d_model**64", "--leading"])
def test_grammatical_command_lines(arguments: list[str]) -> None:
    check(arguments)


@few
@given(RAW)
def test_any_text_as_a_command_line(arguments: list[str]) -> None:
    if typed(arguments):
        check(arguments)


@pytest.mark.slow
@many
@given(GRAMMATICAL)
def test_many_grammatical_command_lines(arguments: list[str]) -> None:
    check(arguments)


@pytest.mark.slow
@many
@given(RAW)
def test_any_text_as_a_command_line_many_times(arguments: list[str]) -> None:
    if typed(arguments):
        check(arguments)


@pytest.mark.slow
def test_the_command_lines_are_not_all_refused() -> None:
    """The fuzz would prove little if nearly nothing got past the door."""
    codes: list[int] = []

    @seed(SEED)
    @settings(few, max_examples=200)
    @given(GRAMMATICAL)
    def count_codes(arguments: list[str]) -> None:
        codes.append(outcome(arguments)[0])

    count_codes()
    assert codes.count(0) >= 6
    assert codes.count(2) >= 8


@pytest.mark.thinned(5)
@pytest.mark.parametrize("value", [
    "(" * 31 + "L" + ")" * 31, "d_model**64", "(d_model**64)**64", "((d_model**64)**64)**64",
    "+".join(["d_model"] * 40), "*".join(["(L+d_model)"] * 30), "-" * 300 + "1", "1/(1/(1/(1/L)))",
    "(L+d_model+V+n_heads)**30", "d_model**(1/3)", "2**(1/2)*d_model", "d_model**-64"])
@pytest.mark.parametrize("line", ["count gpt2 d_ff={}", "derive gpt2 d_ff={}",
                                  "derive --assume d_ff={} --leading", "solve P=1e9 d_ff={}"])
def test_expressions_that_swell_end_in_time(line: str, value: str) -> None:
    check([word.format(value) for word in line.split()])


# --- files ----------------------------------------------------------------------------------

CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64,
    "intermediate_size": 172, "num_attention_heads": 4, "num_key_value_heads": 2,
    "num_hidden_layers": 2, "vocab_size": 100, "tie_word_embeddings": False, "rms_norm_eps": 1e-5,
    "torch_dtype": "float16", "hidden_act": "silu", "max_position_embeddings": 64}
DESCRIPTION: dict[str, Any] = {
    "name": "own", "dims": {"V": 100, "L": 4, "d_model": 16, "n_heads": 4, "n_kv": 2,
                            "d_ff": "8/3*d_model, up to 8", "f": 24},
    "model": {"tied": True, "positions": "rope", "final_norm": "rmsnorm"},
    "blocks": [
        {"name": "a", "layers": [0, 2], "attention": {"kind": "gqa", "bias": ["qkv"]},
         "ffn": {"kind": "swiglu"}, "norm": {"kind": "rmsnorm", "per_block": 2}},
        {"name": "b", "layers": "rest", "attention": "gqa",
         "ffn": {"kind": "mlp", "dims": {"d_ff": "f"}}, "norm": "layernorm"}]}
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 7, 10**30, 1.5, float("inf"), "", "x", "L", "rest", "\ud800", [],
    {}, [0], [{}], {"kind": "gqa"}, {"every": 2}, {"every": 0}, "4*d_model", "1/0", "x" * 9999,
    "\x1b[31m", ["qkv"], "none", "mha", {"x": {"y": {}}}, "P", "hidden_size", "n_kv", "\n")


def paths(node: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places in some data."""
    yield here
    below = node.items() if isinstance(node, dict) else (
        enumerate(node) if isinstance(node, list) else ())
    for key, value in below:
        yield from paths(value, (*here, key))


def mutated(data: Any, path: tuple[Any, ...], change: str, value: Any) -> Any:
    """Data with a value replaced or removed, or a key added or renamed, at a path."""
    if not path:
        return value
    data = deepcopy(data)
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    if change == "replace":
        holder[path[-1]] = value
    elif change == "remove":
        del holder[path[-1]]
    elif isinstance(holder, dict):
        kept = holder[path[-1]] if change == "add" else holder.pop(path[-1])
        holder[str(value)[:40]] = kept
    else:
        holder.insert(0, value)
    return data


def mutants(data: Any) -> st.SearchStrategy[Any]:
    """The data with one to three things changed."""
    def change(state: Any) -> st.SearchStrategy[Any]:
        return st.builds(
            lambda path, how, value: mutated(state, path, how, value),
            st.sampled_from(list(paths(state))),
            st.sampled_from(("replace", "remove", "add", "rename")), st.sampled_from(ODD))

    once = change(data)
    return st.one_of(once, once.flatmap(change), once.flatmap(change).flatmap(change))


def as_toml(data: Any) -> str:
    """Data as TOML in one line a key: inline tables, as far as TOML can hold it."""
    def written(value: Any) -> str:
        if isinstance(value, dict):
            pairs = (f"{json.dumps(k)} = {written(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(written, value)) + "]"
        return "inf" if value == float("inf") else json.dumps(value)

    if not isinstance(data, dict):
        return written(data)
    return "".join(f"{json.dumps(k)} = {written(v)}\n" for k, v in data.items())


def counted(text: str, suffix: str, command: str = "count") -> int:
    """The exit code of a command on a file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return check([command, str(path), "--json"])


@few
@given(mutants(CONFIG), st.sampled_from(("count", "derive")))
def test_mutated_configurations(data: Any, command: str) -> None:
    counted(json.dumps(data), ".json", command)


@few
@given(mutants(DESCRIPTION), st.sampled_from((".json", ".toml")), st.sampled_from(
    ("count", "derive")))
def test_mutated_descriptions(data: Any, suffix: str, command: str) -> None:
    counted(json.dumps(data) if suffix == ".json" else as_toml(data), suffix, command)


@st.composite
def scrambled(draw: st.DrawFn) -> tuple[str, str]:
    """The text of a good file with pieces cut out, doubled or replaced."""
    suffix = draw(st.sampled_from((".json", ".toml")))
    data = draw(st.sampled_from((CONFIG, DESCRIPTION)))
    text = json.dumps(data) if suffix == ".json" else as_toml(data)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 9)))
        piece = draw(st.one_of(
            st.just(""), st.just(text[start:end] * 2), st.text(max_size=4),
            st.sampled_from(('"', "{", "}", "[", "]", "\n", "=", "1e999", "NaN"))))
        text = text[:start] + piece + text[end:]
    return text, suffix


@few
@given(scrambled())
def test_scrambled_files(case: tuple[str, str]) -> None:
    counted(*case)


@pytest.mark.slow
@many
@given(st.one_of(mutants(CONFIG).map(lambda d: (json.dumps(d), ".json")),
                 mutants(DESCRIPTION).map(lambda d: (json.dumps(d), ".json")),
                 mutants(DESCRIPTION).map(lambda d: (as_toml(d), ".toml")), scrambled()),
       st.sampled_from(("count", "derive", "solve")))
def test_many_bad_files(case: tuple[str, str], command: str) -> None:
    counted(*case, command)


def test_the_good_files_are_good() -> None:
    assert counted(json.dumps(CONFIG), ".json") == 0
    assert counted(json.dumps(DESCRIPTION), ".json", "derive") == 0
    assert counted(as_toml(DESCRIPTION), ".toml") == 0


@together("raw", [
    b"", b"\xff\xfe", b"\x00" * 100, b"[" * 100_000, b'{"a":' * 100_000, b"{}", b"[]", b"3", b'"x"',
    b'{"model_type": "llama", "model_type": "llama"}', b"NaN", b'{"dims": {}, "blocks": []}',
    b'{"blocks": ' + b"9" * 5000 + b"}", b"a" * (5 * 2**20), b'{"model_type": 5}',
    b'{"model_type": "../gpt2"}', b'{"model_type": "__init__"}', b'{"architectures": []}'])
@together("suffix", [".json", ".toml"])
def test_files_that_are_no_model(tmp_path: Path, raw: bytes, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_bytes(raw)
    assert check(["count", str(path)]) == 2


def test_places_that_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    loop = tmp_path / "loop"
    for place in (tmp_path, tmp_path / "missing.toml", loop, loop / "x.json", Path("/dev/null"),
                  Path("/proc/self/mem"), tmp_path / ("x" * 300 + ".json")):
        assert check(["count", str(place)]) == 2


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "sparse.json"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 2**40)
    assert check(["count", str(path)]) == 2
