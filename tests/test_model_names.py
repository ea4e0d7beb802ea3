"""MODEL: names of the catalogue, folders, and which of both is meant."""

from __future__ import annotations

from pathlib import Path

from symparam.descriptions.references import published_name
from tests.helpers import LLAMA, Line, config_folder, together


def test_a_folder_that_a_name_of_the_catalogue_hides_is_told(line: Line) -> None:
    config_folder("gpt2", {"model_type": "gpt2", "n_layer": 3})
    code, out, err = line("count gpt2")
    assert (code, "124,439,808" in out) == (0, True)
    assert err == "note: gpt2 is the catalogue's; write ./gpt2 for your own\n"
    code, out, err = line("count ./gpt2")
    assert (code, "124,439,808" in out, err) == (0, False, "")
    assert line("count gpt2 --quiet")[2] == ""
    Path("bert-base").mkdir()  # holds no configuration: nothing is hidden
    assert line("count bert-base")[2] == ""


def test_names_are_found_in_capitals_unless_a_folder_has_them(line: Line) -> None:
    assert line("count Llama-2-7B")[:2] == line("count llama-2-7b")[:2]
    config_folder("Llama-2-7B", LLAMA)
    assert "16," in line("count Llama-2-7B")[1].splitlines()[0]


def test_leading_takes_a_folder_for_a_model(line: Line) -> None:
    config_folder("mine", LLAMA | {"intermediate_size": 64})
    code, out, _ = line("derive --leading mine")
    assert (code, "mine" in out.splitlines()[0]) == (0, True)
    config_folder("V", LLAMA)  # a symbol stays one
    assert "P ≈" in line("derive --leading V")[1]


#: Names as people write them, of each maker the current ones.
TYPED = """
Llama-3-8B Llama-3-70B Llama-3.1-8B Llama-3.1-70B Llama-3.1-405B Llama-3.2-1B Llama-3.2-3B
Llama-3.3-70B Llama-4-Scout Llama-4-Maverick Qwen2.5-0.5B Qwen2.5-7B Qwen2.5-Coder-32B
Qwen2.5-Math-7B QwQ-32B Qwen3-8B Qwen3-235B-A22B Qwen3-Embedding-8B DeepSeek-V3 DeepSeek-V3.1
DeepSeek-V3.2 DeepSeek-V4-Pro DeepSeek-V4-Flash DeepSeek-R1 DeepSeek-R1-Distill-Qwen-32B
DeepSeek-R1-Distill-Llama-70B Kimi-K2 Kimi-K2.5 Kimi-K2.6 GLM-4.5 GLM-4.6 GLM-5 GLM-5.1
MiniMax-M2.5 MiniMax-M2.7 gpt-oss-20b gpt-oss-120b Mistral-7B Mistral-Large-2411 Ministral-3-8B
Devstral-2-123B Codestral-22B Magistral-Small gemma-2-9b gemma-3-27b CodeGemma-7b Phi-3.5-mini
Phi-4 Phi-4-mini OLMo-2-32B Olmo-3-7B Olmo-3.1-32B Falcon3-7B SmolLM-135M SmolLM2-1.7B SmolLM3-3B
Nemotron-3-Nano-30B-A3B Nemotron-3-Super-120B-A12B TinyLlama-1.1B CodeLlama-34b Qwen3.5-9B
Qwen3.5-397B-A17B Qwen3.6-27B Qwen3-VL-8B Qwen2.5-VL-7B Qwen3-Coder-30B-A3B Qwen3-Coder-Next
Qwen3-Next-80B-A3B gemma-3n-E4B gemma-4-31B gemma-4-26B-A4B GLM-4.7 GLM-5.2 Kimi-K2-Thinking
Kimi-Linear-48B-A3B Moonlight-16B-A3B granite-3.1-8b granite-4.0-h-small Llama-3.2-90B-Vision
Mistral-Small-3.2 MiniMax-M2 LFM2.5-1.2B AFM-4.5B A.X-K1 SOLAR-10.7B Yi-34B Olmo-Hybrid-7B
MiniMax-M3 Qwen3-VL-235B-A22B Mistral-Small-4 granite-4.0-micro deepseek-coder-33b deepseek-llm-7b
Qwen1.5-14B MiniMax-M1 Nemotron-H-47B Llama-3.1-Nemotron-70B EXAONE-4.5-33B
""".split()


@together("name", TYPED)
def test_what_people_type_is_published(name: str) -> None:
    assert published_name(name) == name.lower()


def test_names_with_other_dots_and_dashes_have_the_one_meant_offered(line: Line) -> None:
    for typed, meant in (("Llama3.1-8B", "llama-3.1-8b"), ("qwen2_5-7b", "qwen2.5-7b"),
                         ("deepseek_v3.1", "deepseek-v3.1"), ("gemma3-27b", "gemma-3-27b"),
                         ("phi4-mini", "phi-4-mini"), ("gptoss-20b", "gpt-oss-20b")):
        assert f"did you mean {meant} or" in line(f"count {typed}")[2]
