"""What the README and the tour show is what the program says."""

from __future__ import annotations

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest

from symparam.cli.main import run
from symparam.descriptions.catalogue import configuration
from symparam.descriptions.load import load
from tests.test_check import tensors, write

ROOT = Path(__file__).parent.parent
PAGES = {path: (ROOT / path).read_text(encoding="utf-8") for path in ("README.md", "docs/tour.md")}
README = PAGES["README.md"]
pages = pytest.mark.parametrize("page", PAGES)

#: A question with its link, a command, and what it answers.
QUESTIONS = [(question.removeprefix("["), target, command, answer) for question, target, command,
             answer in re.findall(r"^\| (.+)\]\(([^)]+)\) \| `symparam (.+?)` \| (.+) \|$", README,
                                  re.M)]
BLOCK = re.compile(r"^(?:```sh\nsymparam ([^\n]+)\n```\n\n)?<!-- symparam: (.+) --format text -->$",
                   re.M)
#: The architecture file that the tour shows.
OWN = re.findall(r"```toml\n(.*?)```", PAGES["docs/tour.md"], re.S)[0]
MODULE = """\
import torch


class Model(torch.nn.Module):
    def __init__(self, d_model=64, n_layers=3, vocab=100):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocab, d_model)
        self.layers = torch.nn.ModuleList(
            torch.nn.Linear(d_model, d_model) for _ in range(n_layers))
"""
TABLE = "name,layers,d_model,d_ff,heads,kv heads,vocab,params\nx,32,4096,14336,32,8,128256,8B\n"


def without_code(text: str) -> str:
    """A page without what stands in fences."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors(path: Path) -> list[str]:
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", without_code(path.read_text(encoding="utf-8")), re.M)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that commands name."""
    folder = tmp_path / "path" / "to"
    (folder / "checkpoint").mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    write(folder / "checkpoint" / "model.safetensors", tensors(load("llama-2-7b")))
    (tmp_path / "ours.toml").write_text(OWN, encoding="utf-8")
    (tmp_path / "mymodel.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    hub = tmp_path / "hub" / "models--Qwen--Qwen3-8B"
    (hub / "snapshots" / ("0" * 40)).mkdir(parents=True)
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text("0" * 40, encoding="utf-8")
    (hub / "snapshots" / ("0" * 40) / "config.json").write_text(
        json.dumps(configuration("qwen3-8b")[1]), encoding="utf-8")
    monkeypatch.setenv("HF_HUB_CACHE", str(hub.parent))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_readme_is_a_page() -> None:
    assert len(README.splitlines()) <= 250
    assert len(QUESTIONS) == README.count("| `symparam ") > 15


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("question", "target", "command", "answer"), QUESTIONS,
                         ids=[command for _, _, command, _ in QUESTIONS])
def test_each_question_is_answered_so(question: str, target: str, command: str, answer: str,
                                      desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert question.endswith("?")
    if command.startswith("trace "):
        pytest.importorskip("torch")
    before = set(desk.iterdir())
    assert run(shlex.split(command)) == 0
    out = capsys.readouterr().out
    written = set(desk.iterdir()) - before
    assert out or written
    for said in re.findall(r"`([^`]+)`", answer):
        assert said in out or said.startswith("--") or "\\input" in said, said


#: Commands in running text; tests/test_solve_quantities.py has those with a target.
TOLD = dict.fromkeys(" ".join(command.split()) for command in re.findall(
    r"`symparam ([^`]+)`", without_code(PAGES["docs/tour.md"])) if "--target" not in command)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("command", TOLD)
def test_commands_in_running_text_work(command: str, desk: Path,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in desk.iterdir()}
    assert run(shlex.split(command)) == 0
    assert capsys.readouterr().out or {
        path: path.stat().st_mtime_ns for path in desk.iterdir()} != before


@pages
def test_samples_are_what_their_commands_print(page: str,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "check", str(ROOT / page)]) == 0, capsys.readouterr().out
    marks = without_code(PAGES[page]).count("<!-- symparam: ")
    assert f"({marks} blocks)" in capsys.readouterr().err


@pages
def test_above_each_sample_stands_its_command(page: str) -> None:
    found = BLOCK.findall(PAGES[page])
    assert len(found) >= 2
    assert all(shown == marked for shown, marked in found), found


@pages
def test_no_answer_stands_outside_of_a_block(page: str) -> None:
    for fence in re.findall(r"^```console\n(.*?)^```$", PAGES[page], re.M | re.S):
        assert all(line.startswith("$ ") for line in fence.splitlines()), fence


@pages
def test_python_session(page: str) -> None:
    result = doctest.testfile(str(ROOT / page), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


@pages
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", without_code(PAGES[page])):
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def test_every_page_of_the_docs_is_one_click_from_the_readme_or_the_tour() -> None:
    linked = {((ROOT / page).parent / target.partition("#")[0]).resolve()
              for page, text in PAGES.items() for target in re.findall(r"\]\(([^)]+)\)", text)}
    assert {path.resolve() for path in (ROOT / "docs").glob("*.md")} <= linked


def test_the_test_command_is_the_one_that_ci_calls() -> None:
    assert "\nbash tests/run\n" in README
    assert "bash tests/run" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
