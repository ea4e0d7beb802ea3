"""Sources as records: what every text names has one, and the text says what the record says."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from symparam import bibliography, load
from symparam.bibliography import Citation, Record, bibtex, cited, records, used
from symparam.components import everything as components
from symparam.descriptions.catalogue import FOLDER, names
from symparam.quantities import everything as quantities
from symparam.templating.render import render
from symparam.writers.document import Document, Named
from tests.helpers import DATA, Line

HYBRID = DATA / "hybrid.toml"

FAMILIES = FOLDER.parent / "descriptions" / "families"


def texts() -> Iterator[str]:
    """Every source of the catalogue, of components and of quantities."""
    for path in sorted(FOLDER.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        yield data["source"]
        yield from (entry["source"] for entry in data["models"].values() if "source" in entry)
    yield from (component.source for component in components())
    yield from (quantity.source for quantity in quantities().values() if quantity.source)


def keys(text: str) -> list[str]:
    """What a text cites, by its keys."""
    return [each.record.key for each in cited(text) if isinstance(each, Citation)]


def strangers(text: str) -> list[str]:
    """Authors and years before a mark that are not those of its record."""
    found = []
    for head, year, mark in re.findall(r"(?:^|[;:(] ?|\bon |\band )([^\W\d_][^;:()]*?) (\d{4}), "
                                       r"(?:(?:(?!arXiv)[^;])*?, )?(arXiv:\d{4}\.\d{4,5})", text):
        record = records()[mark]
        first = re.split(r" et al\.|,| and ", head)[0]
        same = first.casefold() in record.surname.casefold() or (
            record.surname.casefold() in first.casefold())
        found += [] if same and int(year) == record.year else [f"{head} {year} {mark}"]
    return found


def test_everything_that_has_an_arxiv_number_has_a_record() -> None:
    missing = {mark for text in texts() for mark in re.findall(r"arXiv:\d{4}\.\d{4,5}", text)
               if mark not in records()}
    assert missing == set()


def test_a_text_names_the_authors_and_the_year_of_its_record() -> None:
    assert [wrong for text in texts() for wrong in strangers(text)] == []
    assert strangers("Shazeer 2019, arXiv:1706.03762, section 3")
    assert strangers("Vaswani et al. 2018, arXiv:1706.03762")


def test_what_a_family_is_read_from_is_named_as_its_record_is() -> None:
    for path in sorted(FAMILIES.glob("*.py")):
        words = " ".join((ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split())
        source = words.partition("Source: ")[2]
        assert {mark for mark in re.findall(r"arXiv:\d{4}\.\d{4,5}", source)
                if mark not in records()} == set(), path.name
        assert strangers(source) == [], path.name


def test_keys_tell_records_apart() -> None:
    assert [key for key, count in Counter(
        record.key for record in records().values()).items() if count > 1] == []
    assert all(re.fullmatch(r"[a-z]+[a-z0-9]*\d{4}[a-z0-9]+|[a-z0-9]+\d{4}[a-z0-9]+", record.key)
               for record in records().values())


def test_a_year_is_that_of_the_number_or_later() -> None:
    for mark, record in records().items():
        if mark.startswith("arXiv:"):
            first = 2000 + int(mark[6:8])
            assert record.year in {first, first + 1} or (  # sent on the last day of a year
                mark[8:10] == "01" and record.year == first - 1)


@pytest.mark.parametrize(("name", "only"), [
    ("gemma-2b", "gemmateam2024gemma"), ("gemma-2-9b", "gemmateam2024gemma2"),
    ("gemma-3-27b", "gemmateam2025gemma3"), ("phi-3-mini", "abdin2024phi3"),
    ("phi-4", "abdin2024phi4"), ("nllb-200-600m", "nllbteam2022no"),
    ("m2m100-418m", "fan2020beyond"), ("qwen2-7b", "yang2024qwen2"),
    ("qwen2.5-7b", "yang2024qwen25"), ("qwen3-8b", "yang2025qwen3"), ("mamba-2.8b", "gu2023mamba"),
    ("mamba2-130m", "dao2024transformersssms"), ("llama-3-8b", "grattafiori2024llama3"),
    ("deepseek-v3", "deepseekai2024deepseekv3"), ("mixtral-8x7b", "jiang2024mixtral")])
def test_a_model_cites_what_it_is_from_and_not_its_lineage(name: str, only: str) -> None:
    assert keys(load(name).source) == [only]


@pytest.mark.thinned(3)
def test_a_model_has_one_publication_but_where_it_is_of_two() -> None:
    several = {name: found for name in names() if len(found := [
        each for each in keys(load(name).source) if not each.startswith("hub:")]) > 1}
    assert several == {name: ["zhang2025encoderdecodergemma", "gemmateam2024gemma2"]
                       for name in ("t5gemma-2b-2b", "t5gemma-9b-2b", "t5gemma-9b-9b")} | {
        "nemotron-4-15b": ["parmar2024nemotron415b", "wolf2020transformers"]}  # (what its keys are)


@pytest.mark.thinned(3)
def test_every_model_cites_and_no_two_cite_one_card() -> None:
    found = {name: keys(load(name).source) for name in names()}
    assert {name.partition("-")[0] for name, cites in found.items() if not cites} == {
        "counting", "perseid"}  # (notes without authors)
    cards = Counter(key for name, cites in found.items() for key in set(cites)
                    if key.startswith("hub:") and not name.endswith("-text"))
    assert [key for key, count in cards.items() if count > 1] == []


def test_words_around_a_citation_stay() -> None:
    for text in texts():
        rest = [each for each in cited(text) if isinstance(each, str)]
        assert "arXiv:" not in "".join(rest)
        assert all(each in text for each in rest)
    assert [each for each in cited("tying: Press and Wolf 2016, arXiv:1608.05859; more")
            if isinstance(each, str)] == ["tying: ", "; more"]


def test_a_page_on_a_hub_is_its_own_record() -> None:
    (found,) = used(["Qwen Team 2025, model card of Qwen/QwQ-32B; shape as in a/b, c.py"])
    assert found == Record(("{Qwen Team}",), "Model card of Qwen/QwQ-32B", 2025,
                           url="https://huggingface.co/Qwen/QwQ-32B")
    assert "url = {https://huggingface.co/Qwen/QwQ-32B}" in found.bibtex()
    assert keys("keys as in the config.json of Qwen/QwQ-32B on the Hugging Face Hub") == []


@pytest.mark.thinned(3)
def test_latex_cites_what_the_file_has(line: Line) -> None:
    for command in ("derive llama-3-8b", "count mixtral-8x7b", "cost gpt2 s=64",
                    "compare gpt2 deepseek-v3", "diff gpt2 llama-2-7b --quantity kv_cache"):
        code, out, _ = line(f"{command} --latex --bib refs.bib --force")
        assert code == 0
        entries = set(re.findall(r"@\w+\{([^,]+),", Path("refs.bib").read_text("utf-8")))
        assert set(re.findall(r"\\citep(?:\[[^\]]*\])?\{([^}]+)\}", out)) == entries != set()
        assert r"\cite" not in line(f"{command} --latex")[1]
    data = line("cost gpt2 --only data --latex --cite citep")[1]
    assert data.count(r" \citep{hoffmann2022training} (checked)") == 2


def test_an_appendix_of_ones_own_model_cites_its_components(line: Line) -> None:
    code, out, err = line(f"derive {HYBRID} --detail appendix --latex --bib refs.bib")
    assert (code, err) == (0, "wrote refs.bib\n")
    entries = set(re.findall(r"@\w+\{([^,]+),", Path("refs.bib").read_text("utf-8")))
    assert set(re.findall(r"\\citep(?:\[[^\]]*\])?\{([^}]+)\}", out)) == entries
    assert {"ainslie2023gqa", "shazeer2020glu", "zhang2019root"} <= entries


def test_a_bibliography_without_an_entry_says_so(line: Line) -> None:
    code, _, err = line("solve P=1e9 L=24 --latex --bib refs.bib")
    assert code == 0
    assert Path("refs.bib").read_text("utf-8") == ""
    assert "refs.bib has no entry: the answer names no source" in err
    assert "no entry" not in line("count gpt2 --latex --bib other.bib")[2]


def test_the_command_that_cites_is_chosen(line: Line) -> None:
    for command in ("cite", "citet", "citep"):
        out = line(f"count llama-2-7b --latex --cite {command}")[1]
        assert rf"\{command}[table 1]{{touvron2023llama2}}" in out
    assert "arXiv:2307.09288" in line("count llama-2-7b --cite citep")[1]  # in words: text
    assert line("count llama-2-7b --latex --cite nocite")[0] == 2


def test_an_existing_bibliography_is_kept(line: Line) -> None:
    assert line("count gpt2 --latex --bib refs.bib")[0] == 0
    code, out, err = line("count gpt2 --latex --bib refs.bib")
    assert (code, out) == (2, "")
    assert "refs.bib" in err


@pytest.mark.latex
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bibtex") is None, reason="there is no bibtex")
def test_every_record_is_set_by_bibtex(tmp_path: Path) -> None:
    found = {record.key: record for record in (*records().values(), *used(texts()), Record(
        ("{Somebody}",), "A_page", 2025, url="https://huggingface.co/some_body/a_model_1"))}
    (tmp_path / "all.bib").write_text(bibtex(found.values()), encoding="utf-8")
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{natbib}\n"
        "\\begin{document}\n\\nocite{*}\\citep{vaswani2017attention}\n"
        "\\bibliographystyle{plainnat}\n\\bibliography{all}\n\\end{document}\n", encoding="utf-8")
    for command in (["pdflatex", "-interaction=nonstopmode", "all"], ["bibtex", "all"],
                    ["pdflatex", "-interaction=nonstopmode", "all"],
                    ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert command[0] == "pdflatex" or b"error" not in done.stdout
    log = (tmp_path / "all.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-2000:]
    assert "undefined" not in log.replace("There were undefined references", "")


def test_a_model_card_has_its_yaml_its_tables_and_what_it_cites(
        line: Line, golden: Callable[[str, str], None]) -> None:
    yaml = pytest.importorskip("yaml")
    for name in ("llama-2-7b", "mixtral-8x7b", "mamba-130m"):
        code, card, _ = line(f"count {name} --format model-card")
        assert code == 0
        empty, front, body = card.split("---\n", 2)
        data = yaml.safe_load(front)
        model = load(name)
        assert (empty, data["model_name"], data["parameters"]["total"]) == ("", name, model.count())
        assert data["numbers"].items() >= model.values.items()
        assert f"{{{keys(model.source)[0]}," in body
        assert f"{model.count():,}" in body
    golden("count-llama-2-7b-card.md", line("count llama-2-7b --format model-card")[1])


def test_a_name_in_a_model_card_is_no_yaml() -> None:
    yaml = pytest.importorskip("yaml")
    wild = 'a: [b]\n---\n"#'
    card = render(Document("x", (), (Named(wild, "total", 5, ""),)), "model-card")
    assert yaml.safe_load(card.split("---\n", 2)[1])["model_name"].split()[0] == "a:"
    assert len(list(yaml.safe_load_all(card.partition("\n# ")[0]))) == 2


def test_keys_stay_what_papers_cite(golden: Callable[[str, str], None]) -> None:
    """A key that changes breaks the documents that cite it."""
    golden("citation-keys.txt", "".join(
        f"{key}: {title}\n" for key, title in sorted({
            (record.key, record.title) for record in records().values()})))


def test_a_mark_that_begins_as_another_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {mark: Record((mark,), "Title", 2020) for mark in ("owner/name", "owner/name-two")}
    monkeypatch.setattr(bibliography, "records", lambda: known)
    bibliography._pattern.cache_clear()
    try:
        for mark, record in known.items():
            assert [c.record for c in cited(f"{mark}; more") if isinstance(c, Citation)] == [record]
    finally:
        bibliography._pattern.cache_clear()
