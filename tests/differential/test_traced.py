"""What is made of traces of modules that torch builds: tensor by tensor, from the file too."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import symparam as sp
from symparam.cli.main import run
from symparam.layout import pattern
from symparam.traced.records import Trace
from symparam.tracing.sources.target import Target
from symparam.tracing.sources.targets import find_target

pytestmark = pytest.mark.differential

HYBRID = '''
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, width, kernel, expand):
        super().__init__()
        inner = expand * width
        self.in_proj = nn.Linear(width, 2 * inner)
        self.conv = nn.Conv1d(inner, inner, kernel, groups=inner)
        self.decay = nn.Parameter(torch.zeros(inner))
        self.out_proj = nn.Linear(inner, width)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        assert width % heads == 0
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.q_norm = nn.RMSNorm(width // heads)
        self.proj = nn.Linear(width, width, bias=False)
        self.register_buffer("mask", torch.zeros(heads, 1))


class Block(nn.Module):
    def __init__(self, i, width, heads, kernel, expand, ratio, multiple):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        if i % 3 == 2:
            self.attn = Attention(width, heads)
        else:
            self.mixer = Mixer(width, kernel, expand)
        hidden = multiple * ((int(ratio * width) + multiple - 1) // multiple)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)


class Hybrid(nn.Module):
    def __init__(self, vocab=500, width=64, depth=9, heads=4, kernel=4, expand=2, ratio=2.5,
                 multiple=16, tied=True):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.blocks = nn.ModuleList(Block(i, width, heads, kernel, expand, ratio, multiple)
                                    for i in range(depth))
        self.norm_out = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocab, bias=False)
        if tied:
            self.lm_head.weight = self.embed.weight
'''
TYPES = ("qwen3", "deepseek_v3", "whisper", "vit", "mamba2", "llava")


def built(target: Target, **changes: int) -> Counter[tuple[str, tuple[int, ...]]]:
    """The tensors that the target has, pattern and shape to how many."""
    named = {str(path[-1]): path for path in target.base if len(path) == 1}
    values = dict(target.base) | {named[name]: value for name, value in changes.items()}
    return Counter((pattern(name), tensor.shape) for name, tensor in target.table(values).items()
                   if tensor.tied_to is None and tensor.status != "buffer")


def listed(model: Any, **dims: int) -> Counter[tuple[str, tuple[int, ...]]]:
    """The tensors that a model has."""
    found: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for tensor in model.tensors(**dims):
        found[tensor.name, tuple(tensor.shape)] += tensor.copies
    return found


def without_torch(path: Path, **dims: int) -> Mapping[str, Any]:
    """What a process that cannot import torch counts of a file."""
    code = ("import sys; sys.modules['torch'] = sys.modules['transformers'] = None; "
            "from symparam.cli.main import run; sys.exit(run(sys.argv[1:]))")
    words = [f"{name}={value}" for name, value in dims.items()]
    shown = subprocess.run([sys.executable, "-c", code, "count", str(path), *words, "--json"],
                           capture_output=True, text=True, check=True)
    found: Mapping[str, Any] = json.loads(shown.stdout)
    return found


@pytest.mark.parametrize("name", TYPES)
def test_a_model_type_is_what_transformers_builds(name: str) -> None:
    target = find_target(f"transformers:{name}", {})
    model = sp.trace(f"transformers:{name}")
    assert listed(model) == built(target)
    assert model.derive().value == model.count()
    assert isinstance(model.trace, Trace)


def test_a_module_of_ones_own_follows_its_numbers_from_its_file(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, kept = tmp_path / "hybrid.py", tmp_path / "hybrid.toml"
    source.write_text(HYBRID, encoding="utf-8")
    assert run(["trace", f"{source}:Hybrid", "-o", str(kept), "-q"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "ratio is held at 2.5" in shown
    target, model = find_target(f"{source}:Hybrid", {}), sp.load(str(kept))
    for changes in ({}, {"width": 96, "depth": 7, "heads": 6}, {"vocab": 11, "multiple": 100},
                    {"expand": 3, "kernel": 2, "depth": 3}):
        assert listed(model, **changes) == built(target, **changes), changes
        total = sum(n * _numel(shape) for (_, shape), n in built(target, **changes).items())
        assert without_torch(kept, **changes)["total"] == total
    with pytest.raises(sp.SymparamError):
        model.count(width=90)


def _numel(shape: tuple[int, ...]) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product


def test_a_configuration_with_code_of_its_own_is_run_where_it_is_trusted(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "configuration_tiny.py").write_text(
        "from transformers import PretrainedConfig\n\n\nclass TinyConfig(PretrainedConfig):\n"
        "    model_type = 'tiny_of_mine'\n\n"
        "    def __init__(self, width=32, depth=2, words=100, **others):\n"
        "        self.width, self.depth, self.words = width, depth, words\n"
        "        super().__init__(**others)\n", encoding="utf-8")
    (tmp_path / "modeling_tiny.py").write_text(
        "from torch import nn\nfrom transformers import PreTrainedModel\n"
        "from .configuration_tiny import TinyConfig\n\n\nclass Tiny(PreTrainedModel):\n"
        "    config_class = TinyConfig\n\n    def __init__(self, config):\n"
        "        super().__init__(config)\n"
        "        self.embed = nn.Embedding(config.words, config.width)\n"
        "        self.layers = nn.ModuleList(nn.Linear(config.width, 3 * config.width)\n"
        "                                    for _ in range(config.depth))\n"
        "        self.post_init()\n", encoding="utf-8")
    (tmp_path / "config.json").write_text(json.dumps({
        "model_type": "tiny_of_mine", "width": 16, "depth": 3, "words": 50,
        "auto_map": {"AutoConfig": "configuration_tiny.TinyConfig",
                     "AutoModel": "modeling_tiny.Tiny"}}), encoding="utf-8")
    assert run(["trace", str(tmp_path)]) == 2
    assert "--trust" in capsys.readouterr().err
    assert run(["trace", str(tmp_path), "--trust", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["count"]["total"] == 50 * 16 + 3 * (3 * 16 * 17)


def test_a_configuration_is_counted_as_its_family_counts_it(tmp_path: Path) -> None:
    from transformers import GPT2Config, Qwen3Config

    for config in (GPT2Config(n_layer=2, n_embd=64, n_head=4, architectures=["GPT2LMHeadModel"]),
                   Qwen3Config(num_hidden_layers=2, hidden_size=64, num_attention_heads=4,
                               num_key_value_heads=2, head_dim=16, intermediate_size=96,
                               vocab_size=500, architectures=["Qwen3ForCausalLM"])):
        path = tmp_path / "config.json"
        config.to_json_file(str(path))
        stated = sp.load(str(path))
        for traced in (sp.trace(config), sp.trace(path), sp.trace(config.to_dict())):
            assert traced.count() == stated.count()
            assert {t.name: t.shape for t in traced.tensors()} == {
                t.name: t.shape for t in stated.tensors()}
