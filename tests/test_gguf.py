"""GGUF files: what the gguf library writes is read back, as a model and as a table of tensors."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symparam.checkpoints.compare import compare
from symparam.checkpoints.expected import expected
from symparam.checkpoints.gguf import held_against
from symparam.cli.main import run
from symparam.descriptions.config import read_config
from symparam.descriptions.gguf.blocks import KINDS
from symparam.descriptions.gguf.model import gguf_model, known_architectures
from symparam.descriptions.gguf.reader import read_gguf
from symparam.descriptions.load import load
from symparam.errors import SpecError
from symparam.resolve import numbers
from tests.helpers import data, message, together

MODELS: list[dict[str, Any]] = data("gguf.json")
QUANTISED = {"F16": "F16", "Q8_0": "Q8_0", "Q4_K": "Q6_K"}


def renamed(record: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """A module's tensors as llama.cpp's converter stores them, named by its own table."""
    gguf = pytest.importorskip("gguf")
    kind = record["architecture"]
    number = next(k for k, v in gguf.MODEL_ARCH_NAMES.items() if v == kind)
    table = gguf.get_tensor_name_map(number, layers(record["config"]))
    found: dict[str, tuple[int, ...]] = {}
    for name, shape in plain(record):
        for old, new in (("e_score_correction_bias", "e_score_correction.bias"),):
            name = name.replace(old, new)
        own = table.get_name(name, try_suffixes=(".weight", ".bias"))
        assert own is not None, name
        found[own] = tuple(side for side in shape if side != 1) or (1,)
    return found


def plain(record: dict[str, Any]) -> list[tuple[str, list[int]]]:
    """The same tensors with experts' gate and up apart, and Conv1D as outputs × inputs."""
    rows = []
    for name, shape in record["tensors"].items():
        if name.endswith("experts.gate_up_proj"):
            half = [shape[0], shape[1] // 2, shape[2]]
            stem = name.removesuffix("gate_up_proj")
            rows += [(f"{stem}gate_proj.weight", half), (f"{stem}up_proj.weight", half)]
        elif name.endswith("experts.down_proj"):
            rows.append((f"{name}.weight", shape))
        elif record["architecture"] == "gpt2" and len(shape) == 2 and ".h." in name:
            rows.append((name, shape[::-1]))
        else:
            rows.append((name, shape))
    return rows


def layers(config: dict[str, Any]) -> int:
    """How many there are."""
    return int(config.get("num_hidden_layers") or config["n_layer"])


def kind_of(name: str, shape: tuple[int, ...], kinds: tuple[str, str]) -> str:
    """The type of a tensor, as llama.cpp mixes them: vectors whole, values finer than the rest."""
    if len(shape) == 1 or name.startswith(("blk.0.ssm_a", "position")) or "ssm_" in name or (
            "gate_inp" in name):
        return "F32"
    kind = kinds["attn_v" in name or "ffn_down" in name or name == "output.weight"]
    return "Q5_0" if shape[-1] % 256 and kind.endswith("K") else kind


def written(path: Path, record: dict[str, Any], kinds: tuple[str, str], **options: Any) -> int:
    """The file, or its parts, as the library writes it; its size."""
    gguf = pytest.importorskip("gguf")
    numpy = pytest.importorskip("numpy")
    writer = gguf.GGUFWriter(path, record["architecture"], **options)
    keys(writer, record)
    for name, shape in renamed(record).items():
        kind = gguf.GGMLQuantizationType[kind_of(name, shape, kinds)]
        block, size = gguf.GGML_QUANT_SIZES[kind]
        raw = numpy.zeros((*shape[:-1], shape[-1] // block * size), dtype=numpy.uint8)
        writer.add_tensor(name, raw, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return sum(each.stat().st_size for each in path.parent.glob(f"{path.stem}*.gguf"))


def keys(writer: Any, record: dict[str, Any]) -> None:
    """The keys that llama.cpp's converter writes for a configuration."""
    c, kind = record["config"], record["architecture"]
    writer.add_name(record["name"])
    writer.add_block_count(layers(c))
    writer.add_embedding_length(c.get("hidden_size") or c["n_embd"])
    writer.add_context_length(c.get("n_positions", 4096))
    writer.add_token_list([f"t{i}" for i in range(c["vocab_size"])])
    writer.add_token_scores([0.0] * c["vocab_size"])
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    if kind == "mamba":
        writer.add_feed_forward_length(0)
        writer.add_head_count(0)
        writer.add_ssm_conv_kernel(4)
        writer.add_ssm_inner_size(2 * c["hidden_size"])
        writer.add_ssm_state_size(c["state_size"])
        writer.add_ssm_time_step_rank(c["time_step_rank"])
        return
    heads = c.get("num_attention_heads") or c["n_head"]
    writer.add_head_count(heads)
    width = c.get("hidden_size") or c["n_embd"]
    writer.add_feed_forward_length(c.get("intermediate_size") or c.get("n_inner") or 4 * width)
    if kind == "falcon":
        writer.add_head_count_kv(c.get("num_kv_heads", 1))
    elif kind not in {"gpt2", "gptneox"}:
        writer.add_head_count_kv(1 if kind == "deepseek2" else c["num_key_value_heads"])
    if kind == "deepseek2":
        latent(writer, c)
    elif "head_dim" in c:
        writer.add_key_length(c["head_dim"])
        writer.add_value_length(c["head_dim"])
    if "sliding_window" in c:
        writer.add_sliding_window(c["sliding_window"])
    if experts := c.get("num_experts") or c.get("num_local_experts") or c.get("n_routed_experts"):
        writer.add_expert_count(experts)
        writer.add_expert_used_count(c["num_experts_per_tok"])
    if "moe_intermediate_size" in c:
        writer.add_expert_feed_forward_length(c["moe_intermediate_size"])
    if "shared_expert_intermediate_size" in c:
        writer.add_expert_shared_feed_forward_length(c["shared_expert_intermediate_size"])


def latent(writer: Any, c: dict[str, Any]) -> None:
    """The keys of latent attention, as one key-value head of the latents' widths."""
    if c["q_lora_rank"]:
        writer.add_q_lora_rank(c["q_lora_rank"])
    writer.add_kv_lora_rank(c["kv_lora_rank"])
    writer.add_key_length(c["kv_lora_rank"] + c["qk_rope_head_dim"])
    writer.add_value_length(c["kv_lora_rank"])
    writer.add_key_length_mla(c["qk_nope_head_dim"] + c["qk_rope_head_dim"])
    writer.add_value_length_mla(c["v_head_dim"])
    writer.add_rope_dimension_count(c["qk_rope_head_dim"])
    writer.add_leading_dense_block_count(c["first_k_dense_replace"])
    writer.add_expert_shared_count(c["n_shared_experts"])
    writer.add_vocab_size(c["vocab_size"])


@pytest.mark.thinned(5)
@pytest.mark.parametrize("kinds", QUANTISED.items(), ids=list(QUANTISED))
@pytest.mark.parametrize("record", MODELS, ids=[r["name"] for r in MODELS])
def test_what_the_library_writes_is_read_back_to_the_byte(
        record: dict[str, Any], kinds: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    size = written(path, record, kinds)
    file = read_gguf(path)
    wanted = renamed(record)
    assert {tensor.name: tensor.shape for tensor in file.tensors} == wanted
    for tensor in file.tensors:
        assert tensor.kind.name == kind_of(tensor.name, wanted[tensor.name], kinds)
    model = gguf_model(path)
    ledger = model.ledger(numbers(model).values)
    buffers = sum(shape[0] for name, shape in wanted.items() if "exp_probs_b" in name)
    total = sum(number(shape) for shape in wanted.values())
    assert ledger.total() == total - buffers
    # the file's own header, and the configuration that it was made from
    for each in (model, read_config("config", record["config"], "config")):
        named, found, weight = held_against(each, file)
        assert compare(expected(named), found, named.part).equal
        assert weight.expected == weight.size == size


def number(shape: tuple[int, ...]) -> int:
    """Numbers in a tensor."""
    count = 1
    for side in shape:
        count *= side
    return count


def test_ten_architectures_are_read() -> None:
    assert len({record["architecture"] for record in MODELS}) >= 10
    assert {record["architecture"] for record in MODELS} == set(known_architectures())


def test_bytes_of_blocks_are_those_of_the_library() -> None:
    gguf = pytest.importorskip("gguf")
    theirs = {int(kind): (kind.name, *sizes) for kind, sizes in gguf.GGML_QUANT_SIZES.items()
              if kind.name != "Q8_1"}
    assert theirs == {number: (kind.name, kind.block, kind.size) for number, kind in KINDS.items()}


# --- by hand --------------------------------------------------------------------------------

#: Bits a weight, from what llama.cpp states of its blocks (ggml-common.h).
BITS = {"Q4_0": 4.5, "Q4_1": 5, "Q5_0": 5.5, "Q5_1": 6, "Q8_0": 8.5, "Q2_K": 2.625, "Q3_K": 3.4375,
        "Q4_K": 4.5, "Q5_K": 5.5, "Q6_K": 6.5625, "Q8_K": 9.125, "IQ1_S": 1.5625, "IQ1_M": 1.75,
        "IQ2_XXS": 2.0625, "IQ2_XS": 2.3125, "IQ2_S": 2.5625, "IQ3_XXS": 3.0625, "IQ3_S": 3.4375,
        "IQ4_NL": 4.5, "IQ4_XS": 4.25, "TQ1_0": 1.6875, "TQ2_0": 2.0625, "MXFP4": 4.25,
        "NVFP4": 4.5, "Q1_0": 1.125, "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "I8": 8,
        "I16": 16, "I32": 32, "I64": 64}


def test_a_weight_has_the_bits_that_are_stated_of_its_type() -> None:
    assert {kind.name: kind.size * 8 / kind.block for kind in KINDS.values()} == BITS


def text(value: str) -> bytes:
    """A text as a header has it."""
    return struct.pack("<Q", len(value.encode())) + value.encode()


def key(name: str, value: Any) -> bytes:
    """A key with a whole number or a text."""
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    return text(name) + struct.pack("<IQ", 10, value)


def tensor(name: str, shape: tuple[int, ...], kind: int, offset: int) -> bytes:
    """A row of the table."""
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, offset)


def header(keys: list[bytes], tensors: list[bytes], *, version: int = 3, data: int = 64) -> bytes:
    """A file of these parts."""
    raw = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys)) + b"".join(keys + tensors)
    return raw + bytes(-len(raw) % 32 + data)


LLAMA = {"block_count": 2, "embedding_length": 32, "attention.head_count": 2,
         "feed_forward_length": 64, "vocab_size": 96}
KEYS = [key("general.architecture", "llama"),
        *(key(f"llama.{name}", value) for name, value in LLAMA.items())]


def of_qwen2() -> list[bytes]:
    """The same keys, of another architecture."""
    return [key("general.architecture", "qwen2"),
            *(key(f"qwen2.{name}", value) for name, value in LLAMA.items())]


def test_a_width_of_heads_that_says_nothing_new_is_taken(tmp_path: Path) -> None:
    totals = []
    for more in ([], [key("qwen2.attention.key_length", 16)]):
        path = tmp_path / "small.gguf"
        path.write_bytes(header([*of_qwen2(), *more], []))
        model = load(str(path))
        totals.append(model.ledger(numbers(model).values).total())
    assert totals[0] == totals[1]


def test_a_header_without_tensors_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    path.write_bytes(header(KEYS, []))
    model = load(str(path))
    assert model.name == "small"
    assert model.ledger(numbers(model).values).total() == (
        96 * 32 + 32 + 2 * (4 * 32 * 32 + 3 * 32 * 64 + 2 * 32))


BAD: list[tuple[bytes, str]] = [
    (b"", "is empty"), (b"GGUF", "ends within"), (b"GGML" + bytes(90), "does not begin with GGUF"),
    (header(KEYS, [], version=1), "version 1"), (header(KEYS, [], version=3 << 24), "big-endian"),
    (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0), "tensors, more than"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "keys, more than"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + b"\xff" * 8 + bytes(50), "more than it may have"),
    (header([key("a", 1), key("a", 1)], []), "stands twice"),
    (header([text("a") + struct.pack("<I", 77)], []), "type 77"),
    (header([text("a") + struct.pack("<IIQ", 9, 8, 2**62)], []), "entries in arrays"),
    (header([text("a") + struct.pack("<IIQ", 9, 4, 2**62)], []), "more than it may have"),
    (header([text("a") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 9], []), "deeper than"),
    (header([text("a") + struct.pack("<IIQ", 9, 9, 2**62)], []), "entries in arrays"),
    (header([key("general.alignment", 7)], []), "general.alignment = 7"),
    (header(KEYS, [tensor("x", (3, 32), 8, 0)], data=101), "are not inside the file"),
    (header(KEYS, [tensor("x", (3, 33), 8, 0)]), "do not go into blocks of 32"),
    (header(KEYS, [tensor("x", (3, 32), 99, 0)]), "type 99"),
    (header(KEYS, [tensor("x", (2**62, 32), 0, 0)]), "sides of"),
    (header(KEYS, [tensor("x", (), 0, 0)]), "0 sides"),
    (header(KEYS, [tensor("x", (1,) * 9, 0, 0)]), "9 sides"),
    (header(KEYS, [tensor("x", (8,), 0, 32)]), "where 0 is expected"),
    (header(KEYS, [tensor("x", (8,), 0, 0), tensor("y", (8,), 0, 0)]), "where 32 is expected"),
    (header(KEYS, [tensor("x", (8,), 0, 0), tensor("x", (8,), 0, 32)]), "stands twice"),
    (header([key("general.architecture", "lama")], []), "did you mean llama?"),
    (header([key("general.architecture", 7)], []), "general.architecture: '7' is not"),
    (header([key("general.architecture", "gptneox"),
             *(key(f"gptneox.{name}", value) for name, value in LLAMA.items()),
             key("gptneox.attention.head_count_kv", 1)], []), "gptneox.attention.head_count_kv"),
    (header([*of_qwen2(), key("qwen2.attention.key_length", 15)], []), "key_length: 15 is not"),
    (header([*KEYS, key("llama.new_thing", 1)], []), "llama.new_thing: a key that llama"),
    (header([*KEYS[:3], KEYS[-1]], []), "attention.head_count is missing"),
    (header([*KEYS[:2], key("llama.block_count", "x")], []), "stands twice"),
    (header([KEYS[0], key("llama.block_count", "x"), *KEYS[2:]], []), "expected a whole number"),
    (header([KEYS[0], key("llama.block_count", 2**63), *KEYS[2:]], []), "layers"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:4\n", "Git-LFS pointer")]


@together(("raw", "words"), BAD, ids=[words for _, words in BAD])
def test_a_hostile_header_is_refused_with_what_is_wrong(raw: bytes, words: str,
                                                        tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(raw)
    with pytest.raises(SpecError) as caught:
        load(str(path))
    assert words in message(caught.value)


def test_arrays_and_long_texts_are_passed_over(tmp_path: Path) -> None:
    tokens = struct.pack("<IIQ", 9, 8, 70000) + text("some token") * 70000
    scores = struct.pack("<IIQ", 9, 6, 70000) + bytes(280000)
    path = tmp_path / "x.gguf"
    path.write_bytes(header([*KEYS[:-1], text("tokenizer.ggml.tokens") + tokens,
                             text("tokenizer.ggml.scores") + scores,
                             key("tokenizer.chat_template", "x" * 50000)], []))
    assert load(str(path)).values["V"] == 70000


# --- check ----------------------------------------------------------------------------------

@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command line: exit code, stdout, stderr."""
    def line(*words: str | Path) -> tuple[int, str, str]:
        code = run([str(word) for word in words])
        out = capsys.readouterr()
        return code, out.out, out.err

    return line


def test_check_says_the_files_size(tmp_path: Path, ran: Callable[..., Any]) -> None:
    record = MODELS[0]
    path, config = tmp_path / "m.gguf", tmp_path / "config.json"
    size = written(path, record, ("Q4_K", "Q6_K"))
    config.write_text(json.dumps(record["config"]))
    code, out, _ = ran("check", config, path)
    assert code == 0
    assert f"{size:,} bytes" in out
    assert re.search(r"Q4_K: \d+ tensors, [\d,]+ bytes", " ".join(out.split()))
    found = json.loads(ran("check", path, path, "--json")[1])
    assert found["equal"]
    assert found["file"]["bytes"] == found["file"]["expected"] == size
    assert {row["type"] for row in found["file"]["types"]} == {"F32", "Q4_K", "Q6_K"}
    code, out, _ = ran("check", config, "L=2", path)
    assert code == 1
    assert "blk.2.attn_q.weight" in out
    with path.open("ab") as file:
        file.write(b"x")
    code, out, _ = ran("check", config, path)
    assert code == 1
    assert f"{size + 1:,}" in out


def test_a_vocabulary_that_is_not_the_tokenizers_is_told(tmp_path: Path,
                                                         ran: Callable[..., Any]) -> None:
    path = tmp_path / "x.gguf"
    tokens = text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 99) + text("t") * 99
    rows = [("token_embd.weight", (96, 32)), ("output_norm.weight", (32,))]
    table, offset = [], 0
    for name, shape in rows:
        table.append(tensor(name, shape, 0, offset))
        offset += 4 * number(shape)
    path.write_bytes(header([*KEYS, tokens], table, data=offset))
    config = tmp_path / "config.json"
    config.write_text(json.dumps({
        "model_type": "llama", "vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 64}))
    code, out, _ = ran("check", config, path)
    assert code == 1
    said = "tokenizer.ggml.tokens has 99 tokens, the embedding 96 rows: 3 tokens have none"
    assert said in " ".join(out.split())
