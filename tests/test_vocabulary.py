"""A checkpoint, its tokenizer and its configuration: whether they have the same vocabulary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symparam import load
from symparam.cli.main import run
from tests.test_check import tensors, write
from tests.test_hub import CONFIG


def tokenizer(count: int, added: int = 0) -> dict[str, Any]:
    """A tokenizer.json with so many tokens, the last of them added later."""
    return {"model": {"type": "BPE", "vocab": {f"t{i}": i for i in range(count - added)}},
            "added_tokens": [{"id": count - 1 - i, "content": f"<{i}>"} for i in range(added)]}


def folder(path: Path, rows: int, tokens: Any) -> None:
    """A model of a folder whose checkpoint has so many rows in its embedding."""
    (path / "config.json").write_text(json.dumps(CONFIG))
    found = tensors(load(str(path)))
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        found[name] = (rows, found[name][1])
    write(path / "model.safetensors", found)
    if isinstance(tokens, bytes):
        (path / "tokenizer.json").write_bytes(tokens)
    elif tokens is not None:
        (path / "tokenizer.json").write_text(
            tokens if isinstance(tokens, str) else json.dumps(tokens))


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("rows", "tokens", "words"), [
    (100, tokenizer(100), []), (100, tokenizer(100, 7), []), (100, None, []),
    (100, tokenizer(93), ["has 93 tokens, the embedding 100 rows: 7 of them are for no token"]),
    (100, tokenizer(104, 2), ["has 104 tokens, the embedding 100 rows: 4 tokens have none"]),
    (112, tokenizer(112), ["embedding has 112 rows, the configuration says 100"]),
    (112, tokenizer(100), ["embedding has 112 rows, the configuration says 100",
                           "12 of them are for no token"]),
    (100, {"model": {"type": "Unigram", "vocab": [["a", 0.5]] * 101}}, ["1 tokens have none"]),
    (100, {"model": {"vocab": {"a": 0, "b": 99, "c": 7}}},
     ["has 3 tokens, the largest number 99, the embedding 100 rows: 97 of them are for no token"]),
    (100, {"model": {"vocab": {"a": 0, "b": 100, "c": 107}}}, [
        "has 3 tokens, the largest number 107, the embedding 100 rows: 2 tokens have none, 99 of"]),
    (100, {"model": 7, "added_tokens": [{"id": "x"}, 3]},
     ["tokenizer.json: no numbered tokens found in it"]), (100, [], ["no numbered tokens"]),
    (100, "{", ["tokenizer.json: not JSON: "]), (100, '{"a": 1, "a": 2}', ["stands twice"]),
    (100, b"\xff\xfe", ["tokenizer.json: "])])
def test_where_they_are_not_the_same_it_is_told(
        rows: int, tokens: Any, words: list[str], tmp_path: Path,
        capsys: pytest.CaptureFixture[str]) -> None:
    folder(tmp_path, rows, tokens)
    code = run(["check", str(tmp_path), str(tmp_path)])
    out = " ".join(capsys.readouterr().out.split())
    assert code == int(rows != 100)
    assert out.count("warning: ") == len(words)
    assert all(each in out for each in words)
    run(["check", str(tmp_path), str(tmp_path), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert len(found.get("warnings", [])) == len(words)
