"""Five documents on counting parameters, worked through again: every number, each with a verdict.

    python outputs/studies/make.py            write what is missing or has changed
    python outputs/studies/make.py --check    write nothing; name what is stale and exit with 1
    python outputs/studies/make.py NAME..     these alone

Made from notes.toml (the words), tests/data/claims.json (what the documents say) and the tables
beside this file, through the program's own commands.
"""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import symparam
from symparam.cli.main import run
from symparam.documents.claims import review_document
from symparam.documents.cost import cost_document
from symparam.documents.count import count_document
from symparam.documents.count_data import count_model
from symparam.documents.picture import picture_document
from symparam.plot.data import picture
from symparam.plot.picture import Picture
from symparam.quantities.cost import Asked, cost_of
from symparam.quantities.inputs import DataInputs
from symparam.quantities.plain import setting_of
from symparam.templating.render import render
from symparam.writers.document import (
    Block,
    Cell,
    Code,
    Column,
    Document,
    Heading,
    Items,
    Paragraph,
    Span,
    Strong,
    Table,
    spans,
)

HERE = Path(__file__).resolve().parent
NAMES = ("nanochat", "counting", "perseid", "guide", "gpt2")
FALSE = {"wrong": "wrong", "inconsistent": "wrong", "policy": "wrong", "misses_target": "wrong",
         "counterexample": "wrong", "omits_terms": "wrong", "qualified": "wrong here"}
SIGNS = {"<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> "}


@cache
def notes() -> dict[str, Any]:
    """The words on each document."""
    return tomllib.loads((HERE / "notes.toml").read_text(encoding="utf-8"))


@cache
def claims() -> list[dict[str, Any]]:
    """What the documents say."""
    path = HERE.parent.parent / "tests" / "data" / "claims.json"
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def said(command: str) -> Any:
    """What a command prints as JSON."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        if run([*shlex.split(command), "--json"]) == 2:
            raise SystemExit(f"{command}: cannot be answered")
    return json.loads(out.getvalue())


def answered(source: str) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """The claims of a document, each with the program's answer where it is a number."""
    own = [claim for claim in claims() if claim["source"] == source]
    for on, group in groupby(own, key=lambda claim: claim.get("on", "")):
        listed = list(group)
        asked = [claim for claim in listed if "of" in claim and _said(claim)]
        rows: dict[str, dict[str, Any]] = {}
        if asked:
            words = " ".join(shlex.join(["--claim", f"{c['of']} {c.get('relation', '=')} "
                                         f"{_said(c)}"]) for c in asked)
            found = said(f"check {on} {words}")["reviews"][0]["rows"]
            rows = {claim["id"]: row for claim, row in zip(asked, found, strict=True)}
        yield from ((claim, rows.get(claim["id"])) for claim in listed)


def _said(claim: dict[str, Any]) -> str:
    """What is said; of a number that nobody says, the number itself."""
    return claim.get("said") or (str(claim["computed"]) if isinstance(
        claim["computed"], int) else "")


def number(value: int | str | None) -> str:
    """A number as a table has it."""
    if value is None:
        return "–"
    exact = Fraction(value)
    if exact.denominator == 1:
        return f"{int(exact):,}".replace("-", "−")
    return f"{float(exact):.6g}".replace("-", "−")


def document(name: str) -> Document:
    """A study as a document."""
    note = notes()[name]
    rows = list(answered(name))
    blocks: list[Block] = [
        Paragraph(spans(note["about"])),
        Paragraph(spans("The document: ", Strong(note["title"]), ". What it says stands under "
                        "said, in its own precision; what stands under counted comes from the "
                        "weight matrices, here and now.")),
        *_wrong(note, rows), *_numbers(rows), *_table(note), *_vocabularies(note),
        *_models(note), *_chain(note), *_pictures(note), *_derivation(note)]
    return Document(f"{name}: worked through again", tuple(blocks))


def _wrong(note: dict[str, Any], rows: Iterable[tuple[dict[str, Any], Any]]) -> Iterator[Block]:
    """What is not true as it stands."""
    yield Heading(spans("What is wrong"))
    items = []
    for claim, row in rows:
        if claim["id"] not in note["wrong"]:
            continue
        right: list[Span] = [Strong(claim["id"]), f" ({claim['about']}): "]
        if row is not None:
            right.append(f"said {SIGNS.get(row['relation'], '')}{row['said']['text']}, counted "
                         f"{number(row['computed'])}. ")
        right.append(note["wrong"][claim["id"]])
        items.append((*right, *_mended(row)))
    yield Items(tuple(items))


def _mended(row: dict[str, Any] | None) -> Iterator[Span]:
    """What would make it true, or what the difference is."""
    if row is None:
        return
    residual = row["residual"]
    if residual is not None and residual["closed"]:
        terms = "; ".join(f"{t['name']}, {number(t['numel'])}" for t in residual["terms"])
        yield f" The difference, {number(residual['numel'])}: {terms}."
    if row["changes"] and row["changes"][0]["kind"] == "convention":
        change = row["changes"][0]
        yield f" True with {change['what']}: "
        yield Code(change["option"])
        yield "."


def _numbers(rows: Iterable[tuple[dict[str, Any], Any]]) -> Iterator[Block]:
    """Every number, model by model, in the order of the document."""
    yield Heading(spans("Every number"))
    groups: dict[str, list[tuple[Cell, ...]]] = {}
    for claim, row in rows:
        groups.setdefault(claim.get("on", ""), []).append(_line(claim, row))
    for on, lines in groups.items():
        what = spans("Of ", Code(on), ":") if on else spans("Of no one model:")
        yield Paragraph(what)
        for start in range(0, len(lines), 40):
            yield Table((Column("no."), Column("what"), Column("said", "right"),
                         Column("counted", "right"), Column("verdict")),
                        tuple(lines[start:start + 40]))


def _line(claim: dict[str, Any], row: dict[str, Any] | None) -> tuple[Cell, ...]:
    about = claim["about"] if len(claim["about"]) <= 60 else f"{claim['about'][:57]}..."
    if row is None:
        verdict = FALSE.get(claim["verdict"], claim["verdict"].replace("rounds_to", "rounds"))
        return claim["id"], about, "–", _worked(claim["computed"]), (
            "worked out" if verdict == "derived" else verdict)
    of = f"{SIGNS.get(row['relation'], '')}{row['said']['text']}" if "said" in claim else "–"
    verdict = row["verdict"] if "said" in claim else "worked out"
    return (claim["id"], about, of, number(row["computed"]),
            Strong(verdict) if verdict in {"wrong", "convention"} else verdict)


def _worked(value: Any) -> str:
    """A value that the tests of the claims work out: a number, heads and widths, a shape."""
    if isinstance(value, list) and isinstance(value[0], list):
        return " ".join(f"{heads}×{width}" for heads, width in value)
    if isinstance(value, list):
        return " ".join(map(str, value))
    try:
        return "–" if value is None else number(value)
    except ValueError:
        return str(value)


def _lower(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks of another document, their headings one level down."""
    for block in blocks:
        yield replace(block, level=block.level + 1) if isinstance(block, Heading) else block


def _table(note: dict[str, Any]) -> Iterator[Block]:
    """The document's table of configurations, row by row."""
    if "table" not in note:
        return
    from symparam.claims.tables.table_file import read_table
    from symparam.claims.tables.table_rows import Base, review_table
    from symparam.descriptions.options import Options

    file, *words = shlex.split(note["table"])
    base = Base(options=Options(tied="--tied" in words or None, ffn="swiglu"), given={"V": 32000})
    if words[0] in symparam_names():
        base = Base(symparam.load(words[0]))
    review = replace(review_table(read_table(HERE / file), base), title=file, file=file)
    yield Heading(spans("Its configurations as one table"))
    yield Paragraph(spans(Code(f"symparam check {note['table']}"), ":"))
    yield from _lower(review_document([review]).blocks)


def _vocabularies(note: dict[str, Any]) -> Iterator[Block]:
    """The configurations under several vocabularies, and the one that each would need."""
    if "vocabularies" not in note:
        return
    from symparam.claims.changes import mends
    from symparam.claims.claim import total_claim

    rows: list[tuple[Cell, ...]] = []
    intervals: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for name, claim in note["configurations"].items():
        for tied in (True, False):
            one = symparam.load(name, tied=tied)
            counts = [f"{Fraction(one.count(V=v), 10**6).__round__(1)}" for v in
                      note["vocabularies"]]
            needed = next(m.found for m in mends(one, total_claim(claim))
                          if m.dim == "V" and m.found is not None)
            intervals[tied].append((needed.low, needed.high))
            rows.append((Code(name) if tied else "", claim if tied else "",
                         "tied" if tied else "untied", *map(_decimal, counts),
                         f"{needed.nearest:,}"))
    yield Heading(spans("Other vocabularies, in millions"))
    yield Table((Column("configuration"), Column("said", "right"), Column("head"),
                 *(Column(f"V={v}", "right") for v in note["vocabularies"]),
                 Column("V needed", "right")), tuple(rows))
    for tied, held in intervals.items():
        low, high = max(low for low, _ in held), min(high for _, high in held)
        which = f"from {low:,} to {high:,} is" if low <= high else "is"
        yield Paragraph(spans(f"{'A' if low <= high else 'No'} vocabulary {which} right for all "
                              f"{len(held)} with a head that is {'tied' if tied else 'untied'}; "
                              f"they need {min(n for n, _ in held):,} to "
                              f"{max(n for _, n in held):,}."))


def _decimal(text: str) -> str:
    return f"{float(Fraction(text)):.1f}"


@cache
def symparam_names() -> frozenset[str]:
    """The published models."""
    from symparam.descriptions.catalogue import names

    return frozenset(names())


def model(words: str) -> symparam.Model:
    """A model as a command line names it, with its biases."""
    name, *rest = shlex.split(words)
    return symparam.load(name, bias=rest[rest.index("--bias") + 1] if rest else None)


def _models(note: dict[str, Any]) -> Iterator[Block]:
    for words in note["models"]:
        yield Heading(spans(f"Counted: {words}"))
        yield from _lower(count_document(count_model(model(words)), False).blocks)


def _chain(note: dict[str, Any]) -> Iterator[Block]:
    """From dims to data, where the document goes so far."""
    if "cost" not in note:
        return
    name, *words = shlex.split(note["cost"])
    options = dict(zip(words[::2], words[1::2], strict=True))
    asked = Asked(setting=setting_of(dtype=options["--dtype"],
                                     data=DataInputs(shards=int(options["--shards"]))),
                  sections=(options["--only"],))
    yield Heading(spans("From dims to data"))
    yield from _lower(cost_document(cost_of(model(name), asked)).blocks)


def pictures(note: dict[str, Any]) -> Iterator[tuple[str, Picture]]:
    """The pictures, each with the command that draws it."""
    for command in note.get("plots", ()):
        kind, *words = shlex.split(command)
        cut = words.index("--bias") if "--bias" in words else len(words)
        models = [model(" ".join([word, *words[cut:]])) for word in words[:cut]]
        yield command, picture(kind, models)


def _pictures(note: dict[str, Any]) -> Iterator[Block]:
    yield Heading(spans("Pictures, as tables"))
    for command, found in pictures(note):
        yield Paragraph(spans(Strong(found.title), ", ", Code(f"symparam plot {command}"), ":"))
        table = picture_document(found).blocks[0]
        yield table


def _derivation(note: dict[str, Any]) -> Iterator[Block]:
    yield Heading(spans("The derivation"))
    yield from _lower(model(note["derive"]).derive().document().blocks)


def files(name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a study, each with what it has to hold."""
    made, note = document(name), notes()[name]
    drawn = list(pictures(note))
    shown, drawings = [], []
    for i, (_, found) in enumerate(drawn, 1):
        if found.kind in {"flow", "pie"}:
            text = found.mermaid()
            yield f"{name}/{i}-{found.kind}.mmd", text.encode()
            shown.append(f"```mermaid\n{text.rstrip()}\n```")
        if found.kind != "flow":
            picture_name = f"{i}-{found.kind}.svg"
            for form in ("svg", "pdf"):
                yield f"{name}/{i}-{found.kind}.{form}", found.render(form)
            shown.append(f"![{found.title}]({picture_name})")
            drawings.append((found.title, f"{i}-{found.kind}"))
        yield f"{name}/{i}-{found.kind}.csv", found.csv().encode()
    markdown = render(made, "markdown") + "\n## Pictures\n\n" + "\n\n".join(shown) + "\n"
    yield f"{name}/study.md", markdown.encode()
    yield f"{name}/study.tex", _drawn_latex(render(made, "standalone"), drawings).encode()
    yield f"{name}/study.html", _drawn_html(render(made, "html"), drawings).encode()


def _drawn_latex(text: str, drawings: Iterable[tuple[str, str]]) -> str:
    """A LaTeX document with pictures at its end."""
    lines = [f"\\begin{{center}}\n\\includegraphics[width=\\linewidth]{{{file}}}\n\\end{{center}}"
             for _, file in drawings]
    text = text.replace("\\begin{document}", "\\usepackage{graphicx}\n\\begin{document}", 1)
    front, end, back = text.rpartition("\\end{document}")
    return front + "\n".join(lines) + "\n" + end + back


def _drawn_html(text: str, drawings: Iterable[tuple[str, str]]) -> str:
    """A page with pictures at its end, each a file beside it."""
    lines = [f'<figure><img src="{file}.svg" alt="{escape(title)}"></figure>'
             for title, file in drawings]
    front, end, back = text.rpartition("</main>")
    return front + "\n".join(lines) + "\n" + end + back


def index() -> str:
    """The page that leads to the studies."""
    lines = ["# Five documents, worked through again", "",
             "Each says how many parameters transformers have. Every number, table and picture of",
             "theirs is worked out here from weight matrices, and what is wrong is said with the",
             "right value. `python outputs/studies/make.py` writes all of it again; a test says",
             "when a file is stale. What the documents ask for in all:",
             "[docs/requirements.md](../../docs/requirements.md).", "",
             "| study | of | claims | false as they stand |", "| --- | --- | ---: | ---: |"]
    for name in NAMES:
        own = [claim for claim in claims() if claim["source"] == name]
        false = sum(claim["id"] in notes()[name]["wrong"] for claim in own)
        lines.append(f"| {name}: [Markdown]({name}/study.md), [LaTeX]({name}/study.tex), "
                     f"[HTML]({name}/study.html) | {notes()[name]['title']} | {len(own)} | "
                     f"{false} |")
    return "\n".join(lines) + "\n"


def stale(name: str, write: bool) -> list[str]:
    """The files of a study that are not what they have to be; written where asked for."""
    return [path for path, text in files(name)
            if (write or not path.endswith(".pdf")) and _put(path, text, write)]


def _put(path: str, text: bytes, write: bool) -> bool:
    place = HERE / path
    if place.is_file() and place.read_bytes() == text:
        return False
    if write:
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(text)
    return True


def main(arguments: list[str]) -> int:
    """Write or check the studies; 1 where something is stale and was not written."""
    write = "--check" not in arguments
    found = ["README.md"] if _put("README.md", index().encode(), write) else []
    for name in [a for a in arguments if not a.startswith("-")] or NAMES:
        found += stale(name, write)
    for path in found:
        print(("wrote " if write else "stale: ") + path)
    return 1 if found and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
