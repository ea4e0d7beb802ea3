"""``symparam derive``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, options, output_kind, words
from symparam.cli.certificate import CERTIFICATE
from symparam.cli.helped import command
from symparam.cli.output import emit, remark
from symparam.cli.request import read
from symparam.cli.setting import (
    SETTING,
    QuantityName,
    QuantityOption,
    read_setting,
    refuse_setting,
    run_words,
)
from symparam.dims import TOTAL, canonical, known_dims
from symparam.errors import Contradiction
from symparam.quantities import find
from symparam.run import RUN

if TYPE_CHECKING:
    from symparam.derivation.plan import Derivation
    from symparam.documents.derivations.exercise import ExerciseView


@command()
@words
@options(ARCHITECTURE)
@click.option("--assume", multiple=True, metavar="EQUATION",
              help="Use an equation, replacing the default for its dim; 'none' drops the defaults.")
@click.option("--leading", metavar="[SYMBOL]", is_flag=False, flag_value="d_model",
              help="Keep the highest power of a symbol (d_model), and list what is left out.")
@click.option("--detail", type=click.Choice(["brief", "full", "appendix"]), default="brief",
              help="Full shows the steps inside each step; appendix is what a paper prints.")
@click.option("--sensitivity", is_flag=True,
              help="Add what the count depends on: derivatives, steps, doublings.")
@click.option("--exercise", is_flag=True,
              help="Ask for the derivation instead: its questions, without the answers.")
@click.option("--answers", type=click.Path(path_type=Path), metavar="FILE",
              help="With --exercise: the answers, numbered alike; - prints them instead.")
@click.option("--quantity", type=QuantityName(), default="P", cls=QuantityOption,
              help="Derive another quantity than the number of parameters")
@options(SETTING)
@options(CERTIFICATE)
@options(OUTPUT)
def derive(**values: Any) -> None:
    """Derive a parameter count, or another quantity: every step with its reason, proved; then the
    numbers."""
    from symparam.derivation.plan import derive as derivation
    from symparam.documents.derivations.view import DerivationView

    kind = output_kind(values)
    quantity = find(values["quantity"])
    refuse_setting(quantity, values)
    _refuse_sheets(values)
    leading, spare = _leading(values["leading"])
    request = read(run_words({**values, "words": (*values["words"], *spare)}), values)
    symbol = None if leading is None else canonical(leading, request.model.names)
    found = derivation(request.model, values["assume"], symbol, values["detail"],
                       quantity=quantity.name, setting=read_setting(values))
    sensitivity = None
    if values["sensitivity"]:
        from symparam.sensitivity.analysis import depends

        sensitivity = depends(found, values["assume"])
    remark((*request.told_of(quantity), *_missing(found)), values)
    view = DerivationView(found, request.notation, sensitivity)
    if values["exercise"]:
        _exercise(view.exercise(), kind, values)
    else:
        emit(view, kind, values)


def _missing(found: Derivation) -> tuple[str, ...]:
    """What is said where some dims have numbers and others, which were not given, have none."""
    missing = found.missing
    known = [name for name in found.values if name not in (*RUN, TOTAL.name)]
    if not missing or len(missing) >= len(known):
        return ()
    one = len(missing) == 1
    return (f"no numbers are put in: {', '.join(missing)} {'has' if one else 'have'} none; add "
            f"{' '.join(f'{name}=...' for name in missing)}",)


def _refuse_sheets(values: dict[str, Any]) -> None:
    """Refuse sheets of an exercise that cannot be had together."""
    if values["answers"] is not None and not values["exercise"]:
        raise Contradiction("--answers", "a derivation that is no exercise", "add --exercise")
    if values["exercise"] and values["certificate"]:
        raise Contradiction("--exercise", "--certificate", "a certificate has the answers")
    if values["exercise"] and values["detail"] == "appendix":
        raise Contradiction("--exercise", "--detail appendix", "an exercise asks for every step")
    if values["exercise"] and values["sensitivity"]:
        raise Contradiction("--exercise", "--sensitivity", "an exercise asks for the derivation")


def _exercise(questions: ExerciseView, kind: str, values: dict[str, Any]) -> None:
    """Write the answers where they are wanted, with the questions."""
    answers = values["answers"]
    if answers is None:
        emit(questions, kind, values)
    elif str(answers) == "-":
        emit(questions.answers(), kind, values)
    else:
        form = output_kind({**values, "output": answers})
        emit(questions, kind, values, [(questions.answers(), form, answers)])


def _leading(value: str | None) -> tuple[str | None, tuple[str, ...]]:
    """The symbol after --leading, which may be left out: a MODEL or KEY=VALUE is not one."""
    if value is None:
        return None, ()
    if "=" in value or _is_model(value):
        return "d_model", (value,)
    return value, ()


def _is_model(value: str) -> bool:
    """Whether a text is no symbol and names a model: in the catalogue, or a file or folder."""
    from symparam.descriptions.references import exists, looks_like_path, published_name

    known = {name for dim in known_dims() for name in (dim.name, *dim.aliases)}
    return value not in known and (
        published_name(value) is not None or looks_like_path(value) or exists(value))
