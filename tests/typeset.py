"""What pdflatex says of many fragments at once: boxes that stick out, and its warnings.

As a program it measures commands of models at several widths of a page and prints a table::

    python -m tests.typeset --widths 7.7 16 --commands derive count --models gpt2 mixtral-8x7b
    python -m tests.typeset --widths 7.7 16 --every 8 --first 3
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from symparam.descriptions import catalogue

#: Command lines that an author puts into a paper; ``{}`` is the model.
COMMANDS = {
    "appendix": "derive {} --detail appendix", "floats": "derive {} --detail appendix --float",
    "derive": "derive {}", "full": "derive {} --detail full", "count": "count {}",
    "tensors": "count {} --tensors", "cost": "cost {}", "diff": "diff {} llama-2-7b",
    "sensitivity": "sensitivity {}", "solve": "solve {} P=7e9 L=?",
    "compare": "compare {} llama-2-7b mixtral-8x7b"}
#: A text width of ACL, of ICML, of two columns on A4, and of a page.
WIDTHS = ("7.7", "8.25", "8.4", "16")
#: A box may stick out so far, in points.
MOST = 1.0

_PAGE = (r"\documentclass[%s]{article}" "\n" r"\usepackage{amsmath,booktabs}" "\n"
         r"\usepackage[paperwidth=%scm,paperheight=29cm,textwidth=%scm,textheight=25cm]{geometry}"
         "\n" r"\begin{document}" "\n%s\n" r"\end{document}" "\n")
_MARK = re.compile(r"FRAGMENT (\d+)!")
_OVERFULL = re.compile(r"Overfull \\hbox \(([\d.]+)pt too wide\)")
_WARNING = re.compile(r"(?:LaTeX|Package \w+)(?: Font)? Warning: .*")


@dataclass(frozen=True)
class Found:
    """What is wrong with one fragment: points by which boxes stick out, warnings, an error."""

    wide: tuple[float, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""

    def __bool__(self) -> bool:
        return bool(self.wide or self.warnings or self.error)


def written(line: str) -> str:
    """What a command line prints; nothing where it refuses."""
    from symparam.cli.main import run

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = run(line.split())
    return out.getvalue() if code in {0, 1} else ""


def typeset(place: Path, fragments: Mapping[str, str], width: str,
            options: str = "11pt") -> dict[str, Found]:
    """What is wrong with each fragment, all in one document, each on pages of its own.

    Args:
        place: a folder that does not exist yet.
        fragments: LaTeX by name.
        width: of the text, in cm.
        options: of the class ``article``.
    """
    place.mkdir(parents=True)
    body = "\n".join(rf"\clearpage\typeout{{FRAGMENT {i}!}}" f"\n{text}\n"
                     for i, text in enumerate(fragments.values()))
    (place / "x.tex").write_text(_PAGE % (options, float(width) + 3, width, body),
                                 encoding="utf-8")
    for _ in range(2 if r"\label" in body or r"\ref" in body else 1):  # the second knows labels
        subprocess.run(["pdflatex", "-draftmode", "-interaction=nonstopmode", "-no-shell-escape",
                        "x.tex"], cwd=place, capture_output=True, timeout=1200, check=False,
                       env={**os.environ, "max_print_line": "10000"})
    log = (place / "x.log").read_text(encoding="latin-1")
    parts = _MARK.split(log)
    found = {int(number): _read(text) for number, text in zip(
        parts[1::2], parts[2::2], strict=True)}
    return {name: found.get(i, Found(error="not reached")) for i, name in enumerate(fragments)}


def _read(log: str) -> Found:
    wide = tuple(n for n in map(float, _OVERFULL.findall(log)) if n > MOST)
    error = re.search(r"^! .*", log, re.MULTILINE)
    return Found(wide, tuple(_WARNING.findall(log)), error[0] if error else "")


def lines(commands: Iterable[str], models: Iterable[str], width: str) -> Iterator[tuple[str, str]]:
    """A name and a command line for each command of each model."""
    models = list(models)
    for command in commands:
        for model in models:
            yield (f"{command} {Path(model).stem if model.endswith('.toml') else model}",
                   f"{COMMANDS[command].format(model)} --latex --text-width {width}")


def main() -> None:
    """Print how many boxes stick out, by command and width, and the worst of each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--widths", nargs="+", default=WIDTHS)
    parser.add_argument("--commands", nargs="+", default=list(COMMANDS), choices=list(COMMANDS))
    parser.add_argument("--models", nargs="+", default=(), help="the whole catalogue if none")
    parser.add_argument("--every", type=int, default=1, help="each so many-th of them ...")
    parser.add_argument("--first", type=int, default=0, help="... beginning with this one")
    parser.add_argument("--options", default="11pt")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    print(f"{'command':12} {'width':>6} {'pages':>6} {'boxes':>6} {'of':>4} {'worst':>7} "
          f"{'warnings':>8} {'errors':>6}")

    models = (args.models or list(catalogue.names()))[args.first::args.every]

    def one(command: str) -> Iterator[tuple[str, str, dict[str, Found]]]:
        texts: dict[str, dict[str, str]] = {width: {} for width in args.widths}
        for model in models:  # (what one width has worked out, the next one finds)
            for width in args.widths:
                texts[width] |= {name: text for name, line in lines([command], [model], width)
                                 if (text := written(line))}
        folder = args.keep or Path(tempfile.mkdtemp())
        for width, those in texts.items():
            yield command, width, typeset(folder / f"{command}-{width}", those, width,
                                          args.options)

    for command, width, found in chain.from_iterable(map(one, args.commands)):
        bad = {name: each for name, each in found.items() if each}
        wide = [n for each in bad.values() for n in each.wide]
        said = Counter(w for each in bad.values() for w in each.warnings)
        errors = Counter(each.error for each in bad.values() if each.error)
        print(f"{command:12} {width:>6} {len(found):6} {len(wide):6} "
              f"{sum(1 for each in bad.values() if each.wide):4} {max(wide, default=0):7.1f} "
              f"{said.total():8} {errors.total():6}", flush=True)
        for text, n in [*said.most_common(3), *errors.most_common(3)]:
            print(f"    {n} × {text[:100]}")
        for name, each in bad.items() if args.verbose else ():
            print(f"    {name}: {each.wide}")


if __name__ == "__main__":
    main()
