"""A folder for a paper: fragments, macros, bibliography, figures, and a main file that compiles.

Fragments and figures are there twice, for the text of a page and for a column of two; the main file
takes those that its class has room for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeAlias

from symparam.bibliography import bibtex, used
from symparam.claims.comparison import compare
from symparam.dataclass import dataclass
from symparam.derivation.plan import derive
from symparam.documents.common.view import View
from symparam.documents.compare import CompareView
from symparam.documents.cost import CostView
from symparam.documents.count_data import CountView, count_model
from symparam.documents.derivations.view import DerivationView
from symparam.errors import BadValue, Contradiction, OutputError, SymparamError
from symparam.files.folders import make_folders
from symparam.files.writing import may_all_be_written, write_files
from symparam.model import Model
from symparam.notation.notation import Notation
from symparam.plot.data import picture
from symparam.quantities.cost import Asked, cost_of
from symparam.quantities.setting import Setting
from symparam.showable import tex
from symparam.templating.render import render
from symparam.writers.document import Document, Named, sources_of
from symparam.writers.macros import letters
from symparam.writers.main_file import main_file

#: For what text there are fragments, and how wide it is in cm: of a page, and of a column of two.
WIDTHS: Mapping[str, Fraction] = {"page": Fraction(16), "column": Fraction(77, 10)}

#: The folders in the folder.
FOLDERS = [Path(part, fit) for part in ("fragments", "figures") for fit in WIDTHS]

#: Pictures of the models, with their captions.
FIGURES = {"compare": "The models compared.", "layers": "Layers in their order.",
           "shares": "What the parameters are made of."}

#: Letters of a model's name that stand in the names of its files.
LONGEST = 100

#: How much narrower than its text a picture is, in cm.
MARGIN = Fraction(1, 5)

#: A document in the notation of a text.
Writing: TypeAlias = Callable[[Notation], View]


def _derived(model: Model, _: Setting) -> Writing:
    return partial(DerivationView, derive(model, detail="appendix"))


def _costed(model: Model, setting: Setting) -> Writing:
    found = cost_of(model, Asked(setting=setting))
    return partial(CostView.wrap, replace(found, sections=tuple(
        section for section in found.sections if section != "data")))


#: What is told of each model, by the names of the files; what data it wants is no part of it.
PARTS = {"appendix": _derived, "cost": _costed}


@dataclass(frozen=True)
class Bundle:
    """The files of a folder.

    Attributes:
        models: the names of the models.
        files: what is in each file, by its name in the folder.
        missing: what could not be made, and why.
    """

    models: tuple[str, ...]
    files: Mapping[str, bytes]
    missing: tuple[str, ...] = ()

    def save(self, folder: str | Path, force: bool = False) -> list[Path]:
        """Write the folder, which is made where there is none: all files or none.

        Raises:
            OutputError: a file exists already and is not to be replaced, or cannot be written.
        """
        content = [(Path(folder) / name, each) for name, each in self.files.items()]
        may_all_be_written((path for path, _ in content), force)
        make_folders(Path(folder), {Path(name).parent for name in self.files})
        write_files(content, force)
        return [path for path, _ in content]


def bundle(models: Sequence[Model], notation: Notation, setting: Setting | None = None,
           widths: Mapping[str, Fraction] = WIDTHS) -> Bundle:
    """A folder of some models.

    Args:
        models: with numbers for all their dims; no two of one name.
        notation: how dims are written, and what cites
            (:meth:`~symparam.notation.notation.Notation.citing`).
        setting: what the models are run with.
        widths: of the texts, in cm.

    Raises:
        BadValue, Contradiction: no model, or two whose files would have one name.
    """
    stems = _stems(models)
    notation, setting = notation.citing(notation.cite or "citep"), setting or Setting()
    texts = {fit: notation.fitted(width) for fit, width in widths.items()}
    written, missing = _writings(models, stems, setting)
    documents = {fit: {name: write(own).document() for name, write in written.items()}
                 for fit, own in texts.items()}
    files = {f"fragments/{fit}/{name}.tex": render(document, "latex", texts[fit]).encode()
             for fit, those in documents.items() for name, document in those.items()}
    first = [*documents["page"].values()]
    counts = [CountView(count_model(model), False, notation).document() for model in models]
    numbers = Document("The numbers of the models, to be cited", (), _numbers((*counts, *first)))
    files["macros.tex"] = render(numbers, "macros", notation).encode()
    files["references.bib"] = bibtex(used(text for document in first
                                          for text in sources_of(document))).encode()
    for name, drawn in _figures(models, setting, widths, missing):
        files[name] = drawn
    files["main.tex"] = _main(models, stems, files, widths).encode()
    return Bundle(tuple(model.name for model in models), files, tuple(missing))


def _stems(models: Sequence[Model]) -> list[str]:
    """The names of the models as names of files that LaTeX takes."""
    plain = (re.sub(r"[^A-Za-z0-9.]+", "-", model.name).replace(".", "-") for model in models)
    found = [name.strip("-")[:LONGEST].strip("-") or "model" for name in plain]
    if not found:
        raise BadValue("bundle", "nothing", "name the models")
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise Contradiction(f"{twice} given twice", "itself", "give each model once")
    return found


def _writings(models: Sequence[Model], stems: Sequence[str], setting: Setting
              ) -> tuple[dict[str, Writing], list[str]]:
    """What is written, by the names of the fragments; and what cannot be."""
    found, missing = dict[str, Writing](), list[str]()
    if len(models) > 1:
        found["comparison"] = partial(CompareView, compare(models, setting=setting), brief=True)
    for model, stem in zip(models, stems, strict=True):
        for part, made in PARTS.items():
            try:
                found[f"{stem}-{part}"] = made(model, setting)
            except SymparamError as error:
                missing.append(f"{stem}-{part}: {error}")
    return found, missing


def _numbers(documents: Iterable[Document]) -> tuple[Named, ...]:
    """The numbers that documents name, each once."""
    found: dict[tuple[str, str, object], Named] = {}
    for document in documents:
        for each in document.numbers:
            found.setdefault((each.of, each.name, each.value), each)
    return tuple(found.values())


def _figures(models: Sequence[Model], setting: Setting, widths: Mapping[str, Fraction],
             missing: list[str]) -> Iterator[tuple[str, bytes]]:
    """The pictures that the models have, for each text."""
    for kind in FIGURES if len(models) > 1 else ("layers",):
        try:
            found = picture(kind, models, setting=setting)
            yield from [(f"figures/{fit}/{kind}.pdf", found.render("pdf", float(width - MARGIN)))
                        for fit, width in widths.items()]
        except OutputError as error:
            missing.append(f"figures: {error}")
            return
        except SymparamError as error:
            missing.append(f"figures/{kind}: {error}")


def _main(models: Sequence[Model], stems: Sequence[str], files: Mapping[str, bytes],
          widths: Mapping[str, Fraction]) -> str:
    """The file that brings all of them together."""
    macros, sections = files["macros.tex"].decode(), list[tuple[str, list[str]]]()
    if "fragments/page/comparison.tex" in files:
        sections.append(("Comparison", [r"\input{fragments/\bundlefit/comparison}"]))
    sections.append(("", [line for kind, caption in FIGURES.items()
                          if f"figures/page/{kind}.pdf" in files for line in (
                              r"\begin{figure}[tb]", r"\centering",
                              rf"\includegraphics{{figures/\bundlefit/{kind}}}",
                              rf"\caption{{{caption}}}\label{{fig:{kind}}}", r"\end{figure}")]))
    for model, stem in zip(models, stems, strict=True):
        total = f"{letters(model.name)}Total"
        said = [rf"% \{total}{{}} parameters, \{total}Short{{}}: macros.tex has all numbers."] * (
            rf"\newcommand{{\{total}}}" in macros)
        sections.append((tex(model.name), [*said, *(
            rf"\input{{fragments/\bundlefit/{stem}-{part}}}" for part in PARTS
            if f"fragments/page/{stem}-{part}.tex" in files)]))
    return main_file(tex(", ".join(model.name for model in models)), sections, widths)
