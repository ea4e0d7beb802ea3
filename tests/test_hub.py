"""Models by their names on a hub: the cache without a network, a server on loopback otherwise.

The server counts what it gives: a configuration is kilobytes, and of weights no byte is fetched.
"""

from __future__ import annotations

import json
import shlex
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import symparam as sp
from symparam.cli.main import run
from symparam.descriptions.gguf.reader import read_gguf
from symparam.errors import SpecError
from symparam.hub import ranges
from symparam.hub.cache import cached, folder
from symparam.hub.names import Repository, repository
from symparam.hub.problems import not_asked, refused, too_late, unreachable
from symparam.hub.within import TooLate, at_once, within
from tests.helpers import data, message, together
from tests.hub_server import COMMIT, TOKEN, Hub, commit_of, serving
from tests.test_check import tensors
from tests.test_gguf import text, written

CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 100,
    "hidden_size": 24, "intermediate_size": 31, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "tie_word_embeddings": False}
TOTAL = 2 * 100 * 24 + 24 + 3 * (2 * 24 * 24 + 2 * 24 * 12 + 3 * 24 * 31 + 2 * 24)
Line = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
         capsys: pytest.CaptureFixture[str]) -> Line:
    """Run a command line in an empty folder, with a cache of its own: exit code, stdout, stderr."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")

    def ran(text: str) -> tuple[int, str, str]:
        code = run(shlex.split(text))
        out = capsys.readouterr()
        return code, out.out, out.err

    return ran


@pytest.fixture
def hub(line: Line, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a model of one file, one of three, and a gated one."""
    pytest.importorskip("huggingface_hub")
    with serving() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(folder() / "none"))
        server.add("org/model", "config.json", CONFIG)
        server.add("org/model", "config.json", {**CONFIG, "num_hidden_layers": 5}, revision="v2")
        server.add("org/model", "config.json", {**CONFIG, "num_hidden_layers": 7},
                   revision="refs/pr/1")
        yield server


def by_hand(name: str, config: dict[str, Any], revision: str = "main") -> Path:
    """A configuration in the cache, laid out as the library does it."""
    own = folder() / f"models--{name.replace('/', '--')}"
    commit = commit_of(revision)
    for part in ("refs", "blobs", f"snapshots/{commit}"):
        (own / part).mkdir(parents=True, exist_ok=True)
    (own / "refs" / revision).write_text(commit)
    (own / "blobs" / commit).write_text(json.dumps(config))
    link = own / "snapshots" / commit / "config.json"
    link.symlink_to(Path("../../blobs", commit))
    return link


# --- names ----------------------------------------------------------------------------------

@together(("text", "name", "revision"), [
    ("org/model", "org/model", "main"), ("org/model@v2", "org/model", "v2"),
    ("Qwen/Qwen2.5-0.5B@refs/pr/7", "Qwen/Qwen2.5-0.5B", "refs/pr/7"),
    ("https://huggingface.co/org/model", "org/model", "main"),
    ("https://huggingface.co/org/model/", "org/model", "main"),
    ("huggingface.co/org/model?library=x", "org/model", "main"),
    ("http://hf.co/org/model/tree/v2", "org/model", "v2"),
    ("https://huggingface.co/org/model/tree/refs%2Fpr%2F1", "org/model", "refs/pr/1"),
    ("https://huggingface.co/org/model/blob/main/config.json", "org/model", "main"),
    ("https://huggingface.co/org/model/resolve/v2/config.json?download=true", "org/model", "v2"),
    ("https://huggingface.co/gpt2", "gpt2", "main"), ("hf://org/model@v2", "org/model", "v2"),
    ("https://huggingface.co/gpt2/tree/main", "gpt2", "main")])
def test_a_name_or_an_address_names_a_repository(text: str, name: str, revision: str) -> None:
    assert repository(text) == Repository(name, revision)


@pytest.mark.parametrize(("text", "name", "revision", "file"), [
    ("org/model:x-Q8_0.gguf", "org/model", "main", "x-Q8_0.gguf"),
    ("org/model@v2:BF16/x.gguf", "org/model", "v2", "BF16/x.gguf"),
    ("https://huggingface.co/org/model/blob/main/x.gguf", "org/model", "main", "x.gguf"),
    ("https://hf.co/org/model/resolve/refs%2Fpr%2F1/b/x.gguf?download=true", "org/model",
     "refs/pr/1", "b/x.gguf")])
def test_a_file_of_a_repository_has_a_name(text: str, name: str, revision: str, file: str) -> None:
    assert repository(text) == Repository(name, revision, file)
    assert repository(str(repository(text))) == Repository(name, revision, file)


@together("text", [
    "org/model:x.bin", "org/model:", "org/model:../x.gguf", "org/model:/x.gguf", "C:/x.gguf",
    "org/model:a//x.gguf", "org/model:.gguf", "x:y.gguf", "org/model:x.gguf:y.gguf",
    "gpt2", "./org/model", "/org/model", "org/model/", "a/b/c", "org/model.json", "org/x.gguf",
    "../model", "org/..", "org/mo--del", "org/a@", "org/a@../x", "org/a@x//y", "org/a@-x", "a\\b/c",
    "org/" + "x" * 99, "https://example.com/org/model", "https://[huggingface.co/org/model", "/",
    "org/mod el", "", "@", "é/x"])
def test_anything_else_does_not(text: str) -> None:
    assert repository(text) is None


@together("text", [
    "https://huggingface.co/datasets/org/data", "https://huggingface.co/org/model/blob/main/x.bin",
    "https://huggingface.co/", "https://huggingface.co/org/../x", "hf://x",
    "https://huggingface.co/org/model/tree/..%2f..", "https://huggingface.co/spaces/a/b"])
def test_an_address_of_the_hub_that_is_no_models_is_refused(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        repository(text)
    assert "huggingface.co" in message(caught.value)


# --- the cache ------------------------------------------------------------------------------

def test_a_model_in_the_cache_needs_no_network_and_no_package(
        line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any, **__: Any) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket, "socket", none)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    by_hand("org/model", CONFIG)
    by_hand("org/model", {**CONFIG, "num_hidden_layers": 5}, "v2")
    code, out, err = line("count org/model")
    assert (code, err) == (0, "")
    assert out.startswith(f"org/model · {TOTAL:,} parameters")
    assert line("count org/model@v2 --json")[0] == 0
    assert json.loads(line(f"count org/model@{COMMIT} --json")[1])["total"] == TOTAL
    assert json.loads(line("count https://huggingface.co/org/model --json")[1])["total"] == TOTAL


def test_what_has_that_path_goes_before_it(line: Line) -> None:
    by_hand("org/model", CONFIG)
    Path("org/model").mkdir(parents=True)
    Path("org/model/config.json").write_text(json.dumps({**CONFIG, "num_hidden_layers": 1}))
    assert "1 × block" in line("count org/model")[1] or "block" in line("count org/model")[1]
    assert json.loads(line("count org/model --json")[1])["total"] < TOTAL


@pytest.mark.thinned(2)
@pytest.mark.parametrize("text", [
    "count {}", "derive {}", "solve {} P=100000 L=?", "sensitivity {}", "cost {}", "diff gpt2 {}",
    "sweep {} L=1:3", "align {}", "check {} --claim P=27k", "plot parts {}",
    "count {} gpt2", "derive {} --leading L", "count {} L=4"])
def test_every_command_takes_such_a_name(text: str, line: Line) -> None:
    by_hand("org/model", CONFIG)
    if text.startswith("plot"):
        pytest.importorskip("matplotlib")
        text = "plot parts {} -o x.svg"
    code, out, err = line(text.format("org/model"))
    assert code in {0, 1}, err
    assert "org/model" in out or text.startswith(("sweep", "plot"))
    assert line(text.format("org/none"))[0] == 2


def test_it_is_the_same_from_python(line: Line) -> None:
    by_hand("org/model", CONFIG)
    assert sp.load("org/model").count() == TOTAL
    assert sp.load("org/model").name == "org/model"


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "value", "path"), [
    ("HF_HUB_CACHE", "{}/a", "{}/a"), ("HUGGINGFACE_HUB_CACHE", "{}/b", "{}/b"),
    ("HF_HOME", "{}/c", "{}/c/hub"), ("HF_HOME", "~/x", "{}/x/hub"),
    ("XDG_CACHE_HOME", "{}/d", "{}/d/huggingface/hub"),
    ("HF_HOME", "$MINE/y", "{}/mine/y/hub"), ("MINE", "", "{}/.cache/huggingface/hub")])
def test_the_cache_is_where_the_library_has_it(
        name: str, value: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MINE", f"{tmp_path}/mine")
    if value:
        monkeypatch.setenv(name, value.format(tmp_path))
    assert folder() == Path(path.format(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", "import huggingface_hub.constants as c; print(c.HF_HUB_CACHE)"],
        capture_output=True, text=True)
    if not done.returncode:
        assert Path(done.stdout.strip()) == folder()


@pytest.mark.parametrize("ref", ["", "../../..", "x" * 5000, COMMIT.upper(), "\x00", "main"])
def test_a_damaged_cache_is_none(ref: str, line: Line) -> None:
    by_hand("org/model", CONFIG)
    (folder() / "models--org--model" / "refs" / "main").write_text(ref)
    assert cached(Repository("org/model"), "config.json") is None
    assert line("count org/model")[0] == 2


def test_offline_or_without_the_package_one_line_says_what_to_do(
        line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = line("count org/model")
    assert (code, out) == (2, "")
    assert err == ("symparam: org/model: not in the local cache, and nothing is fetched while "
                   "HF_HUB_OFFLINE is set\n")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    err = line("count org/model")[2]
    assert "pip install 'symparam[hub]'" in err
    assert err.count("\n") == 1


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("reference", "words"), [
    ("org/none", "org/none: not in the local cache"),
    ("org/model@v9", "org/model@v9: the local cache has no revision v9 of it (it has main, v2)"),
    ("org/model@0123456", None), ("org/model@0123", None),
    ("org/model@fffffff", "the local cache has no revision fffffff of it"),
    ("org/model@" + "f" * 40, "the local cache has no revision ffff"),
    ("org/model:x.gguf", "the local cache has no x.gguf of it, though other files of that"),
    ("org/gone", "org/gone: has no config.json"),
    ("org/twice@abcd", "several commits in the local cache begin with abcd")])
@pytest.mark.parametrize("network", [False, True])
def test_what_the_cache_lacks_is_told_apart(
        reference: str, words: str | None, network: bool, line: Line,
        monkeypatch: pytest.MonkeyPatch) -> None:
    by_hand("org/model", CONFIG)
    by_hand("org/model", {**CONFIG, "num_hidden_layers": 5}, "v2")
    by_hand("org/gone", CONFIG).unlink()
    for name, path in (("gone", f".no_exist/{COMMIT}/config.json"),
                       ("twice", "snapshots/abcd" + "0" * 36),
                       ("twice", "snapshots/" + "abcd" * 10)):
        (folder() / f"models--org--{name}" / path).mkdir(parents=True)
    note = folder() / "models--org--gone" / ".no_exist" / COMMIT / "config.json"
    note.rmdir()
    note.touch()
    if network:
        pytest.importorskip("huggingface_hub")
        monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    code, out, err = line(f"count {reference} --json")
    if words is None:
        assert json.loads(out)["total"] == TOTAL
        return
    assert code == 2
    if network and "gone" in reference:  # a GGUF file of it is looked for then
        words = "the local cache has no *.gguf of it"
    assert words in err
    assert err.count("\n") == 1
    assert ("cannot be reached" if network else "HF_HUB_OFFLINE") in err or "has no config" in err


@pytest.mark.parametrize("damaged", [b"../../../etc", b"\xff" * 9, b"", b"f" * 40])
def test_a_revision_that_leads_to_no_commit_is_not_named(damaged: bytes, line: Line) -> None:
    link = by_hand("org/model", CONFIG)
    (link.parents[2] / "refs" / "main").write_bytes(damaged)
    (link.parents[2] / "refs" / "v2").write_text(commit_of("main"))
    code, _, err = line("count org/model")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "the local cache has no revision main of it (it has v2)" in err


# --- the server -----------------------------------------------------------------------------

def test_a_configuration_is_fetched_once_and_is_in_the_cache_then(hub: Hub, line: Line) -> None:
    assert json.loads(line("count org/model --json")[1])["total"] == TOTAL
    assert sum(hub.given.values()) == len(json.dumps(CONFIG))
    before = len(hub.asked)
    assert line("count org/model")[1].startswith("org/model · ")
    assert len(hub.asked) == before
    assert cached(Repository("org/model"), "config.json") is not None
    assert line("count org/model")[2] == ""


@pytest.mark.parametrize(("text", "layers"), [
    ("org/model@v2", 5), ("org/model@refs/pr/1", 7), (f"org/model@{commit_of('v2')}", 5),
    ("{}/org/model/tree/v2", 5), ("{}/org/model/blob/refs%2Fpr%2F1/config.json", 7)])
def test_a_revision_is_the_one_that_was_asked_for(
        text: str, layers: int, hub: Hub, line: Line) -> None:
    found = json.loads(line(f"count {text.format(hub.address)} --json")[1])
    assert found["dims"]["L"] == layers


@pytest.mark.parametrize(("text", "words"), [
    ("count org/none", "no such model on"), ("count org/model@v9", "has no revision 'v9'"),
    ("count org/model@0abc123", "has no revision '0abc123'"),
    ("count org/model@0abc123", "named by all of its 40 letters"),
    ("count org/empty", "has no config.json"), ("count org/gated", "is gated: ask for access on"),
    ("check org/gated", "is gated"), ("check org/model", "has no model.safetensors and no"),
    ("check gpt2 org/none", "no such model"), ("count org/huge", "larger than 4 MiB")])
def test_what_the_hub_does_not_give_is_one_line(
        text: str, words: str, hub: Hub, line: Line) -> None:
    hub.add("org/empty", "README.md", b"x")
    hub.add("org/gated", "config.json", CONFIG)
    hub.add("org/huge", "config.json", b"{}", 2**30)
    hub.gated.add("org/gated")
    code, out, err = line(text)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert len(err) < 300


def test_a_token_opens_a_gated_model_and_goes_to_no_other_host(
        hub: Hub, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    hub.gated.add("org/model")
    assert line("count org/model")[0] == 0
    hub.weigh("org/model", "model.safetensors", tensors(sp.load("org/model")))
    assert line("check org/model")[0] == 0
    beside = [token for _, path, token in hub.asked if path.startswith("/cdn/")]
    assert beside
    assert not any(beside)
    assert all(token for _, path, token in hub.asked if not path.startswith("/cdn/"))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("status", [401, 403, 404, 418, 429, 500, 503])
@pytest.mark.parametrize("text", ["count org/other", "check gpt2 org/other"])
def test_any_other_answer_is_one_line(status: int, text: str, hub: Hub, line: Line,
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # the library waits between its tries
    hub.status = status
    code, _, err = line(text)
    assert code == 2
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_hub_that_is_not_there_is_one_line(hub: Hub, line: Line,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    code, _, err = line("count org/model")
    assert code == 2
    assert "http://127.0.0.1:1 cannot be reached" in err
    assert err.count("\n") == 1


def test_every_refusal_begins_with_the_repository() -> None:
    which = Repository("org/name")
    codes = ["", "GatedRepo", "RevisionNotFound", "EntryNotFound", "DisabledRepo",
             "RepositoryNotFound"]
    for problem in [unreachable(which, "config.json", "no route"),
                    too_late(which, "config.json", 3), not_asked(which, "config.json"),
                    *(refused(which, "config.json", status, code)
                      for status in (401, 403, 404, 429, 500) for code in codes)]:
        assert message(problem).startswith("org/name: "), message(problem)


@pytest.mark.parametrize(("name", "named"), [
    ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"), ("Qwen/Qwen3-8B", "qwen3-8b"),
    ("meta-llama/Meta-Llama-3.1-70B", "llama-3.1-70b"), ("openai/gpt-oss-20b", "gpt-oss-20b"),
    ("org/llama-2-70bx", ""), ("llama-2-7b/other", "")])
def test_what_the_catalogue_has_under_such_a_name_is_said(
        name: str, named: str, hub: Hub, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    err = line(f"count {name}")[2]
    assert err.rstrip("\n").partition("; the catalogue has ")[2] == named
    assert err.count("\n") == 1


@pytest.mark.thinned(2)
@pytest.mark.parametrize("how", ["slow", "drip"])
def test_a_hub_that_is_too_slow_is_given_up(how: str, hub: Hub, line: Line,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symparam.hub.fetch.SECONDS", 0.3)
    monkeypatch.setattr("symparam.hub.ranges.SECONDS", 0.3)
    setattr(hub, how, 3 if how == "slow" else 0.05)
    code, _, err = line("count org/model")
    assert code == 2
    assert "did not answer within 0.3 seconds" in err
    hub.weigh("org/model", "model.safetensors", {"a": (2, 3)})
    with pytest.raises(SpecError, match="did not answer"), ranges.opened(
            Repository("org/model"), "model.safetensors", "x", 100) as file:
        file.read(60)


# --- checkpoints ----------------------------------------------------------------------------

def sharded(hub: Hub, name: str, count: int = 3) -> None:
    """A checkpoint of several files with their index."""
    found = tensors(sp.load(name))
    parts: list[dict[str, Any]] = [{} for _ in range(count)]
    for number, (tensor, shape) in enumerate(found.items()):
        parts[number % count][tensor] = shape
    files = [f"model-{i + 1:05}-of-{count:05}.safetensors" for i in range(count)]
    for file, part in zip(files, parts, strict=True):
        hub.weigh(name, file, part)
    hub.add(name, "model.safetensors.index.json", {"metadata": {}, "weight_map": {
        tensor: file for file, part in zip(files, parts, strict=True) for tensor in part}})


@pytest.mark.thinned(2)
@pytest.mark.parametrize("elsewhere", [True, False])
@pytest.mark.parametrize("several", [True, False])
def test_headers_are_read_and_no_weight(several: bool, elsewhere: bool, hub: Hub,
                                        line: Line) -> None:
    hub.elsewhere = elsewhere
    if several:
        sharded(hub, "org/model")
    else:
        hub.weigh("org/model", "model.safetensors", tensors(sp.load("org/model")))
    code, out, err = line("check org/model")
    assert (code, err) == (0, "")
    assert out.startswith("org/model against org/model: equal")
    assert json.loads(line("check org/model org/model --json")[1])["matched"]["numel"] == TOTAL
    assert hub.weights == 0
    headers = sum(len(file.start) for key, file in hub.files.items()
                  if key[2].endswith(".safetensors") and key[1] == "main")
    given = sum(count for file, count in hub.given.items() if file.endswith(".safetensors"))
    assert given == 2 * headers  # (two checks)
    code, out, _ = line("check org/model L=4 org/model")
    assert code == 1
    assert "missing" in out


def test_the_servers_count_would_notice_a_weight(hub: Hub, line: Line) -> None:
    hub.weigh("org/model", "model.safetensors", {"a": (20, 30)})
    with ranges.opened(Repository("org/model"), "model.safetensors", "x", 2000) as file:
        file.read(len(hub.files["org/model", "main", "model.safetensors"].start) + 7)
    assert hub.weights == 7


def test_of_the_end_of_a_file_there_is_what_is_left(hub: Hub) -> None:
    hub.weigh("org/model", "model.safetensors", {"a": (20, 30)})
    file = hub.files["org/model", "main", "model.safetensors"]
    with ranges.opened(Repository("org/model"), "model.safetensors", "x", 2000) as remote:
        remote.seek(file.size - 7)
        assert remote.read(100) == file.part(file.size - 7, file.size)
        assert remote.read(100) == b""


def test_for_nothing_no_server_is_asked(hub: Hub) -> None:
    with ranges.opened(Repository("org/model"), "model.safetensors", "x", 2000) as remote:
        assert remote.read(0) == b""
    assert not [each for each in hub.asked if "model.safetensors" in each[1]]


def test_what_is_in_the_cache_is_read_there(hub: Hub, line: Line,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    line("count org/model")
    path = cached(Repository("org/model"), "config.json")
    assert path is not None
    hub.weigh("org/model", "model.safetensors", tensors(sp.load("org/model")))
    file = hub.files["org/model", "main", "model.safetensors"]
    (path.parent / "model.safetensors").write_bytes(file.part(0, file.size))
    before = len(hub.asked)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert line("check org/model")[0] == 0
    assert len(hub.asked) == before


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("start", "words"), [
    (b"\xff" * 16, "would be"), ((2 * 10**8).to_bytes(8, "little") + b"{}", "not a safetensors"),
    (b"\x00" * 8 + b"x" * 90, "not a table"), (b"", "is empty"), (b"\x01", "not a safetensors"),
    ((9).to_bytes(8, "little") + b'{"a": 1}}', "expected a table"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:4\n", "Git-LFS pointer")])
def test_a_hostile_header_is_refused_as_in_a_file(
        start: bytes, words: str, hub: Hub, line: Line) -> None:
    hub.add("org/model", "model.safetensors", start)
    code, _, err = line("check org/model")
    assert code == 2
    assert words in err
    assert err.count("\n") == 1


def test_a_header_beyond_its_bound_is_not_fetched(hub: Hub, line: Line) -> None:
    hub.add("org/model", "model.safetensors", (150 * 10**6).to_bytes(8, "little") + b"{", 2**30)
    code, _, err = line("check org/model")
    assert code == 2
    assert "more than 100000000" in err
    assert hub.given["model.safetensors"] == 8


def test_a_server_that_gives_no_parts_is_refused(hub: Hub, line: Line) -> None:
    hub.ranges = False
    hub.weigh("org/model", "model.safetensors", {"a": (3000, 3000)})
    code, _, err = line("check org/model")
    assert code == 2
    assert "gives no parts" in err


@pytest.mark.parametrize("name", ["../../config.json", "x.safetensors/..", "/etc/x.safetensors"])
def test_an_index_cannot_lead_elsewhere(name: str, hub: Hub, line: Line) -> None:
    hub.add("org/model", "model.safetensors.index.json", {"weight_map": {"a": name}})
    code, _, err = line("check org/model")
    assert code == 2
    assert "weight_map" in err


# --- GGUF files -----------------------------------------------------------------------------

@pytest.fixture
def gguf_file(hub: Hub, tmp_path: Path) -> Path:
    """A GGUF file, which the hub has alone in a repository; its weights are zeros."""
    record = next(each for each in data("gguf.json") if each["name"] == "qwen3")
    path = tmp_path / "tiny.gguf"
    written(path, record, ("Q4_K", "Q6_K"))
    put(hub, "org/only", "tiny-Q4_K_M.gguf", path)
    return path


def put(hub: Hub, name: str, file: str, path: Path) -> int:
    """Put a GGUF file into a repository; how long its header is."""
    raw, start = path.read_bytes(), read_gguf(path).start
    hub.add(name, file, raw[:start], len(raw) - start)
    return start


@pytest.mark.thinned(4)
def test_a_gguf_file_on_a_hub_is_a_model_and_something_to_check(
        hub: Hub, line: Line, gguf_file: Path) -> None:
    wanted = json.loads(line(f"count {shlex.quote(str(gguf_file))} --json")[1])["total"]
    for name in ("org/only:tiny-Q4_K_M.gguf", "org/only",
                 f"{hub.address}/org/only/blob/main/tiny-Q4_K_M.gguf"):
        code, out, err = line(f"count {shlex.quote(name)} --json")
        assert (code, err) == (0, "")
        assert json.loads(out)["total"] == wanted
        assert line(f"check {shlex.quote(name)}")[0] == 0
    code, out, _ = line("check org/only L=5 org/only:tiny-Q4_K_M.gguf")
    assert code == 1
    assert "missing" in out
    hub.add("org/only", "config.json", CONFIG)  # goes before the file that is not named
    assert json.loads(line("count org/only --json")[1])["total"] == TOTAL


@pytest.mark.thinned(4)
@pytest.mark.parametrize("kept", [(), (1,)])
def test_parts_of_a_gguf_file_on_a_hub_are_one_model(kept: tuple[int, ...], hub: Hub, line: Line,
                                                     tmp_path: Path) -> None:
    record = next(each for each in data("gguf.json") if each["name"] == "qwen3")
    size = written(tmp_path / "m.gguf", record, ("Q4_K", "Q6_K"), split_max_tensors=9)
    parts = sorted(tmp_path.glob("m-*.gguf"))
    for part in parts:
        put(hub, "org/parts", f"Q4/{part.name}", part)
    hub.weights = 0
    for number in kept:
        config = by_hand("org/parts", CONFIG)
        config.unlink()
        (config.parent / "Q4").mkdir()
        (config.parent / "Q4" / parts[number].name).write_bytes(parts[number].read_bytes())
    for name in ("org/parts", *(f"org/parts:Q4/{part.name}" for part in parts)):
        code, out, _ = line(f"check {name} --json")
        assert (code, json.loads(out)["file"]["expected"]) == (0, size)
    assert all((f"Q4/{part.name}" in hub.given) != (number in kept)
               for number, part in enumerate(parts))
    # a check reads a header three times, of each part no more than 64 KiB
    assert hub.weights <= 3 * (len(parts) + 1) * len(parts) * 2**16
    del hub.files["org/parts", "main", f"Q4/{parts[2].name}"]
    code, out, err = line(f"count org/parts:Q4/{parts[0].name}")
    assert (code, out) == (2, "")
    assert parts[2].name in err


@pytest.mark.thinned(2)
@pytest.mark.parametrize("tokens", [0, 40_000, 400_000])
def test_of_a_gguf_file_the_header_is_read_and_no_more_than_a_part(
        tokens: int, hub: Hub, line: Line, gguf_file: Path) -> None:
    path = gguf_file.with_name("more.gguf")
    path.write_bytes(with_tokens(gguf_file.read_bytes(), tokens))
    start = put(hub, "org/more", "x.gguf", path)
    hub.files["org/more", "main", "x.gguf"].zeros += 2**30
    before = len(hub.asked)
    hub.given.clear()
    hub.weights = 0
    code, _, err = line("count org/more:x.gguf --json")
    assert (code, err) == (0, "")
    assert hub.weights <= min(2**20, max(2**16, start))
    assert start <= hub.given["x.gguf"] <= start + hub.weights + 40
    assert len(hub.asked) - before <= 2 * (3 + 5 + start // 2**20)


def with_tokens(raw: bytes, tokens: int) -> bytes:
    """A file with one more key in front of its others: a list of so many texts."""
    count = int.from_bytes(raw[16:24], "little") + 1
    listed = struct.pack("<IIQ", 9, 8, tokens) + b"".join(text(f"token {n}") for n in range(tokens))
    return (raw[:16] + struct.pack("<Q", count) + text("tokenizer.ggml.own") + listed + raw[24:]
            + bytes(64))


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "words"), [
    ("org/two", "name one, as in org/two:a.gguf (there is b/c.gguf)"),
    ("org/two:d.gguf", "has no d.gguf"), ("org/none", "no such model"),
    ("org/none:x.gguf", "no such model"), ("org/two:bad.gguf", "does not begin with GGUF"),
    ("org/empty", "has no config.json")])
def test_what_is_no_gguf_model_is_one_line(name: str, words: str, hub: Hub, line: Line,
                                           gguf_file: Path) -> None:
    for file in ("a.gguf", "b/c.gguf", "mmproj-a.gguf"):
        put(hub, "org/two", file, gguf_file)
    if "bad" in name:
        hub.add("org/two", "bad.gguf", b"x" * 99, 2**20)
    hub.add("org/empty", "README.md", b"x")
    code, _, err = line(f"count {name}")
    assert code == 2
    assert words in err
    assert err.count("\n") == 1


def test_a_gguf_file_in_the_cache_needs_no_network(
        line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = next(each for each in data("gguf.json") if each["name"] == "qwen3")
    written(tmp_path / "tiny.gguf", record, ("Q8_0", "Q8_0"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    snapshot = by_hand("org/only", CONFIG).parent
    (snapshot / "config.json").unlink()
    (snapshot / "tiny.gguf").write_bytes((tmp_path / "tiny.gguf").read_bytes())
    assert line("count org/only")[0] == 0
    assert line("check org/only")[0] == 0
    (snapshot / "other.gguf").write_bytes(b"GGUF")
    assert line("count org/only:tiny.gguf")[0] == 0
    code, _, err = line("count org/only")
    assert code == 2
    assert "has 2 GGUF files" in err


# --- what waits -----------------------------------------------------------------------------

def test_what_waits_gives_up_or_hands_over() -> None:
    import time

    with pytest.raises(TooLate):
        within(0.01, lambda: time.sleep(5))
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0)
    assert at_once([], 3) == []
    assert at_once([lambda n=n: n for n in range(40)], 7) == list(range(40))  # type: ignore[misc]
    with pytest.raises(ZeroDivisionError):
        at_once([lambda: 1, lambda: 1 // 0], 1)


def test_what_has_not_begun_when_one_fails_never_does() -> None:
    import time

    ran = list[int]()

    def slow() -> None:
        ran.append(1)
        time.sleep(.01)
    with pytest.raises(ZeroDivisionError):
        at_once([lambda: 1 // 0, *[slow] * 60], 2)
    time.sleep(.05)
    assert len(ran) < 30


def test_what_a_hub_may_answer_is_told_apart(golden: Callable[[str, str], None]) -> None:
    """Each status with each code that a hub gives, in the line that a user reads."""
    codes = ("", "GatedRepo", "RepositoryNotFound", "RevisionNotFound", "EntryNotFound",
             "DisabledRepo", "Other")
    lines = [f"{status} {code}: " + str(refused(Repository("org/name", "1a2b3c4"), "config.json",
                                                status, code))
             for status in (401, 403, 404, 429, 500) for code in codes]
    golden("hub-answers.txt", "\n".join(lines) + "\n")


def test_a_name_has_as_many_letters_as_the_hub_allows() -> None:
    assert repository("o/" + 94 * "x") is not None
    assert repository("o/" + 95 * "x") is None


@pytest.mark.parametrize("shown", [True, False])
def test_what_a_program_has_set_of_the_library_is_set_again(
        hub: Hub, line: Line, shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is fetched without a bar or a warning; then both are what they were."""
    import logging

    from huggingface_hub import hf_hub_download, utils

    log, during = logging.getLogger("huggingface_hub"), list[tuple[bool, int]]()
    monkeypatch.setattr(log, "level", logging.INFO)
    disabled = utils.are_progress_bars_disabled
    before = disabled()

    def fetched(*given: Any, **named: Any) -> str:
        during.append((disabled(), log.level))
        return hf_hub_download(*given, **named)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", fetched)
    (utils.enable_progress_bars if shown else utils.disable_progress_bars)()
    try:
        assert line("count org/model")[0] == 0
        assert during == [(True, logging.CRITICAL)]
        assert (disabled(), log.level) == (not shown, logging.INFO)
    finally:
        (utils.disable_progress_bars if before else utils.enable_progress_bars)()
