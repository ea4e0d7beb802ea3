"""The page against symparam itself: the same numbers, the same refusals, in words and in copies."""

from __future__ import annotations

import base64
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symparam import load
from symparam.cli.main import run
from symparam.descriptions.config import MAX_LAYERS, read_config
from symparam.explore.counting import counting
from symparam.explore.page import PACKED
from symparam.resolve import numbers
from symparam.run import RUN
from tests.browser.chromium import Chromium, browser
from tests.browser.packed import TERSER, packed, scripts
from tests.browser.test_katex import CACHE
from tests.browser.test_pages import complaints, needs_checker, quiet
from tests.changes import MODELS, answers, changes

AXE = CACHE / "node_modules" / "axe-core" / "axe.min.js"
PRETTIER = CACHE / "node_modules" / "prettier" / "bin" / "prettier.cjs"

pytestmark = pytest.mark.browser
needs_browser = pytest.mark.skipif(browser() is None, reason="there is no Chromium")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")

#: One of each kind; all of them are tried where everything is.
FEW = {"llama-2-7b", "gemma-3-27b", "jamba-v0.1", "t5-base", "deepseek-v3", "whisper-tiny"}
EACH = [pytest.param(name, marks=() if name in FEW else pytest.mark.long) for name in MODELS]
#: A browser takes a minute for a hundred changes.
SHOWN = [pytest.param(name, marks=() if name in {"llama-2-7b", "jamba-v0.1", "deepseek-v3"} else
                      pytest.mark.long) for name in MODELS]
#: Files of the script that know of no page.
CORE = ("numbers", "grammar", "model", "words")


@cache
def page_of(name: str) -> str:
    """A model's page."""
    return load(name).explore().html()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def opened(chromium: Chromium, folder: Path, name: str, width: int = 1280, **how: Any) -> Any:
    """A model's page, open."""
    path = folder / f"{name}.html"
    if not path.exists():
        path.write_text(page_of(name), encoding="utf-8")
    return chromium.show(path, width, **how)


#: Types texts into inputs one after the other, from the published numbers on.
TYPED = """(texts => {
  document.getElementById("published").click();
  for (const [name, text] of Object.entries(texts)) {
    const field = document.querySelector(`[data-dim="${name}"]`);
    field.value = text;
    field.dispatchEvent(new Event("input", {bubbles: true}));
    field.dispatchEvent(new Event("change", {bubbles: true}));
  }
  const outputs = [...document.querySelectorAll("[data-quantity]")];
  return {
    answers: Object.fromEntries(outputs.map(e => [e.dataset.quantity, e.dataset.value || null])),
    refused: document.querySelector("[role=alert]").innerText,
    terms: [...document.querySelectorAll("[data-term]")].map(e => e.dataset.term)};
})(%s)"""


def typed(chromium: Chromium, texts: Mapping[str, str]) -> dict[str, Any]:
    """What the page shows after some texts were typed."""
    return dict(chromium.value(TYPED % json.dumps(texts)))


def in_node(name: str, given: Sequence[Mapping[str, str]], script: str = "") -> list[Any]:
    """What the page's script says of changes, run without a page."""
    own = "\n".join(path.read_text(encoding="utf-8") for path in scripts()
                    if path.stem.partition("-")[2] in CORE)
    data = counting(load(name).explore().json())
    sent = {"script": script or own, "models": [{"data": data, "changes": given}]}
    done = subprocess.run(["node", str(Path(__file__).parent / "counted.cjs")], check=True,
                          input=json.dumps(sent).encode(), capture_output=True, timeout=300)
    return list(json.loads(done.stdout)[0])


def differences(name: str, given: Sequence[dict[str, str]], found: Sequence[Any]) -> list[str]:
    """Where the script and symparam do not say the same."""
    wrong = []
    for change, got in zip(given, found, strict=True):
        wanted = answers(name, change)
        refused = None in wanted.values()
        if got["answers"] != wanted or refused != bool(got["problems"]):
            wrong.append(f"{name} {change}: {got}, not {wanted}")
    return wrong


# --- it tells the truth ---------------------------------------------------------------------

@needs_node
@pytest.mark.parametrize("name", EACH)
def test_a_hundred_changes_are_counted_as_symparam_counts_them(name: str) -> None:
    given = [*changes(name, 100)]
    assert differences(name, given, in_node(name, given)) == []


@needs_node
@pytest.mark.parametrize(("right", "wrong"), [
    ("a * d + c * b", "a * d + c"), ('"<=": (a, b) => !isLess(b, a)', '"<=": isLess'),
    ("isWhole(over(b, a))", "true"), ("BigInt(n % d < 0n)", "0n"),
    ("if (!isWhole(value))", "if (false)")])
def test_a_script_that_is_wrong_is_noticed(right: str, wrong: str) -> None:
    own = "\n".join(path.read_text(encoding="utf-8") for path in scripts()
                    if path.stem.partition("-")[2] in CORE)
    assert own.count(right) == 1
    given = [{"top_k": "256"}, {"top_k": "257"}, {"d_rope": "63"}, {"q_rank": "down(-3/2) + 9"},
             {"q_rank": "3/2 + 1/3 + 1/6"}, {"d_ff": "8/3*d_model"}]
    assert differences("deepseek-v3", given, in_node("deepseek-v3", given)) == []
    assert differences("deepseek-v3", given,
                       in_node("deepseek-v3", given, own.replace(right, wrong)))


@needs_browser
@pytest.mark.parametrize("name", SHOWN)
def test_the_page_shows_what_symparam_counts(name: str, chromium: Chromium, folder: Path) -> None:
    """Numbers, refusals, the formula's terms; a hundred others than those that node is shown."""
    assert quiet(opened(chromium, folder, name))
    for change in changes(name, 100, seed=1):
        shown, wanted = typed(chromium, change), answers(name, change)
        assert shown["answers"] == wanted, change
        assert bool(shown["refused"]) == (None in wanted.values()), (change, shown["refused"])
        if wanted["P"] is not None and load(name).explore().explored.derivation is not None:
            assert sum(map(int, shown["terms"])) == int(wanted["P"]), change


@needs_browser
@pytest.mark.parametrize("name", EACH)
def test_what_is_copied_counts_the_same(name: str, chromium: Chromium, folder: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    opened(chromium, folder, name)
    copied = 0
    for change in changes(name, 30, seed=2):
        shown = typed(chromium, change)["answers"]
        total = shown["P"]
        if total is None:
            continue
        words = shlex.split(chromium.value("COPIES.command(state)"))
        runs = RUN.keys() & change.keys() and None not in shown.values()
        assert words[:2] == ["symparam", "cost" if runs else "count"]
        assert run([*words[1:], "--json", "--quiet"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["parameters" if runs else "total"] == int(total), words
        file = chromium.value("(() => { try { return COPIES['config.json'](state) } "
                              "catch { return '' } })()")
        if file and chromium.value("NAMES.every(n => !/^L/.test(n) || state.values.get(n)[0] "
                                   f"<= {MAX_LAYERS})"):  # (no config.json may have more)
            model = read_config("a file", json.loads(file), name)
            assert model.ledger(numbers(model).values).total() == int(total), change
            copied += 1
    assert copied or not any(dim["key"] for dim in load(name).explore().json()["dims"].values())


@needs_browser
@pytest.mark.parametrize("name", EACH)
def test_the_formula_that_is_copied_is_written_as_symparam_writes_it(
        name: str, chromium: Chromium, folder: Path) -> None:
    """Of every line, whichever holds."""
    explored = load(name).explore()
    opened(chromium, folder, name)
    lines = {" + ".join(term["latex"] for term in line["terms"]).replace("+ -", "- ")
             for line in explored.json()["lines"]}
    copied = set()
    for change in ({}, *changes(name, 40, seed=3)):
        typed(chromium, change)
        text = chromium.value("(() => { try { return COPIES.LaTeX(state) } "
                              "catch { return '' } })()")
        copied |= {text.removeprefix("P = ").rpartition(" = ")[0]} - {""}
    assert copied <= lines
    assert copied or explored.explored.derivation is None


@needs_browser
def test_a_copied_command_prints_the_cache_of_so_many_tokens(
        chromium: Chromium, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened(chromium, folder, "llama-2-70b")
    cache = typed(chromium, {"s": "128Ki", "n_kv": "4"})["answers"]["kv_cache"]
    words = shlex.split(chromium.value("COPIES.command(state)"))
    assert words == ["symparam", "cost", "llama-2-70b", "s=128Ki", "n_kv=4"]
    assert run([*words[1:], "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["cache"]["bytes"] == int(cache)
    label = "document.querySelector('[data-quantity=kv_cache]').nextElementSibling.innerText"
    assert "cache at s = 131,072, b = 1" in chromium.value(label)


@needs_browser
def test_two_questions_are_answered(chromium: Chromium, folder: Path) -> None:
    opened(chromium, folder, "llama-2-70b")
    whole = typed(chromium, {"s": "128Ki"})["answers"]["kv_cache"]
    half = typed(chromium, {"s": "128Ki", "n_kv": "4"})["answers"]["kv_cache"]
    assert 2 * int(half) == int(whole) == 42949672960
    opened(chromium, folder, "deepseek-v3")
    totals = [int(typed(chromium, {"n_experts": str(n)})["answers"]["P"]) for n in (384, 392)]
    assert totals[0] < 10**12 <= totals[1]


# --- it is easy to use ----------------------------------------------------------------------

@needs_browser
def test_what_cannot_be_is_said_and_mended(chromium: Chromium, folder: Path) -> None:
    opened(chromium, folder, "llama-2-7b")
    shown = typed(chromium, {"d_model": "4100"})
    assert "d_head = d_model/n_heads is not whole" in shown["refused"]
    buttons = chromium.value("[...document.querySelectorAll('[role=alert] button')]"
                             ".map(b => b.textContent)")
    assert "d_model = 4,096" in buttons
    for place in range(len(buttons)):
        typed(chromium, {"d_model": "4100"})
        chromium.value(f"document.querySelectorAll('[role=alert] button')[{place}].click()")
        assert chromium.value("document.querySelector('[role=alert]').innerText") == "", buttons
        assert chromium.value("document.querySelector('[data-quantity=P]').dataset.value")


#: What the page shows of a refused state: is its reason in the window, scrolled to the end too?
REASON = """(() => [0, 1e6].map(top => {
  window.scrollTo(0, top);
  const {top: from, bottom, height} = document.querySelector("[role=alert]")
    .getBoundingClientRect();
  return height > 0 && from >= 0 && bottom <= innerHeight;
}))()"""
SEEN = """[...document.querySelectorAll(".counts > *")]
  .filter(e => e.tagName !== "H2" && e.checkVisibility({visibilityProperty: true})).length"""


@needs_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_refused_is_seen_and_nothing_older_beside_it(width: int, chromium: Chromium,
                                                             folder: Path) -> None:
    opened(chromium, folder, "llama-2-70b", width)
    assert typed(chromium, {})["refused"] == ""
    assert chromium.value(SEEN) > 3
    assert "n_kv divides n_heads" in typed(chromium, {"n_kv": "3"})["refused"]
    assert chromium.value(REASON) == [True, True]
    assert chromium.value(SEEN) == 0


#: How high the sticky head is, and where the field ends up below it.
HEAD = """(name => {
  const field = document.querySelector(`[data-dim=${name}]`);
  field.scrollIntoView({block: "start"});
  const head = document.getElementById("totals").getBoundingClientRect();
  return [head.height, field.getBoundingClientRect().top - head.bottom];
})("%s")"""


@needs_browser
def test_on_a_phone_the_head_leaves_the_field_in_view(chromium: Chromium, folder: Path) -> None:
    """However much is refused, a fifth of the screen; what does not fit opens where it is used."""
    opened(chromium, folder, "llama-2-70b", 390)
    for texts in ({}, {"n_kv": "3"}, {"s": "0.5"}, {"n_kv": "3", "d_model": "8191.5", "L": "x"}):
        typed(chromium, texts)
        height, below = chromium.value(HEAD % "n_kv")
        assert height < 844 / 5, texts
        assert below >= 0, texts
    chromium.value("document.querySelector('[role=alert] button').focus()")
    assert chromium.value(HEAD % "n_kv")[0] > height


#: What is shown while a text is typed letter by letter, and after a pause.
LETTERS = """(async (name, text, pause) => {
  const field = document.querySelector(`[data-dim=${name}]`), found = [];
  const look = () => {
    const out = document.querySelector("[data-quantity=P]");
    found.push([out.dataset.value, out.innerText, +getComputedStyle(out.parentNode).opacity,
      document.querySelector("[role=alert]").innerText.length]);
  };
  for (let end = 1; end <= text.length; end++) {
    field.value = text.slice(0, end);
    field.dispatchEvent(new Event("input", {bubbles: true}));
    look();
  }
  await new Promise(done => setTimeout(done, pause));
  look();
  return found;
})(%s, %s, 1200)"""


@needs_browser
def test_what_is_half_typed_is_not_refused_before_a_pause(chromium: Chromium,
                                                          folder: Path) -> None:
    """No banner, the last numbers pale; but no output has a value that is not of these texts."""
    opened(chromium, folder, "deepseek-v3")
    typed(chromium, {})
    before = chromium.value("document.querySelector('[data-quantity=P]').innerText")
    *half, whole, after = chromium.value(LETTERS % ('"n_experts"', '"384"'))
    assert half == [["", before, 0.5, 0]] * 2
    assert whole == after == [str(load("deepseek-v3").count(n_experts=384)), whole[1], 1, 0]
    typed(chromium, {})
    *half, after = chromium.value(LETTERS % ('"n_experts"', '"38"'))
    assert half == [["", before, 0.5, 0]] * 2
    assert after[:2] == ["", "–"]
    assert after[3] > 0
    assert typed(chromium, {"n_experts": "38"})["refused"]  # at once where the field is left


@needs_browser
def test_changes_are_from_what_is_kept(chromium: Chromium, folder: Path) -> None:
    opened(chromium, folder, "llama-2-70b")
    shown = "document.querySelector('[data-quantity=kv_cache]').nextElementSibling.innerText"
    kept = "document.getElementById('keep').click()"
    typed(chromium, {"s": "128Ki"})
    assert "+3,100 %" in chromium.value(shown)
    chromium.value(kept)
    assert "%" not in chromium.value(shown)
    said = "document.getElementById('keep').closest('section').innerText.trim()"
    assert not chromium.value(said).endswith(":")
    typed(chromium, {"s": "128Ki", "n_kv": "4"})
    assert "−50 %" in chromium.value(shown)
    typed(chromium, {"n_kv": "3"})
    chromium.value(kept)  # of what is refused there are no changes
    typed(chromium, {})
    assert "%" not in chromium.value(shown)


@needs_browser
@pytest.mark.parametrize("by", ["mouse", "touch"])
@pytest.mark.parametrize(("name", "dim", "can_be"), [
    ("llama-2-70b", "n_kv", [1, 2, 4, 8, 16, 32, 64]),
    ("gpt2", "n_heads", [1, 2, 3, 4, 6, 8, 12, 16, 24])])
def test_a_slider_that_is_dragged_does_not_go_back(
        name: str, dim: str, can_be: list[int], by: str, chromium: Chromium,
        folder: Path) -> None:
    """From end to end; what it comes to does not depend on where it came from."""
    move = {"mouse": mouse, "touch": touch}[by]
    opened(chromium, folder, name, *([390] if by == "touch" else []))
    typed(chromium, {})
    low, high, y = chromium.value(
        f"(() => {{ const r = document.querySelector('[data-row={dim}] [type=range]');"
        "r.scrollIntoView({block: 'center'}); const b = r.getBoundingClientRect();"
        "return [b.left + 3, b.right - 3, (b.top + b.bottom) / 2] })()")
    move(chromium, "Pressed", low, y)
    found = []
    for step in range(101):
        move(chromium, "Moved", low + (high - low) * step / 100, y)
        found.append(int(chromium.value(f"exact(state.values.get('{dim}'))")))
        assert chromium.value("state.problems.length") == 0
    move(chromium, "Released", high, y)
    assert found == sorted(found)
    reached = sorted(set(found))
    if by == "touch":  # (the first pixels that a finger goes are no move)
        can_be = [number for number in can_be if number in reached or number not in can_be[:2]]
    assert reached == can_be


def mouse(chromium: Chromium, kind: str, x: float, y: float) -> None:
    """The left button, pressed, moved or let go."""
    chromium.ask("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, button="left",
                 buttons=1, clickCount=1)


def touch(chromium: Chromium, kind: str, x: float, y: float) -> None:
    """A finger, put down, moved or taken away."""
    kinds = {"Pressed": "touchStart", "Moved": "touchMove", "Released": "touchEnd"}
    points = [] if kind == "Released" else [{"x": x, "y": y}]
    chromium.ask("Input.dispatchTouchEvent", type=kinds[kind], touchPoints=points)


@needs_browser
def test_states_are_in_the_address_and_go_back(chromium: Chromium, folder: Path) -> None:
    opened(chromium, folder, "llama-2-7b")
    typed(chromium, {"d_ff": "8/3*d_model, up to 256", "L": "40"})
    there = chromium.value("location.hash")
    total = chromium.value("document.querySelector('[data-quantity=P]').dataset.value")
    chromium.value("document.getElementById('undo').click()")
    assert chromium.value("document.querySelector('[data-quantity=P]').dataset.value") == str(
        load("llama-2-7b").count())
    chromium.value(f"new Promise(done => {{ addEventListener('hashchange', () => done(1)); "
                   f"location.hash = {json.dumps(there)} }})")
    assert chromium.value("document.querySelector('[data-quantity=P]').dataset.value") == total
    assert int(total) == load("llama-2-7b").count(L=40)
    chromium.value("location.hash = '#L=x%25&nope=3&d_model='")


@needs_browser
def test_keys_alone_change_every_dim(chromium: Chromium, folder: Path) -> None:
    """From one control to the next with Tab; on each slider an arrow."""
    opened(chromium, folder, "llama-2-7b")
    moved = set()
    for _ in range(60):
        key(chromium, "Tab", 9)
        name = chromium.value("document.activeElement.type === 'range' "
                              "&& document.activeElement.closest('[data-row]').dataset.row")
        if name:
            before = chromium.value("location.hash")
            key(chromium, "ArrowRight", 39)
            key(chromium, "ArrowLeft", 37)
            key(chromium, "ArrowLeft", 37)
            moved |= {name} if chromium.value("location.hash") != before else set()
    assert moved == set(load("llama-2-7b").explore().json()["dims"]) - {"b"} | (moved & {"b"})


def key(chromium: Chromium, name: str, code: int) -> None:
    """A key, pressed and let go."""
    for kind in ("rawKeyDown", "keyUp"):
        chromium.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                     windowsVirtualKeyCode=code)


#: Pages that are looked at: dense, a mixture, an encoder with a decoder, one of many kinds.
LOOKED_AT = ("llama-2-7b", "deepseek-v3", "t5-base", "jamba-v0.1")


@needs_browser
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_keeps_to_itself_and_fits_its_window(name: str, chromium: Chromium,
                                                    folder: Path) -> None:
    """Pictures stay in the folder that SYMPARAM_PICTURES names, to be looked at."""
    pictures = Path(os.environ.get("SYMPARAM_PICTURES") or folder)
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (320, "light")):
        seen = opened(chromium, folder, name, width, scheme=scheme, picture=True)
        (pictures / f"explore-{name}-{width}-{scheme}.png").write_bytes(seen.png)
        assert quiet(seen), (width, seen.overflow, seen.messages)
        typed(chromium, {"L_encoder" if name == "t5-base" else "L": "7", "V": "7.5"})
        wide = chromium.value("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, width


@needs_browser
@pytest.mark.skipif(not AXE.exists(), reason="there is no axe: run tests/browser/install")
@pytest.mark.parametrize("name", LOOKED_AT[:2])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(name: str, scheme: str, chromium: Chromium, folder: Path) -> None:
    opened(chromium, folder, name, scheme=scheme)
    chromium.value(AXE.read_text(encoding="utf-8"))
    found = "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html)]))"
    assert chromium.value(found) == []
    typed(chromium, {"d_model": "4100.5"})
    assert chromium.value(found) == []
    chromium.value("document.querySelector('h1').style.color = 'color-mix(in srgb, "
                   "var(--paper), var(--ink) 20%)'")
    assert [rule for rule, _ in chromium.value(found)] == ["color-contrast"]  # it can find one


@needs_browser
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_is_printed_on_a_few_sheets(name: str, chromium: Chromium, folder: Path) -> None:
    opened(chromium, folder, name)
    pdf = base64.b64decode(chromium.ask("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)[
        "data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 8


@needs_browser
@pytest.mark.parametrize("name", LOOKED_AT)
def test_without_a_script_a_page_is_read(name: str, chromium: Chromium, folder: Path) -> None:
    chromium.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        opened(chromium, folder, name)
        text = chromium.value("document.body.innerText")
    finally:
        chromium.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert f"{load(name).count():,}" in text
    for row in load(name).explore().json()["components"]:
        assert row["title"].partition(" (")[0] in text
    assert "The derivation" in text
    assert chromium.value("document.getElementById('derivation').open")


@needs_checker
def test_pages_are_valid(tmp_path: Path) -> None:
    """But for what the checker says of any policy with a digest, which it does not work out."""
    found = complaints({name: page_of(name) for name in LOOKED_AT}, tmp_path)
    said = {each for messages in found.values() for each in messages}
    assert [each for each in said if "Inline script violates" not in each] == []


@needs_node
@pytest.mark.skipif(not PRETTIER.exists(), reason="no Prettier: run tests/browser/install")
def test_a_formatter_leaves_the_script_alone() -> None:
    done = subprocess.run(["node", str(PRETTIER), "--check", *map(str, scripts())],
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@needs_node
@pytest.mark.skipif(not TERSER.exists(), reason="there is no terser: run tests/browser/install")
def test_the_packed_script_is_what_its_files_are_packed_to() -> None:
    assert PACKED.read_text(encoding="utf-8") == packed()
