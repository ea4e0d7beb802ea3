"""The tool in a browser: what the command answers, within what it may load, and asking nobody."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symparam.cli.main import run
from symparam.descriptions.catalogue import FOLDER
from tests.browser.chromium import Chromium, browser
from tests.browser.loopback import Loopback
from tests.browser.test_explore import AXE, PRETTIER, needs_node
from tests.browser.test_pages import complaints, needs_checker
from webtool.build import build, filled
from webtool.compiled import HERE, PYODIDE, NotBuilt
from webtool.parts import COUNTING, DERIVING

pytestmark = [pytest.mark.browser, pytest.mark.skipif(
    browser() is None or shutil.which("node") is None or not PYODIDE.exists(),
    reason="there is no Chromium, no node, or no Pyodide: run tests/browser/install")]

#: Ten models, of each kind one; the first two are tried where not everything is.
GROUPS = ("jamba-v0.1 llama-3-8b", "gpt2 llama-2-7b", "mixtral-8x7b deepseek-v3",
          "qwen3-30b-a3b gemma-3-1b", "t5-base mamba-130m")
EACH = [pytest.param(names, marks=pytest.mark.long if place else ())
        for place, names in enumerate(GROUPS)]
#: What the page runs for a configuration, by the places of the answers.
HTML = ("--format", "html")
COUNTED = {"count": ("count", "config.json", *HTML), "json": ("count", "config.json", "--json")}
ASKED = COUNTED | {
    "formula": ("derive", "config.json", "--detail", "appendix", *HTML),
    "derivation": ("derive", "config.json", *HTML), "latex": ("derive", "config.json", "--latex"),
    "checks": ("align", "config.json", *HTML), "cost": ("cost", "config.json", *HTML)}
#: The most that may be sent for the first count, and for all answers, in bytes.
FIRST, ALL = 8_000_000, 14_000_000
#: No machine takes longer for an answer, in seconds.
PATIENCE = 100

FILL = """(given => {
  for (const id of ["config", "line", "printed", "other"])
    document.getElementById(id).value = given[id] ?? "";
  document.querySelector("#form [type=submit]").click();
})(%s)"""
SAID = """Object.fromEntries([...document.querySelectorAll("[data-answer]")]
  .filter(place => place.said).map(place => [place.id, place.said]))"""
ANSWERED = "Number(document.body.dataset.answered ?? 0)"


@cache
def configuration(name: str) -> str:
    """A published model's config.json."""
    for path in sorted(FOLDER.glob("*.json")):
        models = json.loads(path.read_bytes())["models"]
        if name in models:
            return json.dumps(models[name]["config"])
    raise KeyError(name)


class Tool:
    """The page, open in a browser."""

    def __init__(self, chromium: Chromium, server: Loopback) -> None:
        self.chromium, self.server = chromium, server
        self._workers: set[str] = set()
        chromium.ask("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False,
                     flatten=True)
        self.open()

    def open(self) -> None:
        """The page anew, in a window of a desk."""
        self.look(1280, "light")
        self.chromium._events.clear()
        self.chromium.ask("Page.navigate", url=f"{self.server.address}/")
        self.chromium.wait_for("Page.loadEventFired")

    def look(self, width: int, scheme: str) -> None:
        """Another window."""
        self.chromium.ask("Emulation.setDeviceMetricsOverride", width=width, height=900,
                          deviceScaleFactor=1, mobile=False)
        self.chromium.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def ask(self, **given: str) -> dict[str, Any]:
        """All that is answered; what is given goes into the form."""
        before = self.chromium.value(ANSWERED)
        self.begin(**given)
        self.until(f"{ANSWERED} > {before}")
        return self.said()

    def begin(self, **given: str) -> None:
        """Fill the form and press the button."""
        self.chromium.value(FILL % json.dumps(given))

    def said(self) -> dict[str, Any]:
        """What the answers so far are."""
        return dict(self.chromium.value(SAID))

    def until(self, script: str) -> None:
        """Wait for something on the page."""
        until = time.monotonic() + PATIENCE
        while not self.chromium.value(script):
            assert time.monotonic() < until, (script, self.text("#state"), self.text("#refused"))
            self._listen()
            time.sleep(0.05)
        self._listen()

    def text(self, selector: str) -> str:
        """What stands somewhere."""
        return str(self.chromium.value(f"document.querySelector({selector!r}).textContent"))

    def _listen(self) -> None:
        """Hear what workers ask for and say."""
        own = self.chromium._session
        for event in list(self.chromium._events):
            session = event.get("params", {}).get("sessionId", "")
            if event.get("method") == "Target.attachedToTarget" and session not in self._workers:
                self._workers.add(session)
                try:
                    self.chromium._session = session
                    for domain in ("Network", "Runtime"):
                        self.chromium.ask(f"{domain}.enable")
                except RuntimeError:  # it has ended
                    pass
                finally:
                    self.chromium._session = own

    def noise(self) -> list[str]:
        """What was asked of other hosts, and said on a console, since the page was opened."""
        own = (self.server.address, "data:", f"blob:{self.server.address}")
        found = []
        for event in self.chromium._events:
            method, params = event.get("method", ""), event.get("params", {})
            if method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                found += [] if url.startswith(own) else [url]
            elif method in {"Log.entryAdded", "Runtime.consoleAPICalled",
                            "Runtime.exceptionThrown"}:
                found.append(json.dumps(params)[:300])
        return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, as it is handed out."""
    folder = tmp_path_factory.mktemp("built") / "tool"
    build(folder)
    return folder


@pytest.fixture(scope="module")
def tool(built: Path, chromium: Chromium) -> Iterator[Tool]:
    """The page, open; tests ask it one after the other."""
    with Loopback(built) as server:
        yield Tool(chromium, server)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
            capsys: pytest.CaptureFixture[str]) -> Callable[[str, Sequence[str]], dict[str, Any]]:
    """What the command line says of a configuration, in a folder that is called as its type."""
    def said(config: str, words: Sequence[str]) -> dict[str, Any]:
        typed = re.search(r'"model_type": "(\w+)"', config)
        folder = tmp_path / (typed[1] if typed else "model")
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        (folder / "config.json").write_text(config, encoding="utf-8")
        code = run(list(words))
        out = capsys.readouterr()
        return {"code": code, "out": out.out, "err": out.err, "missing": ""}

    return said


def differing(said: dict[str, Any], config: str, asked: dict[str, tuple[str, ...]],
              command: Callable[[str, Sequence[str]], dict[str, Any]]) -> list[str]:
    """The answers that are not those of the command line, to the byte, and where they differ."""
    found = []
    for name, words in asked.items():
        wanted, got = command(config, words), said.get(name, {})
        found += [f"{name}: {key}: {_parting(wanted[key], got.get(key))}"
                  for key in wanted if wanted[key] != got.get(key)]
    return found


def _parting(wanted: object, got: object) -> str:
    """Where two texts part, and how they go on."""
    first, second = str(wanted), str(got)
    place = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
                 min(len(first), len(second)))
    start = max(0, place - 40)
    return f"{first[start:place + 60]!r}, not {second[start:place + 60]!r}"


# --- it answers as the command does ---------------------------------------------------------

@pytest.mark.parametrize("names", EACH)
def test_a_pasted_configuration_is_answered_as_the_command_answers(
        names: str, tool: Tool, command: Callable[..., dict[str, Any]]) -> None:
    tool.open()
    for name in names.split():
        config = configuration(name)
        said = tool.ask(config=config)
        assert set(said) == set(ASKED)
        assert differing(said, config, ASKED, command) == [], name
        assert shown(tool, said) == []
    assert tool.noise() == []


def shown(tool: Tool, said: dict[str, Any]) -> list[str]:
    """Where the page does not show what was said: texts, formulas, the total; or shows an error."""
    total = f"{json.loads(said['json']['out'])['total']:,}"
    value = "document.querySelector('#{} textarea').value"
    formulas = "document.querySelectorAll('#{} math').length"
    right = {name: tool.chromium.value(value.format(name)) == said[name]["out"]
             for name in ("latex", "json")}
    right |= {name: tool.chromium.value(formulas.format(name)) == said[name]["out"].count("<math")
              for name in ("count", "derivation", "checks", "cost")}
    right["formula"] = tool.chromium.value(formulas.format("formula")) > 0
    right["total"] = total in tool.text("#count h2") and total in tool.text("#count .out")
    right["error"] = tool.chromium.value(
        "document.querySelectorAll('merror').length === 0 && "
        "[...document.querySelectorAll('[role=alert]')].every(place => !place.textContent)")
    return [name for name, is_right in right.items() if not is_right]


def test_options_a_printed_size_and_another_model_are_answered_too(
        tool: Tool, command: Callable[..., dict[str, Any]]) -> None:
    tool.open()
    said = tool.ask(line="gpt2 L=24", printed="1.5B", other="gpt2")
    assert said["count"] == command("", ("count", "gpt2", "L=24", *HTML))
    assert said["claim"] == command("", ("check", "gpt2", "L=24", "--claim", "P=1.5B", *HTML))
    assert said["claim"]["code"] == 1
    assert "wrong" in tool.text("#claim h2")
    assert said["diff"] == command("", ("diff", "gpt2", "L=24", "gpt2", *HTML))
    assert copied(tool, "latex") == said["latex"]["out"]
    assert copied(tool, "json") == said["json"]["out"]
    said = tool.ask(line="gpt2", other="llama-2-7b")
    assert said["diff"] == command("", ("diff", "gpt2", "llama-2-7b", *HTML))
    assert not tool.chromium.value("document.getElementById('diff').hidden")
    assert tool.chromium.value("document.getElementById('claim').hidden")
    assert tool.noise() == []


def copied(tool: Tool, place: str) -> str:
    """What a button puts on the clipboard."""
    tool.chromium.ask("Emulation.setFocusEmulationEnabled", enabled=True)
    tool.chromium.ask("Browser.grantPermissions", origin=tool.server.address,
                      permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    tool.chromium.value(f"document.querySelector('[data-copy={place}]').click()")
    button = f"document.querySelector('[data-copy={place}]').textContent"
    tool.until(f"{button} === 'Copied.'")  # on a phone nothing else is in sight
    text = str(tool.chromium.value("navigator.clipboard.readText()"))
    tool.until(f"{button}.startsWith('Copy ')")
    return text


@pytest.mark.parametrize(("config", "line"), [
    ('{"model_type": "llama", "hidden_size": 64, "foo_bar": 3}', ""),
    ('{"model_type": "<img src=x onerror=alert(1)>"}', ""), ("{", ""), ("", "lama-2-7b"),
    ("", "--ffn nope"), ("", "gpt2 <b>L=3</b>")])
def test_what_is_refused_is_said_as_the_command_says_it(
        config: str, line: str, tool: Tool, command: Callable[..., dict[str, Any]]) -> None:
    said = tool.ask(config=config, line=line)
    words = ["count", *(["config.json"] if config else []), *line.split(), *HTML]
    wanted = command(config, words)
    assert wanted["code"] == 2
    assert said == {"count": wanted}
    assert tool.text("#refused") == wanted["err"].strip()
    assert tool.chromium.value("document.querySelectorAll('main img, #refused *').length") == 0
    assert tool.chromium.value("[...document.querySelectorAll('[data-answer]')]"
                               ".every(place => place.hidden)")
    assert tool.chromium.value("document.querySelectorAll('[data-state]').length") == 0
    assert not tool.chromium.value("document.querySelector('.empty').checkVisibility()")


def test_a_model_of_a_hub_is_to_be_pasted(tool: Tool) -> None:
    name = "meta-llama/Llama-2-7b-hf"
    err = tool.ask(line=name)["count"]["err"]
    assert err.startswith(f"symparam: {name}: this page asks no hub: paste its config.json")
    assert "HF_HUB" not in err


def test_what_fails_keeps_nothing_of_an_earlier_answer(tool: Tool) -> None:
    tool.open()
    tool.ask(line="gpt2", printed="124M", other="gpt2-xl")
    assert "gpt2-xl" in tool.text("#diff h2")
    said = tool.ask(line="gpt2", printed="x", other="nope")
    for place, heading in (("claim", "Printed size"), ("diff", "Comparison")):
        assert said[place]["code"] == 2
        assert tool.text(f"#{place} h2") == heading
        assert tool.text(f"#{place} .note") == tool.text(f"#{place} .out") == ""
        assert tool.text(f"#{place} [role=alert]") == said[place]["err"].strip()


def test_options_without_numbers_have_a_formula_and_a_derivation(
        tool: Tool, command: Callable[..., dict[str, Any]]) -> None:
    said = tool.ask(line="--ffn swiglu")
    words = {name: (ASKED[name][0], "--ffn", "swiglu", *ASKED[name][2:])
             for name in ("count", "formula", "derivation", "latex")}
    assert set(said) == set(words)
    assert differing(said, "", words, command) == []
    assert {name: each["code"] for name, each in said.items()} == dict.fromkeys(words, 0) | {
        "count": 2}
    assert "needs a number for V" in tool.text("#count [role=alert]")
    assert tool.text("#refused") == ""
    for name in ("formula", "derivation"):
        assert tool.chromium.value(f"document.querySelectorAll('#{name} math').length") > 0


def test_keys_run_it(tool: Tool) -> None:
    tool.open()
    before = tool.chromium.value(ANSWERED)
    tool.chromium.value("document.getElementById('line').value = 'nope'; "
                        "document.getElementById('config').focus()")
    for kind in ("rawKeyDown", "keyUp"):
        tool.chromium.ask("Input.dispatchKeyEvent", type=kind, key="Enter", modifiers=2,
                          windowsVirtualKeyCode=13)
    tool.until(f"{ANSWERED} > {before}")
    assert "nope" in tool.text("#refused")


def test_a_line_that_no_shell_reads_and_none_at_all_are_refused(tool: Tool) -> None:
    assert tool.ask(line="gpt2 'L=3")["count"]["code"] == 2
    assert tool.text("#refused") == "symparam: No closing quotation"
    tool.begin()
    assert "Paste a config.json" in tool.text("#refused")


def test_what_is_cancelled_ends_and_the_next_question_is_answered(
        tool: Tool, command: Callable[..., dict[str, Any]]) -> None:
    tool.open()
    config = configuration("deepseek-v3")
    tool.begin(config=config)
    tool.until("document.querySelector('nav a[href=\"#formula\"]').dataset.state === 'working'")
    tool.chromium.value("document.getElementById('cancel').click()")
    assert tool.text("#state") == "Cancelled."
    assert tool.chromium.value("[...document.querySelectorAll('[data-state]')]"
                               ".every(place => place.dataset.state === 'done')")
    said = tool.said()
    assert set(said) == set(COUNTED)  # what was answered stays
    assert differing(said, config, COUNTED, command) == []
    config = configuration("gpt2")
    tool.begin(config=config)
    tool.until(f"Object.keys({SAID}).length >= 2")
    assert differing(tool.said(), config, COUNTED, command) == []
    tool.chromium.value("document.getElementById('cancel').click()")
    assert tool.noise() == []


# --- what it loads --------------------------------------------------------------------------

def test_the_first_count_and_all_answers_load_no_more_than_they_may(
        built: Path, chromium: Chromium) -> None:
    with Loopback(built) as server:
        held = threading.Event()
        server.changed["derive.tar.gz"] = lambda content: (held.wait(PATIENCE), content)[1]
        tool = Tool(chromium, server)
        assert server.bytes_sent() < 50_000  # nothing is loaded before something is asked
        tool.begin(line="gpt2")
        tool.until(f"'json' in {SAID}")  # while what derives is held back
        first = sum(size for name, size in server.sent if name != "derive.tar.gz")
        held.set()
        tool.until(f"{ANSWERED} > 0")
        assert all(each["code"] == 0 for each in tool.said().values())
        assert tool.noise() == []
    names = [name for name, _ in server.sent]
    assert sorted(names) == sorted(set(names))
    assert 4_000_000 < first <= FIRST
    assert first < server.bytes_sent() <= ALL


def test_the_bar_follows_what_is_loaded(built: Path, chromium: Chromium) -> None:
    """Python's library is held back, then what derives: the bar stands between, and never falls."""
    with Loopback(built) as server:
        held = {name: threading.Event() for name in ("python_stdlib.zip", "derive.tar.gz")}
        for name, event in held.items():
            server.changed[name] = lambda content, event=event: (event.wait(PATIENCE), content)[1]
        tool = Tool(chromium, server)
        value = "document.getElementById('progress').value"
        tool.begin(line="gpt2")
        tool.until(f"{value} > 0.25")
        assert tool.said() == {}
        assert 0.25 < (first := tool.chromium.value(value)) < 0.4
        held["python_stdlib.zip"].set()
        tool.until(f"'json' in {SAID}")
        assert first < (second := tool.chromium.value(value)) < 0.6
        held["derive.tar.gz"].set()
        tool.until(f"{ANSWERED} > 0")
        assert tool.chromium.value(value) >= 0.9 > second


def test_a_page_that_lies_or_asks_another_host_is_noticed(
        built: Path, chromium: Chromium, command: Callable[..., dict[str, Any]]) -> None:
    """The worker is changed on its way: one digit of each answer, and a question to a stranger."""
    right = b'say("answer", {name, said, open: needed && open});'
    wrong = (b'said.out = said.out.replace("7", "8"); '
             b'await fetch("http://127.0.0.1:9/").catch(() => 0);')

    def changed(content: bytes) -> bytes:
        assert content.count(right) == 1
        return content.replace(right, wrong + right)

    with Loopback(built) as server:
        server.changed["worker.js"] = changed
        tool = Tool(chromium, server)
        config = configuration("gpt2")
        tool.begin(config=config)
        tool.until(f"'json' in {SAID}")
        wrong = differing(tool.said(), config, COUNTED, command)
        assert {each.partition(":")[0] for each in wrong} == set(COUNTED)
        tool.until("true")
        assert any("Content Security Policy" in each or ":9/" in each for each in tool.noise())
        tool.chromium.value("document.getElementById('cancel').click()")


@pytest.mark.long
def test_the_same_sources_are_built_into_the_same_files(built: Path, tmp_path: Path) -> None:
    build(tmp_path / "again")
    files = {path.name: path.read_bytes() for path in built.iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == files


def test_the_page_leads_to_the_site_where_there_is_one(built: Path) -> None:
    page = (HERE / "page" / "index.html").read_text(encoding="utf-8")
    assert re.findall('href="([^"]+)"', filled(page, built, "../x")) == [
        "data:,", "pieces.css", "style.css", "#answers", "../x/", "../x/browser/",
        *re.findall('href="(#[^"]+)"', page)[1:], "licences.txt"]
    assert "browser/" not in (built / "index.html").read_text(encoding="utf-8")


def test_what_is_handed_out_has_its_licences(built: Path) -> None:
    text = (built / "licences.txt").read_text(encoding="utf-8")
    for name in (*COUNTING, *DERIVING, "Pyodide", "Python", "symparam"):
        assert re.search(rf"^{name}(-[\d.]+)?$", text, re.MULTILINE | re.IGNORECASE), name
    assert text.count("Redistribution and use in source and binary forms") >= 4


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(NotBuilt, match=r"mine\.txt is nothing that a build puts"):
        build(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


# --- it is easy to use ----------------------------------------------------------------------

@pytest.mark.parametrize("name", [
    "jamba-v0.1", pytest.param("deepseek-v3", marks=pytest.mark.long)])
def test_the_page_fits_its_window_and_axe_finds_nothing(name: str, tool: Tool,
                                                        tmp_path: Path) -> None:
    """Pictures stay in the folder that SYMPARAM_PICTURES names, to be looked at."""
    pictures = Path(os.environ.get("SYMPARAM_PICTURES") or tmp_path)
    tool.open()
    tool.chromium.value(AXE.read_text(encoding="utf-8") if AXE.exists() else "")
    found = ("axe.run({rules: {'empty-table-header': {enabled: false}}})"  # (it reads no MathML)
             ".then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html)]))")
    for asked in ({}, {"line": name, "printed": "52B"}, {"line": "nope"}):
        if asked:
            tool.ask(**asked)
        for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (320, "light")):
            tool.look(width, scheme)
            wide = tool.chromium.value("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, (asked, width)
            height = tool.chromium.value("document.documentElement.scrollHeight")
            seen = tool.chromium.part(0, 0, width, min(height, 4000))
            assert seen.colours > 20
            state = re.sub(r"\W", "-", asked.get("line", "empty"))
            (pictures / f"tool-{state}-{width}-{scheme}.png").write_bytes(seen.png)
            if AXE.exists() and width == 1280:
                assert tool.chromium.value(found) == [], (asked, scheme)
    assert tool.noise() == []


@needs_checker
def test_the_page_is_valid(built: Path, tmp_path: Path) -> None:
    page = (built / "index.html").read_text(encoding="utf-8")
    assert "@" not in re.sub(r"<option[^>]*>", "", page)
    said = complaints({"tool": page}, tmp_path).get("tool", [])
    assert [each for each in said if "violates Content Security Policy" not in each] == []  # (self)


@needs_node
@pytest.mark.skipif(not PRETTIER.exists(), reason="no Prettier: run tests/browser/install")
def test_a_formatter_leaves_the_scripts_alone() -> None:
    scripts = [*HERE.glob("page/*.js"), *HERE.glob("*.mjs")]
    done = subprocess.run(["node", str(PRETTIER), "--check", *map(str, scripts)],
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
