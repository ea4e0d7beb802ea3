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
        "diff {} llama-2-7b --format markdown", "exercise"],
    "pictures": [
        "plot layers {} --format csv", "plot pie {} --format csv",
        "plot cache {} s=1000,90000 --format csv", "plot compare gpt2 {} --format csv",
        "plot flow {} --format mermaid", "plot shares {} gpt2 --format csv"],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_as_it_was(name: str, line: Line, golden: Callable[[str, str], None]) -> None:
    """Each of them of two models, the next one of the next two."""
    found = []
    for i, words in enumerate(ANSWERS[name]):
        for model in (MODELS[(2 * i + j) % len(MODELS)] for j in range(2)):
            command = (f"derive {model} --exercise" if words == "exercise"
                       else words.format(model))
            code, out, err = line(command)
            digest = hashlib.sha256(f"{out}\0{err}".encode()).hexdigest()[:8]
            first = re.sub(r"\s+", " ", (out or err)[:60]).strip()
            found.append(f"$ {command}\n{code} {len(out)} {len(err)} {digest} {first}\n")
    golden(f"as-written/{name}.txt", "".join(found))
