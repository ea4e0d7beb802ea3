"""A folder for a paper: fragments, macros, bibliography, figures, and a main file that compiles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from symparam.bibliography import bibtex, used
from symparam.claims.comparison import compare
from symparam.derivation.plan import derive
from symparam.documents.common.view import View
from symparam.documents.compare import CompareView
from symparam.documents.cost import CostView
from symparam.documents.count_data import CountView, count_model
from symparam.documents.derivations.view import DerivationView
from symparam.errors import BadValue, Contradiction, OutputError, SymparamError
from symparam.model import Model
from symparam.notation.notation import Notation
from symparam.plot.data import picture
from symparam.quantities.cost import Asked, cost_of
from symparam.quantities.setting import Setting
from symparam.showable import tex
from symparam.templating.render import render
from symparam.writers.document import Document, Named, sources_of
from symparam.writers.latex import LatexFormat
from symparam.writers.macros import letters

#: Pictures of the models, with their captions.
FIGURES = {"compare": "The models compared.", "layers": "Layers in their order.",
           "shares": "What the parameters are made of."}

#: How much narrower than a column a picture is, in cm.
MARGIN = 0.2

#: What is told of each model, by the names of the files.
_PARTS: dict[str, Callable[[Model, Notation, Setting], View]] = {
    "count": lambda model, notation, _: CountView(count_model(model), False, notation),
    "derivation": lambda model, notation, _: DerivationView(derive(model), notation),
    "cost": lambda model, notation, setting: CostView.wrap(
        cost_of(model, Asked(setting=setting)), notation)}


def bundle(models: Sequence[Model], notation: Notation, setting: Setting | None = None
           ) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The files of a folder, by their names in it; and what could not be made, and why.

    Args:
        models: with numbers for all their dims; no two of one name.
        notation: how dims are written, how wide a column is, and what cites
            (:meth:`~symparam.notation.notation.Notation.citing`).
        setting: what the models are run with.

    Raises:
        BadValue, Contradiction: no model, or two whose files would have one name.
    """
    stems = _stems(models)
    notation, setting = notation.citing(notation.cite or "citep"), setting or Setting()
    documents, missing = dict[str, Document](), list[str]()
    if len(models) > 1:
        documents["comparison"] = CompareView(compare(models, setting=setting), notation,
                                              brief=True).document()
    for model, stem in zip(models, stems, strict=True):
        for part, view in _PARTS.items():
            try:
                documents[f"{stem}-{part}"] = view(model, notation, setting).document()
            except SymparamError as error:
                missing.append(f"{stem}-{part}: {error}")
    files = {f"fragments/{name}.tex": render(document, "latex", notation).encode()
             for name, document in documents.items()}
    macros = Document("The numbers of the models, to be cited", (), _numbers(documents.values()))
    files["macros.tex"] = render(macros, "macros", notation).encode()
    found = used(text for document in documents.values() for text in sources_of(document))
    files["references.bib"] = bibtex(found).encode()
    for kind, drawn in _figures(models, setting, notation, missing):
        files[f"figures/{kind}.pdf"] = drawn
    files["main.tex"] = _main(models, stems, files, notation).encode()
    return files, tuple(missing)


def _stems(models: Sequence[Model]) -> list[str]:
    """The names of the models as names of files that LaTeX takes."""
    found = [re.sub(r"[^A-Za-z0-9.]+", "-", model.name).replace(".", "-").strip("-") or "model"
             for model in models]
    if not found:
        raise BadValue("bundle", "nothing", "name the models")
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise Contradiction(f"{twice} given twice", "itself", "give each model once")
    return found


def _numbers(documents: Iterable[Document]) -> tuple[Named, ...]:
    """The numbers that documents name, each once."""
    found: dict[tuple[str, str, object], Named] = {}
    for document in documents:
        for each in document.numbers:
            found.setdefault((each.of, each.name, each.value), each)
    return tuple(found.values())


def _figures(models: Sequence[Model], setting: Setting, notation: Notation, missing: list[str]
             ) -> Iterator[tuple[str, bytes]]:
    """The pictures that the models have."""
    for kind in FIGURES if len(models) > 1 else ("layers",):
        try:
            yield kind, picture(kind, models, setting=setting).render(
                "pdf", float(LatexFormat(notation).centimetres) - MARGIN)
        except OutputError as error:
            missing.append(f"figures: {error}")
            return
        except SymparamError as error:
            missing.append(f"figures/{kind}: {error}")


def _main(models: Sequence[Model], stems: Sequence[str], files: dict[str, bytes],
          notation: Notation) -> str:
    """The file that brings all of them together."""
    macros = files["macros.tex"].decode()
    wide = LatexFormat(notation).centimetres
    lines = [f"% Everything here fits a column of {wide} cm: \\documentclass[twocolumn]{{article}} "
             "does as well.", r"\documentclass{article}", r"\usepackage[utf8]{inputenc}",
             r"\usepackage{amsmath,booktabs,graphicx,natbib}", r"\input{macros}",
             rf"\title{{{tex(', '.join(model.name for model in models))}}}", r"\author{}",
             r"\begin{document}", r"\maketitle"]
    if "fragments/comparison.tex" in files:
        lines += ["", r"\section{Comparison}", r"\input{fragments/comparison}"]
    for kind, caption in FIGURES.items():
        if f"figures/{kind}.pdf" in files:
            lines += ["", r"\begin{figure}", r"\centering",
                      rf"\includegraphics{{figures/{kind}}}",
                      rf"\caption{{{caption}}}\label{{fig:{kind}}}", r"\end{figure}"]
    for model, stem in zip(models, stems, strict=True):
        lines += ["", rf"\section{{{tex(model.name)}}}"]
        total = f"{letters(model.name)}Total"
        if rf"\newcommand{{\{total}}}" in macros:
            lines.append(rf"It has \{total}{{}} parameters (\{total}Short).")
        lines += [rf"\input{{fragments/{stem}-{part}}}" for part in _PARTS
                  if f"fragments/{stem}-{part}.tex" in files]
    return "\n".join([*lines, "", r"\bibliographystyle{plainnat}", r"\bibliography{references}",
                      r"\end{document}", ""])
