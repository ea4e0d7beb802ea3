"""nanoGPT's files: what a run takes that leaves something out, and what its class takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symparam.cli.main import run
from symparam.descriptions.frameworks.nanogpt import recognised
from symparam.descriptions.load import load
from symparam.errors import SymparamError
from tests.helpers import ledger, message, together

#: The settings at the head of train.py, and what follows them.
TRAIN = """import os
out_dir = 'out'
eval_interval = 2000
always_save_checkpoint = True # if True, always save
init_from = 'scratch'
dataset = 'openwebtext'
gradient_accumulation_steps = 5 * 8
block_size = 1024
n_layer = 12
n_head = 12
n_embd = 768
dropout = 0.0
bias = False
dtype = 'bfloat16' if os.path.exists('x') else 'float16'
config_keys = [k for k, v in globals().items()]
exec(open('configurator.py').read())
iter_num = 0
if init_from == 'resume':
    block_size = 3
for iter_num in range(9):
    n_layer = 7
"""
CLASS = """@dataclass
class GPTConfig:
    block_size: int = 1024
    vocab_size: int = 50304 # GPT-2's 50257, padded
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    dropout: float = 0.0
    bias: bool = True

class GPT:
    def __init__(self):
        n_layer = 99
"""
SIDES = "n_layer = 6\nn_head = 6\nn_embd = 384\n"


def told(folder: Path, name: str, text: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What count says of a file."""
    (folder / name).write_text(text)
    assert run(["count", str(folder / name), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


#: Parameters: GPT-2's sizes as OpenAI's checkpoints have them (positions 1024, 50257 tokens); the
#: others by the sum that nanoGPT's readme and model.py print (10.65 M without positions).
RUNS: list[tuple[str, int]] = [
    (TRAIN, 124_373_760), ("batch_size = 12\nblock_size = 1024\nmax_iters = 600000\n", 124_373_760),
    (CLASS, 124_475_904), ("bias = True\nbatch_size = 12\n", 124_475_904),
    ("eval_only = True\ninit_from = 'gpt2'\n", 124_439_808),
    ("eval_only = True\ninit_from = 'gpt2-medium'\nn_layer = 3\n", 354_823_168),
    ("eval_only = True\ninit_from = 'gpt2-large'\n", 774_030_080),
    ("dataset = 'shakespeare'\ninit_from = 'gpt2-xl'\nbias = False\n", 1_557_611_200),
    ("dataset = 'shakespeare'\ninit_from = 'gpt2'\nblock_size = 256\n", 124_439_808 - 768 * 768),
    (f"dataset = 'shakespeare_char'\nblock_size = 256\n{SIDES}", 10_646_784 + 256 * 384)]


@together(("text", "count"), RUNS)
def test_a_run_has_what_train_py_gives_it(text: str, count: int, tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    assert told(tmp_path, "train_mine.py", text, capsys)["total"] == count


def test_a_run_has_no_biases_unless_it_says_so_and_the_class_has(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(tmp_path, "x.py", f"dropout = 0.2\n{SIDES}", capsys)
    assert (found["defaulted"]["bias"], found["defaulted_from"]["bias"]) == (
        False, "train.py's default")
    keys = {"n_layer": 6, "n_head": 6, "n_embd": 384, "block_size": 1024}
    fields = told(tmp_path, "x.json", json.dumps(keys), capsys)
    assert (fields["defaulted"]["bias"], fields["defaulted_from"]["bias"]) == (
        True, "model.py's default")
    assert fields["total"] - found["total"] == 6 * (3 + 1 + 4 + 1 + 2) * 384 + 384
    saved = told(tmp_path, "y.json", json.dumps({**keys, "learning_rate": 1, "max_iters": 3}),
                 capsys)
    assert saved["total"] == found["total"]


def test_tokens_of_a_data_set_that_is_not_known_are_asked_for(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.py"
    path.write_text(f"dataset = 'mine'\nbatch_size = 3\n{SIDES}")
    assert run(["count", str(path)]) == 2
    assert "V" in capsys.readouterr().err
    assert run(["count", str(path), "V=65", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == []


@together(("text", "words"), [
    (f"{SIDES}dataset = 'shakespeare'\nif big:\n    n_layer = 12\n", "n_layer: line 6"),
    (f"{SIDES}for n_layer in range(3):\n    pass\nbatch_size = 3\n", "n_layer: line 4"),
    (f"{SIDES}n_layer += 1\nbatch_size = 3\n", "n_layer: line 4"),
    (f"{SIDES}n_embd = int(x)\nbatch_size = 3\n", "n_embd: line 4"),
    ("batch_size = 3\nbeta1 = 3\nexec(open('base.py').read())\n", "line 3"),
    ("from base import *\nbatch_size = 3\nbeta1 = 3\n", "line 1"),
    ("init_from = 'resume'\nbatch_size = 3\n", "checkpoint"), ("x = (", "not Python (line 1)"),
    (f"{SIDES}n_kv_head = 3\nbatch_size = 3\n", "n_kv_head"), ("(" * 2000, "not Python"),
    ("x = " + "-" * 9000 + "1", "not Python"), ("x = " + "1+" * 9000 + "1", "")])
def test_what_is_in_doubt_is_refused_by_its_line(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(text)
    with pytest.raises(SymparamError) as caught:
        load(str(tmp_path / "x.py"))
    assert words in message(caught.value)


def test_plain_sums_are_worked_out_and_the_last_value_counts(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(
        "n_layer, n_head = 3, 4\nn_embd = n_head * 16\nn_layer = 2\nblock_size = 2 * 64 - 28 // 3\n"
        "vocab_size: int = 1_000\nlearning_rate = 3e-4\n")
    model = load(str(tmp_path / "x.py"))
    assert model.values == {"L": 2, "n_heads": 4, "d_model": 64, "n_ctx": 119, "V": 1000}
    assert len(ledger(model)) > 0


def test_a_python_file_is_nanogpts_by_two_of_its_names() -> None:
    assert [recognised("train.py", data) for data in (
        {}, {"n_layer": 2}, {"n_layer": 2, "x": 3}, {"n_layer": 2, "batch_size": 3})] == [
            False, False, False, True]
    assert not recognised("train.py", {"model_type": "gpt2", "n_layer": 2, "n_head": 2})
