"""Sessions at the command line, word for word: what each command prints, and where it ends.

A session is a file of ``tests/golden/sessions``. Each line of it that begins with ``$`` is run in
a folder that has the files of :data:`FILES`; what is printed follows, remarks and errors behind
``!``, then the exit code where it is not 0. ``pytest --update-golden`` runs the lines again.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from symparam.cli.main import cli, run

FOLDER = Path(__file__).parent / "golden" / "sessions"
SESSIONS = sorted(path.stem for path in FOLDER.glob("*.txt"))

LLAMA: dict[str, Any] = {
    "model_type": "llama", "vocab_size": 1000, "hidden_size": 96, "num_hidden_layers": 4,
    "num_attention_heads": 6, "num_key_value_heads": 2, "intermediate_size": 256,
    "max_position_embeddings": 128, "tie_word_embeddings": False}
MIXTURE = LLAMA | {"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2,
                   "sliding_window": 64}
FILES = {
    "llama.json": json.dumps(LLAMA),
    "mixture.json": json.dumps(MIXTURE),
    "strange.json": json.dumps(LLAMA | {"hidden_sise": 128}),
    "wrong.json": json.dumps(LLAMA | {"num_attention_heads": 7}),
    "unknown.json": json.dumps({"model_type": "lama", "vocab_size": 3}),
    "broken.json": '{"model_type": "llama",',
    "train.sh": "ARGS=\"--num-layers 4 --hidden-size 96\"\nLAYERS=$MORE\n"
                "torchrun pretrain_gpt.py $ARGS --num-attention-heads 6 --vocab-size 1000 "
                "--position-embedding-type rope --swiglu --ffn-hidden-size 256 > log\n",
    "table.csv": "model,d_model,layers,heads,d_ff,params\nsmall,768,12,12,3072,124M\n"
                 "medium,1024,24,16,4096,355M\nlarge,1280,36,20,5120,700M\n",
    "turned.md": "| | A | B |\n| --- | --- | --- |\n| layers | 12 | 24 |\n"
                 "| d_model | 768 | 1024 |\n"
                 "| heads | 12 | 16 |\n| d_ff | 3072 | 4096 |\n| vocabulary | 50257 | 50257 |\n"
                 "| parameters | 124M | 354 M |\n",
    "hybrid.toml": """
[dims]
V = 1000
L = 12
d_model = 64
n_heads = 4
n_kv = 2
d_ff = 128
n_experts = 8
top_k = 2
d_expert = 32
[[blocks]]
name = "full"
layers = { every = 6, from = 5, to = 20 }
attention = "gqa"
ffn = "moe"
norm = "rmsnorm"
[[blocks]]
name = "sliding"
layers = "rest"
attention = { kind = "gqa", window = { size = 16, except = { every = 2, from = 1, to = 30 } } }
ffn = { kind = "swiglu" }
norm = "rmsnorm"
""",
    "notation.toml": '[symbols]\nd_model = "h"\nn_heads = "a"\n',
}


def printed(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints, as a session has it."""
    code = run(shlex.split(line)[1:])
    out, err = capsys.readouterr()
    remarks = "".join(f"! {each}\n" for each in err.splitlines())
    return f"{out}{remarks}{f'(exit code {code})' + chr(10) if code else ''}"


#: A command line that each option is added to.
BARE = {
    "cost": "llama.json", "derive": "llama.json", "count": "llama.json",
    "solve": "llama.json P=1e6 L=?", "sensitivity": "llama.json",
    "compare": "llama.json mixture.json", "sweep": "llama.json L=2,4",
    "plot": "isoflop llama.json --compute 1e18 -o p.csv --force", "align": "llama.json",
    "explore": "llama.json -o e.html --force", "check": "table.csv",
    "diff": "llama.json mixture.json", "trace": "nowhere.json", "convert": "llama.json",
    "bundle": "llama.json", "models": "", "components": ""}
#: What options are given: nothing, words, numbers that are no size, a rule, more than one thing.
GIVEN = ("", "x", "0", "-1", "1/2", "7", "200%", "d_model", "L=3", "a,b")
LISTED = re.compile(r"((?:known|one of|symbols are|;):? )(?:'text'|[\w-]+, |\d+ are known|V L ).*")
#: Options whose values are files, and those that the platform has a say in.
FILED = {"out", "output", "template", "notation", "from_table", "certificate", "resume", "bib"}


def taken(words: str, option: str, capsys: pytest.CaptureFixture[str]) -> str:
    """How a line ends with an option: its refusal, or the first line of what is printed; once for
    all of :data:`GIVEN` of which the same is said."""
    said: dict[str, list[str]] = {}
    for given in GIVEN:
        code = run([*words.split(), option, given])
        out, err = capsys.readouterr()
        first = (err.splitlines() or [""])[-1] if code == 2 else next(iter(out.splitlines()), "")
        first = first.replace(repr(given), "VALUE").replace(f"= {given}:", "= VALUE:")
        first = LISTED.sub(r"\1...", first)  # (what is added is in lists without another edit)
        said.setdefault(f"({code}) {first}".rstrip(), []).append(repr(given))
    return f"{option}\n" + "".join(f"  {' '.join(given)}: {end}\n" for end, given in said.items())


def own_options(command: str) -> list[str]:
    """The options with a value that no command before it has: what is shared, one test covers."""
    found: dict[str, list[str]] = {}
    seen: set[tuple[str, str | None]] = set()
    for name in BARE:
        listed = cli.get_command(click.Context(cli), name)
        assert listed is not None
        options = {(each.opts[-1], each.help): each.opts[-1] for each in listed.params
                   if isinstance(each, click.Option) and each.name not in FILED
                   and not (each.is_flag or each.count)}
        found[name] = [option for key, option in options.items() if key not in seen]
        seen |= set(options)
    return found[command]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("command", BARE)
def test_what_an_option_takes_and_what_it_refuses(
        command: str, golden: Callable[[str, str], None], tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each option that takes a value, with each of :data:`GIVEN`."""
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    golden(f"options/{command}.txt", "".join(
        taken(f"{command} {BARE[command]}", option, capsys) for option in own_options(command)))


#: Lines that need what an extra brings.
WANTING = ("plot parts gpt2 -o p.svg", "sweep gpt2 L=1:12 -o s.parquet", "count train.yaml",
           "count nobody/nothing", "check gpt2 transformers", "check gpt2 nobody/nothing",
           "bundle gpt2 -o b")
#: Run in a process of its own, where none of them can be imported.
CHILD = """import contextlib, io, json, shlex, sys
for name in ("matplotlib", "pyarrow", "yaml", "huggingface_hub", "torch", "transformers", "timm"):
    sys.modules[name] = None
from symparam.cli.main import run
for line in sys.argv[1:]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(shlex.split(line))
    print("$ symparam", line)
    print("".join(f"! {each}\\n" for each in err.getvalue().splitlines()), end="")
    print(f"(exit code {code})\\n")
"""


def test_what_is_said_where_an_extra_is_not_installed(golden: Callable[[str, str], None],
                                                      tmp_path: Path) -> None:
    for file, text in (*FILES.items(), ("train.yaml", "n_embd: 64\nn_head: 4\n")):
        (tmp_path / file).write_text(text, encoding="utf-8")
    told = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    said = subprocess.run([sys.executable, "-c", CHILD, *WANTING], cwd=tmp_path, check=True,
                          capture_output=True, text=True, env={
                              **told, "COLUMNS": "80", "HF_HOME": str(tmp_path / "hub")})
    golden("without-extras.txt", said.stdout)


def test_there_are_sessions_of_every_command() -> None:
    from symparam.cli.main import COMMANDS

    said = {line.split()[2] for name in SESSIONS for line in FOLDER.joinpath(f"{name}.txt")
            .read_text("utf-8").splitlines() if line.startswith("$ symparam ")}
    apart = {"docs", "trace", "bundle", "explore", "models", "components"}  # (longer, or lists)
    assert set(COMMANDS) - apart <= said


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_as_it_was(name: str, golden: Callable[[str, str], None], tmp_path: Path,
                                monkeypatch: pytest.MonkeyPatch,
                                capsys: pytest.CaptureFixture[str]) -> None:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    kept = FOLDER.joinpath(f"{name}.txt").read_text(encoding="utf-8")
    lines = [line for line in kept.splitlines() if line.startswith("$ ")]
    golden(f"sessions/{name}.txt",
           "\n".join(f"{line}\n{printed(line[2:], capsys)}" for line in lines))
