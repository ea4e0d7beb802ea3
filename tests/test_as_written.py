"""What is written of models of many kinds stays as it was: each answer as its length and a digest.

Sessions and golden files show every word of a few models; this notices where another one's changed.
The answers that list quantities or components are left out: what is added is in them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

import pytest

from tests.helpers import Line

#: Models that differ in what they are made of, and in how far a line goes.
MODELS = ("gpt2-xl", "qwen2.5-7b", "mixtral-8x7b", "deepseek-v3", "jamba-v0.1", "t5-small",
          "gemma-3-4b", "mamba2-1.3b", "whisper-tiny", "albert-base")
ANSWERS = {
    "derivations": [
        "derive {} --latex", "derive {} --format typst --notation hf", "derive {} --detail full",
        "derive {} --latex --detail appendix --text-width 8.4", "derive {} --leading",
        "derive {} --format html --detail brief", "derive {} --sensitivity --format markdown"],
    "quantities": [
        "derive {} --quantity flops s=2048 --latex --text-width 8.4",
        "derive {} --quantity kv_cache s=5000 --format markdown --assume none",
        "derive {} --quantity active --latex --notation megatron"],
    "sizes": [
        "sensitivity {}", "sensitivity {} --latex --text-width 8.4",
        "sensitivity {} --quantity flops s=2048 --format markdown", "align {}",
        "solve {} P=9e9 L=? --tolerance 5% --latex", "diff gpt2 {} --latex --text-width 8.4",
        "diff {} llama-2-7b --format markdown", "derive {} --exercise"],
    "pictures": [
        "plot layers {} --format csv", "plot pie {} --format csv",
        "plot cache {} s=1000,90000 --format csv", "plot compare gpt2 {} --format csv",
        "plot flow {} --format mermaid", "plot shares {} gpt2 --format csv"],
}
#: Answers to questions of one model alone.
ASKED = {
    "claims": """
        check gpt2 --claim P=117M --json; check gpt2-xl --claim P=1.5B; check t5-small --claim P=60M
        check albert-base --claim P=12.2M --json; check whisper-tiny --claim P=39M
        check qwen2.5-7b --claim P=7B --claim without_embeddings=6.53B --json
        check mixtral-8x7b --claim active=13B --json; check mixtral-8x7b --claim P=56B
        check deepseek-v3 --claim P=671B --claim active=37B; check jamba-v0.1 --claim P=52B --json
        check gemma-3-4b --claim P=4B --json; check llama-2-7b --claim kv_cache=2GB s=4096 --json
        check bert-base --claim P=110M --json; check olmo-1b --claim P=1.18B""",
    "costs": """
        cost gemma-3-4b s=2000; cost gemma-2-2b s=9000 --format markdown; cost whisper-tiny
        cost jamba-v0.1 s=5000 b=3 --json; cost deepseek-v3 s=3000 --latex --text-width 8.4
        cost mixtral-8x7b b=4 s=1000 --device a100-80gb; cost t5-small s=700; cost mamba2-1.3b s=900
        cost gpt2-xl s=1000 --json; cost qwen3-next-80b-a3b s=1000 --format markdown""",
    "solutions": """
        solve P=7e9 L=32 --ffn swiglu --json; solve gpt2-xl P=1e9 d_model=? --json
        solve qwen2.5-7b P=3e9 --attention gqa --max 3 --json; solve mamba2-1.3b P=2e9 L=? --json
        solve mixtral-8x7b --target active=9B n_experts=? --json; solve t5-small P=1e8 d_ff=? --json
        solve --attention mha --ffn mlp P=124439808 V=50257 L=12 --positions learned --json
        solve llama-2-7b --target kv_cache<=9GB s=? --json
        solve P=1e9 --heuristic guide --strategy all
        solve jamba-v0.1 P=9e9 L=? --json; solve deepseek-v3 P=5e11 n_experts=? --json
        solve gemma-3-4b P=9e9 L=?; solve whisper-tiny P=1e8 d_model=? n_heads=8
        solve --ladder 125M,1B --ffn swiglu --attention gqa --json""",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_as_it_was(name: str, line: Line, golden: Callable[[str, str], None]) -> None:
    """Each of them of two models, the next one of the next two."""
    commands = [words.format(MODELS[(2 * i + j) % len(MODELS)])
                for i, words in enumerate(ANSWERS[name]) for j in range(2)]
    golden(f"as-written/{name}.txt", "".join(told(line, each) for each in commands))


@pytest.mark.parametrize("name", ASKED)
def test_an_answer_to_one_question_is_as_it_was(
        name: str, line: Line, golden: Callable[[str, str], None]) -> None:
    commands = [each for each in map(str.strip, re.split(r";|\n", ASKED[name])) if each]
    golden(f"as-written/{name}.txt", "".join(told(line, each) for each in commands))


def told(line: Line, command: str) -> str:
    """A command with the length, the digest and the beginning of what it prints."""
    code, out, err = line(command)
    digest = hashlib.sha256(f"{out}\0{err}".encode()).hexdigest()[:8]
    first = re.sub(r"\s+", " ", (out or err)[:60]).strip()
    return f"$ {command}\n{code} {len(out)} {len(err)} {digest} {first}\n"
