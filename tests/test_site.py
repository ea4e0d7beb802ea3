"""The site's builder: links, what is staged, its configuration, and the check of what was built."""

from __future__ import annotations

import doctest
import importlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import symparam
from site_build import (
    checking,
    gallery,
    links,
    missing,
    models,
    places,
    searching,
    staging,
    tool,
)
from site_build.themed import themed
from symparam import errors, load
from symparam.descriptions.catalogue import names

OUTER = "https://elsewhere.example/"
HEAD = ('<!DOCTYPE html><html lang="en"><head><title>x</title>{}</head>'
        '<body id="top">{}</body></html>')


class Reader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML as MkDocs writes it: a value may be that of the environment."""


Reader.add_constructor("!ENV", lambda reader, node: None)


def configuration() -> dict[str, Any]:
    """The site's configuration."""
    found: dict[str, Any] = yaml.load(places.CONFIG.read_text(encoding="utf-8"), Reader)
    return found


def leaves(nav: Any) -> Iterator[tuple[str, str]]:
    """The pages of a navigation with their titles."""
    for entry in nav:
        for title, inside in entry.items():
            if isinstance(inside, str):
                yield title, inside
            else:
                yield from leaves(inside)


def built(folder: Path, head: str = "", body: str = "", css: str = "") -> list[str]:
    """What the check says of a small site with these pieces in it."""
    (folder / "a").mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(HEAD.format(head, body), encoding="utf-8")
    (folder / "a" / "index.html").write_text(
        HEAD.format("", '<h2 id="here">x</h2><a href="..">back</a>'), encoding="utf-8")
    (folder / "style.css").write_text(css, encoding="utf-8")
    (folder / "x.png").write_bytes(b"")
    checking.read.cache_clear()
    return list(checking.faults(folder, "https://own.example/docs/"))


GOOD = {"a folder": ("", '<a href="a/">x</a>', ""), "a place": ("", '<a href="a/#here">x</a>', ""),
        "the page itself": ("", '<a href="#top">x</a><a href="">x</a>', ""),
        "from the root": ("", '<a href="/docs/a/#here">x</a><a href="/docs/">x</a>', ""),
        "an address elsewhere": ("", f'<a href="{OUTER}">x</a><a href="mailto:a@b.c">x</a>', ""),
        "its own address": ("", '<a href="https://own.example/docs/a/#here">x</a>', ""),
        "what is said alone": (f'<link rel="canonical" href="{OUTER}">', "", ""),
        "a style": ('<link rel="stylesheet" href="style.css">', "", "p { background: url(x.png) }"),
        "data": ("", '<img alt="" src="data:image/png;base64,AA==">', "p{background:url(data:,)}"),
        "a comment": ("", "", f"/* see @import {OUTER} */")}
BAD = {"no such page": ("", '<a href="b/">x</a>', ""),
       "no such place": ("", '<a href="a/#there">x</a>', ""),
       "no such place here": ("", '<a href="#there">x</a>', ""),
       "above the root": ("", '<a href="../a/">x</a>', ""),
       "beside the site": ("", '<a href="/a/">x</a>', ""),
       "no such page at its address": ("", '<a href="https://own.example/docs/b/">x</a>', ""),
       "no such picture": ("", '<img alt="" src="y.png">', ""),
       "no such second picture": ("", '<img alt="" src="x.png" srcset="x.png 1x, y.png 2x">', ""),
       "a script elsewhere": (f'<script src="{OUTER}x.js"></script>', "", ""),
       "fonts elsewhere": (f'<link rel="stylesheet" href="{OUTER}css?family=x">', "", ""),
       "a connection elsewhere": (f'<link rel="preconnect" href="{OUTER}">', "", ""),
       "by the same scheme": ("", '<img alt="" src="//elsewhere.example/x.png">', ""),
       "a frame elsewhere": ("", f'<iframe src="{OUTER}"></iframe>', ""),
       "a symbol elsewhere": ("", f'<svg><use href="{OUTER}#x"></use></svg>', ""),
       "a style elsewhere": ("", "", f"@import '{OUTER}x.css';"),
       "a font of a style": ("", "", f"@font-face {{ src: url({OUTER}x.woff2) }}"),
       "a style on a page": (f"<style>p {{ background: url('{OUTER}x') }}</style>", "", ""),
       "a style of an element": ("", f'<p style="background: url({OUTER}x)">x</p>', "")}


@pytest.mark.parametrize("name", GOOD)
def test_the_check_lets_a_sound_site_pass(name: str, tmp_path: Path) -> None:
    assert built(tmp_path, *GOOD[name]) == []


@pytest.mark.parametrize("name", BAD)
def test_the_check_finds(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(built(tmp_path, *BAD[name])) == 1
    assert checking.main(tmp_path, "https://own.example/docs/") == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.fixture
def staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the one that is staged into."""
    for module in (places, staging, models, tool):
        monkeypatch.setattr(module, "STAGED", tmp_path)
    return tmp_path


def test_every_link_of_a_staged_page_leads_somewhere(staged: Path) -> None:
    staging.stage()
    made = {f"{part}/{name}/index.md" for part, found in (
        ("models", models.famous()), ("studies", STUDIES)) for name in found}
    made |= {"models/index.md", "gallery/index.md", "models/llama-2-7b/index.md"}
    pages = {str(path.relative_to(staged)): path for path in staged.rglob("*.md")}
    assert len(pages) > 25
    for name, path in pages.items():
        for target in filter(links.is_own, links.targets(path.read_text(encoding="utf-8"))):
            inside = links.resolved(name, target)[0]
            assert (staged / inside).is_file() or inside in made or STUDY in inside, (name, target)


def test_a_link_that_leads_nowhere_is_told(staged: Path) -> None:
    with pytest.raises(staging.Astray, match=r"docs/a\.md: there is no docs/nowhere\.md"):
        staging.put("docs/a.md", "[x](nowhere.md)")
    with pytest.raises(staging.Astray, match="is no page of the site"):
        staging.put("docs/a.md", "[x](../tests/data/README.md)")
    staging.put("docs/a.md", "`[x](nowhere.md)` [y](../examples/sweep_on_dask.py#L3)")
    assert (staged / "files" / "examples" / "sweep_on_dask.py.txt").is_file()
    assert "(files/examples/sweep_on_dask.py.txt#L3)" in (staged / "a.md").read_text()


def test_no_link_brings_what_is_outside_of_the_project(
        staged: Path, tmp_path_factory: pytest.TempPathFactory,
        monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by its path nor through a link of the file system, nor one file of a folder."""
    around = tmp_path_factory.mktemp("around")
    root, outside = around / "project", around / "outside.txt"
    (root / "data").mkdir(parents=True)
    outside.write_text("not for the site")
    (root / "data" / "link.txt").symlink_to(outside)
    (root / "data" / "own.txt").write_text("own")
    monkeypatch.setattr(staging, "ROOT", root)
    for target in ("../../outside.txt", "../..", "../data/link.txt"):
        with pytest.raises(staging.Astray, match="in the project"):
            staging.put("docs/a.md", f"[x]({target})")
    staging.put("docs/a.md", "[x](../data)")
    assert {path.name for path in around.iterdir()} == {"project", "outside.txt"}
    assert not [*staged.rglob("link.txt*")]
    assert [*staged.rglob("own.txt*")]


STUDY = "studies/"
STUDIES = sorted(path.parent.name for path in (places.ROOT / "outputs" / "studies").glob("*/*.md"))


def test_every_page_is_in_the_navigation() -> None:
    pages = {places.place(path) for path in staging.documents()}
    pages |= {str(path.relative_to(places.SOURCES / "pages"))
              for path in (places.SOURCES / "pages").rglob("*.md")}
    pages |= {f"models/{name}/index.md" for name in models.famous()}
    pages |= {f"studies/{name}/index.md" for name in STUDIES}
    pages |= {"models/index.md", "gallery/index.md", "schema/index.md"}
    found = [page for _, page in leaves(configuration()["nav"])]
    assert sorted(found) == sorted(pages)


def test_famous_models_are_published_and_named_alike_in_the_navigation() -> None:
    titles = {page: title for title, page in leaves(configuration()["nav"])}
    assert set(models.famous()) <= set(names())
    for name, found in models.famous().items():
        assert titles[f"models/{name}/index.md"] == found.title


def test_the_configuration_builds_what_is_staged_and_fetches_nothing() -> None:
    found = configuration()
    assert places.ROOT / found["docs_dir"] == places.STAGED
    assert places.ROOT / found["site_dir"] == places.BUILT
    assert found["theme"]["font"] is False
    assert not {"repo_url", "edit_uri", "extra_javascript"} & found.keys()
    assert not [file for file in found["extra_css"] if "//" in file]


def test_a_page_of_a_document_has_its_headings_and_its_mathematics() -> None:
    view = load("gpt2").derive()
    page = themed(view.document(), view.notation, down=1)
    assert page.startswith("# gpt2: the number of parameters, derived\n")
    assert "\n### 1. Take the model apart\n" in page
    assert page.count("<math") > 20
    assert "$" not in page
    assert page.count("<div") == page.count("</div>")


def test_a_name_cannot_mark_up_a_page() -> None:
    found = replace(load("gpt2").derive().document(), title="<b> *x* [y](z) $w$")
    head = themed(found).splitlines()[0]
    assert links.targets(head) == []
    assert not {"<b>", "*x*"} & set(head.split())


def test_errors_that_can_be_raised_are_all_in_the_reference() -> None:
    page = (places.SOURCES / "pages" / "api" / "errors.md").read_text(encoding="utf-8")
    listed = re.findall(r"^::: symparam\.errors\.(\w+)$", page, re.M)
    there = [name for name, found in vars(errors).items()
             if isinstance(found, type) and issubclass(found, errors.SymparamError)]
    assert listed == there


def test_all_that_the_package_offers_is_in_the_reference() -> None:
    pages = "".join(path.read_text(encoding="utf-8")
                    for path in (places.SOURCES / "pages" / "api").glob("*.md"))
    shown = set(re.findall(r"^::: symparam\.[\w.]*\b(\w+)$", pages, re.M))
    assert {name for name in symparam.__all__ if not name.startswith("_")} <= shown


def test_a_derivation_of_the_gallery_says_its_number_and_leads_back() -> None:
    model = load("gpt2")
    page = gallery.headed("gpt2", model.count(), model.derive().html())
    assert "<title>gpt2: 124,439,808 parameters</title>" in page
    before, after = page.split("<h1>")
    assert 'href="../"' in before
    assert 'href="../../models/gpt2/"' in before
    assert "</h1>\n<p><strong>124,439,808</strong>" in after
    assert "models/" not in gallery.headed("gpt2-xl", 1, "<title></title><h1></h1>")


def test_the_gallery_is_in_the_index_of_the_search(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index, kept = tmp_path / "search.json", tmp_path / "found.json"
    index.write_text(json.dumps({"config": {}, "items": [{"title": "x"}]}), encoding="utf-8")
    monkeypatch.setattr(searching, "KEPT", kept)
    searching.keep([("qwen", ["qwen2.5-7b"])], {"qwen2.5-7b": 7_615_616_512})
    assert searching.add(index, kept) == 1
    first, more = json.loads(index.read_text(encoding="utf-8"))["items"]
    assert first == {"title": "x"}
    assert (more["title"], more["location"]) == ("qwen2.5-7b", "gallery/qwen2.5-7b/")
    assert "7,615,616,512" in more["text"]


def test_families_have_headings_and_lose_no_row(staged: Path) -> None:
    staging.stage()
    rows = {line for line in (places.ROOT / "docs" / "families.md").read_text().splitlines()
            if line.startswith("| ")}
    page = (staged / "families.md").read_text().splitlines()
    assert {line for line in page if line.startswith("| ")} == rows
    letters = [line for line in page if line.startswith("## ")]
    assert len(letters) == len(set(letters)) > 15


@pytest.mark.thinned(3)
@pytest.mark.parametrize("why", ["", "no network"])
def test_the_guide_leads_to_the_page_in_a_browser_where_that_was_made(
        why: str, staged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    staging.stage()
    monkeypatch.setattr(tool, "_made", lambda: why)
    assert tool.make() == why
    for page in ("index.md", "browser.md"):
        assert ("(tool/index.html)" in (staged / page).read_text()) == (not why)


def test_where_no_page_is_one_leads_home(tmp_path: Path) -> None:
    page = tmp_path / "404.html"
    page.write_text("<h1>404 - Not found</h1>", encoding="utf-8")
    missing.home(tmp_path, "https://own.example/docs/")
    assert '<a href="/docs/">' in page.read_text()
    with pytest.raises(LookupError):
        missing.home(tmp_path)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "name", [path.stem for path in sorted(Path(checking.__file__).parent.glob("[a-z]*.py"))])
def test_the_examples_of_the_builder_are_true(name: str) -> None:
    if name == "docstrings":
        pytest.importorskip("griffe", reason="the extra `site` is not installed")
    assert doctest.testmod(importlib.import_module(f"site_build.{name}")).failed == 0
