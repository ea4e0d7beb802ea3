"""The page that runs symparam in a browser: what may be pasted into it, and where it is built."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import together
from webtool.build import build, built_before
from webtool.compiled import NotBuilt

ROOT = Path(__file__).parent.parent
#: The page's Python changes its process: it runs in one of its own.
ASK = """
import json, sys
from pathlib import Path
from webtool import commands

commands.HOME = Path(sys.argv[1])
said = []
for config, words in json.loads(sys.stdin.read()):
    commands.begin(config)
    said.append([Path.cwd().name, json.loads(commands.answer(json.dumps(words)))])
print(json.dumps(said))
"""
GPT2 = {"model_type": "gpt2", "n_embd": 8, "n_layer": 2, "n_head": 2, "vocab_size": 10,
        "n_positions": 4}


def asked(home: Path, *questions: tuple[str, list[object]]) -> list[tuple[str, dict[str, object]]]:
    """The name of the folder and the answer, of each configuration with a command."""
    done = subprocess.run([sys.executable, "-c", ASK, str(home)], input=json.dumps(questions),
                          capture_output=True, text=True, check=True, cwd=ROOT, timeout=120)
    found: list[tuple[str, dict[str, object]]] = json.loads(done.stdout)
    return found


def test_whatever_is_pasted_is_counted_or_refused_in_a_line(tmp_path: Path) -> None:
    count: list[object] = ["count", "config.json", "--json"]
    texts = ['{"model_type": "\ud800"}', "[" * 100_000, "null", '{"model_type": "../../x"}',
             json.dumps({"model_type": "\U0001d4b3" * 80}, ensure_ascii=False),
             '{"model_type": "</script>\\u001b\\u202e"}', json.dumps(GPT2)]
    *wrong, (name, good) = asked(tmp_path, *((text, count) for text in texts))
    for folder, answer in wrong:
        assert folder == "model"
        assert answer["code"] == 2
        assert str(answer["err"]).startswith("symparam: config.json: ")
        assert str(answer["err"]).rstrip("\n").isprintable()
    assert (name, good["code"], good["err"]) == ("gpt2", 0, "")


def test_what_a_command_leaves_does_not_stand_in_the_next_ones_way(tmp_path: Path) -> None:
    left = ["derive", "config.json", ["--certificate proof --quiet"]]
    first, again = asked(tmp_path, (json.dumps(GPT2), left), (json.dumps(GPT2), left))
    assert first[1]["code"] == again[1]["code"] == 0
    assert (tmp_path / "gpt2" / "proof").is_dir()


@pytest.mark.thinned(3)
@together(("made", "words"), [
    ("file", "is no folder"), ("dangling", "is no folder"), ("other", "mine.txt is nothing that"),
    ("folder", "index.html is nothing that")])
def test_a_folder_with_what_no_build_made_is_left_as_it_is(
        made: str, words: str, tmp_path: Path) -> None:
    place = tmp_path / made
    if made == "file":
        place.write_text("mine")
    elif made == "dangling":
        place.symlink_to("nothing")
    else:
        place.mkdir()
        (place / "pyodide.asm.wasm").write_text("of somebody else's Pyodide")
        if made == "other":
            (place / "mine.txt").write_text("mine")
        else:
            (place / "index.html").mkdir()
    with pytest.raises(NotBuilt, match=words):
        built_before(place)
    done = subprocess.run([sys.executable, "-m", "webtool", str(place)], capture_output=True,
                          text=True, check=False, cwd=ROOT, timeout=120)
    assert done.stderr.startswith("webtool: ")
    assert done.stderr.count("\n") == 1


def test_the_site_is_at_an_address(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt, match="--site javascript:x: expected https"):
        build(tmp_path / "new", "javascript:x")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_new_empty_or_an_earlier_build_is_taken(tmp_path: Path) -> None:
    assert built_before(tmp_path / "new") == built_before(tmp_path) == []
    (tmp_path / "index.html").write_text("x")
    assert built_before(tmp_path) == [tmp_path / "index.html"]
