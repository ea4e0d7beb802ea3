"""The record of a survey: what it adds up to, compact lines, and the page of the documentation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.differential.survey.types import CLOSELY, MANY, USUAL

#: The record that the page is made of.
RECORD = Path(__file__).parents[2] / "data" / "trace_survey.jsonl"
PAGE = Path(__file__).parents[3] / "docs" / "trace-survey.md"
#: What an audit may say and be clean: cases that hold are stated, and checked in every answer;
#: what the target refuses is no doubt of ours.
STATED = frozenset({"existence", "asserted"})
#: What says that some copies follow no rule, and the words of it where a kind says more than that.
UNRULED = {"held": ("number of copies", "other tensors came", "another value gives"),
           "copies": ("",), "depth": ("",), "disagrees": ("",), "unfinished": ("",)}
#: A number that the code has, and nothing moves.
CONSTANT = "none of the keys that were moved"

Line = Mapping[str, Any]


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a survey or of its record, the last of each type, by name."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    found: dict[str, dict[str, Any]] = {line["type"]: line for line in lines if "type" in line}
    return [found[name] for name in sorted(found)]


def compact(line: Line) -> dict[str, Any]:
    """A line of a survey as it is kept: what its assumptions are, and no sentence of them; one
    that was kept before stays as it is, so that a record can be gone on from.

    >>> compact({"type": "t", "unbuilt": "T does not build: " + 200 * "x"})["unbuilt"][-3:]
    'xxx'
    """
    found = {"type": line["type"]}
    for name in ("unbuilt", "failed"):
        if name in line:
            return found | {name: line[name][:160]}
    if "assumed" in line:
        return dict(line)
    said = Counter(_kind(*each) for each in line["assumptions"])
    wrong = [each for each in line["wrong"] if not each["covered"]]
    return found | {
        "class": line["class"], "sizes": line["sizes"], "together": line["together"],
        "keys": line["kinds"], "wrong": len(line["wrong"]), "silent": len(wrong),
        "fault": line["wrong"][0]["fault"] if line["wrong"] else "",
        "assumed": dict(sorted(said.items())), "closed": not any(
            word in text for kind, text in line["assumptions"] for word in UNRULED.get(kind, ())),
        "builds": line["builds"], "cpu": line["cpu"]}


def _kind(kind: str, text: str) -> str:
    return "constant" if kind == "number" and CONSTANT in text else kind


def built(lines: Iterable[Line]) -> list[Line]:
    """Those of types that build by their own defaults."""
    return [line for line in lines if "unbuilt" not in line]


def exact(line: Line) -> bool:
    """Whether rows were right at every point, and there were enough."""
    return "failed" not in line and not line["wrong"] and line["sizes"][0] >= USUAL


def clean(line: Line) -> bool:
    """Whether the audit found nothing to doubt: but for cases that are stated, and constants."""
    return exact(line) and not line["assumed"].keys() - STATED - {"constant"}


def together(line: Line) -> bool:
    """Whether layers and sizes moved at once, and all was right."""
    return exact(line) and line["together"][0] >= USUAL and line["keys"].get("structure", 0) > 0


def closed(line: Line) -> bool:
    """Whether every number of copies has a rule."""
    return exact(line) and bool(line["closed"])


def told(lines: Iterable[Line]) -> list[str]:
    """The figures, a sentence each."""
    lines = list(lines)
    some = built(lines)

    def share(name: str, true: Iterable[bool]) -> str:
        count = sum(true)
        return f"{name}: {count} of {len(some)} ({count / max(1, len(some)):.1%})"
    ran = [line for line in some if "failed" not in line]
    layered = [line for line in some if "failed" in line or line["keys"].get("structure", 0)]
    return [
        f"{len(lines)} model types were run; {len(some)} of them build by their own defaults",
        share("exact at every point", map(exact, some)),
        share("with a clean audit", map(clean, some)),
        share("without a word on constants either", (
            clean(line) and "constant" not in line["assumed"] for line in some)),
        share("layers and sizes moved together", map(together, some))
        + f"; of the {len(layered)} with layers to count "
        f"{sum(map(together, layered)) / max(1, len(layered)):.1%}",
        share("every number of copies by a rule", map(closed, some)),
        "wrong at a point that no assumption covers: "
        f"{sum(line['silent'] > 0 for line in ran)} types",
        f"median {_median(ran, 'builds'):.0f} builds, {_median(ran, 'cpu'):.1f} s of CPU"]


def _median(lines: list[Line], name: str) -> float:
    values = sorted(line[name] for line in lines)
    return float(values[len(values) // 2]) if values else 0.0


def row(line: Line) -> str:
    """A line of the table."""
    if "unbuilt" in line or "failed" in line:
        why = line.get("unbuilt") or line["failed"]
        said = "does not build" if "unbuilt" in line else "not traced"
        return f"| `{line['type']}` | {said}: {_plain(why)} | | | | | | | |"
    assumed = ", ".join(k if n == 1 else f"{k} {n}" for k, n in line["assumed"].items())
    points = f"{line['sizes'][0]} + {line['together'][0]}"
    return (f"| `{line['type']}` | {_mark(exact(line))} | {points} | {_mark(clean(line))} | "
            f"{_mark(together(line))} | {_mark(closed(line))} | {assumed} | {line['builds']} | "
            f"{line['cpu']:.1f} |")


def _mark(holds: bool) -> str:
    return "yes" if holds else "no"


def _plain(text: str) -> str:
    return " ".join(text.replace("|", "/").split())[:110]


def page(lines: list[dict[str, Any]], total: int, versions: str) -> str:
    """The page.

    Args:
        lines: compact ones.
        total: how many types there are.
        versions: of the libraries.
    """
    wrong = [line for line in built(lines) if not exact(line)]
    figures = "\n".join(f"- {sentence}" for sentence in told(lines))
    faults = "\n".join(f"- `{line['type']}`: {_why(line)}" for line in wrong) or "- none"
    rows = "\n".join(map(row, lines))
    return f"""# What traces are worth: a survey

Every model type of transformers is traced by its own defaults, and the rows that come out are held
against what is built at points that the tracer has not seen: {USUAL} where sizes are moved,
{USUAL} where layers are counted otherwise too; of every {CLOSELY}th type {MANY} and {MANY}. The
points come from a generator of the tests (`tests/traces.py`), which reads modules in a way of its
own. A point moves what no assumption keeps where it is.

`python -m tests.differential.survey OUT.jsonl` goes over them, by the hashes of their names, so
that what is done when it is stopped is a fair sample; it goes on where it stopped. Each type has a
process of its own with limits of CPU time and memory. `--keep` puts what it found into
`tests/data/trace_survey.jsonl`, and makes this page of it.

{versions}. {len(lines)} of {total} types were run.

{figures}

What the columns say:

- **exact**: no tensor's name, shape or status, and no number of tensors, was otherwise anywhere.
- **points**: of sizes, and of layers too.
- **clean**: nothing was assumed but that switches stay, that no case lies beyond the numbers that
  were built, cases that every answer states and checks (`existence`, `asserted`), and numbers
  above 16 that the code has and no key changes (`constant`). A point moves a key as far as the
  checks of an answer let it: one that they keep at its number (`n_types = 0`, `top_k = 1`) stays
  there, and two that they keep equal move together.
- **together**: layers and sizes moved at once.
- **closed**: every number of copies has a rule.
- **CPU**: seconds for the trace.

Not exact:

{faults}

| type | exact | points | clean | together | closed | assumed | builds | CPU s |
| --- | --- | --- | --- | --- | --- | --- | ---: | ---: |
{rows}
"""


def _why(line: Line) -> str:
    if "failed" in line:
        return _plain(line["failed"])
    if line["wrong"]:
        covered = "" if line["silent"] else " (where an assumption says that it need not hold)"
        return f"{_plain(line['fault'])}{covered}"
    return f"only {line['sizes'][0]} points were accepted"


def kept() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The record: how many types there are of which libraries, and the lines."""
    first, *lines = map(json.loads, RECORD.read_text(encoding="utf-8").splitlines())
    return first, lines


def keep(lines: list[dict[str, Any]], total: int, versions: str) -> None:
    """Put lines of a survey into the record beside what it has, and make the page."""
    known = {line["type"]: line for line in kept()[1]} if RECORD.exists() else {}
    known |= {line["type"]: compact(line) for line in lines}
    rows = [known[name] for name in sorted(known)]
    first = {"total": total, "versions": versions}
    RECORD.write_text("".join(json.dumps(each) + "\n" for each in (first, *rows)),
                      encoding="utf-8")
    PAGE.write_text(page(rows, **first), encoding="utf-8")
