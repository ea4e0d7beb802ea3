"""MODEL: names of the catalogue, folders, and which of both is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import LLAMA, Line, config_folder


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


@pytest.mark.parametrize("name", ["llama-3-8b", "llama-3-70b", "llama-3.1-405b", "smollm-135m"])
def test_what_people_type_is_published(name: str, line: Line) -> None:
    assert line(f"count {name}")[0] == 0
