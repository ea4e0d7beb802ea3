"""A certificate of matrices as a file for Coq: statements for a reader, proofs for the kernel.

The formulas are carried over sign by sign; no algebra is done here. What the file says is in its
definitions and statements; what is false in them does not compile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from symparam.certificate import check
from symparam.certificate.coq_file import CoqFile, argument
from symparam.certificate.coq_words import (
    ROUNDED,
    denominators,
    formula,
    fraction,
    name_of,
    power,
    said,
    wrapped,
)
from symparam.certificate.pieces import Data
from symparam.errors import BadValue


def coq_of(certificate: Data) -> str:
    """The file for a certificate of a derivation or a difference.

    Raises:
        BadValue: it is of another kind, or a formula has what is not written for Coq.
    """
    kinds = {"derive": _derivation, "diff": _difference}
    if certificate["kind"] not in kinds:
        raise BadValue("--format", "coq", f"{certificate['kind']} has none: derive and diff have")
    text = "\n".join(kinds[certificate["kind"]](certificate["body"]))
    about, rows = certificate["body"]["about"], certificate["rows"]
    head = [f"(* {said(about['title'])}: {said(certificate['model'])}.",
            f"   What is counted: {said(about['convention'])}.",
            *(f"   The rows of {said(name)} are {said(each['are'])}."
              for name, each in rows.items() if each["are"] != "stated"),
            "   Read the definitions and the statements; coqc reads the proofs. *)",
            "From Coq Require Import QArith List. Import ListNotations. Open Scope Q_scope.", "",
            "(* A matrix, and any other entry as the product of its factors. *)",
            "Inductive entry := Matrix (rows columns copies : Q) | Product (factors : list Q).",
            "Definition size (e : entry) : Q := match e with",
            "  | Matrix rows columns copies => rows * columns * copies",
            "  | Product factors => fold_right Qmult 1 factors end.",
            "Definition total (l : list entry) : Q := fold_right (fun e x => size e + x) 0 l.",
            *(ROUNDED[name] for name in ROUNDED if f"({name} (" in text),
            "Ltac equal := field; repeat split; first [assumption | vm_compute; discriminate].", ""]
    return "\n".join([*head, text])


def _names(texts: Iterable[str]) -> list[str]:
    """The dims in formulas."""
    found = (word for text in texts for word in check.NAME.findall(text))
    return [name for name in dict.fromkeys(found) if name not in check.ROUND]


def _texts(body: Data) -> Iterator[str]:
    """The formulas of a derivation."""
    for part in body["parts"]:
        for stack in part["stacks"]:
            yield stack["layers"]
            for row in stack["entries"].values():
                yield from row.get("factors") or row.values()
    for line in body["lines"]:
        yield from _of_line(line)


def _of_line(line: Data) -> list[str]:
    """The formulas of a line."""
    given = [] if line["given"] is None else [line["given"]]
    return [line["line"], *(text for text, _ in line["left"]), *given]


def _derivation(body: Data) -> Iterator[str]:
    """Matrices, lines, steps, the theorem, numbers."""
    for name, inner in body["inside"].items():
        yield f"(* What {name} is. *)\nModule {name}_inside."
        yield from _derivation(inner)
        yield f"End {name}_inside.\n"
    texts = list(_texts(body))
    file = CoqFile(_names(texts))
    file.say("The dims.")
    file.lines += [f"(* {name_of(name)}: {said(words)} *)" for name, words in
                   body["about"]["symbols"].items() if name_of(name) in file.dims]
    file.lines += ["Section Model.", wrapped(f"Variables {' '.join(file.dims)} : Q.")]
    whole, parts = _parts(body, file)
    file.say("The lines, and what they leave out.")
    sums = _lines(body, file)
    file.lines.append("End Model.")
    file.say("What each part is.")
    for part, names in zip(body["parts"], parts, strict=True):
        for i, name in enumerate(names):
            file.state(f"Lemma {name}_is", name, formula(part["line"]), under=denominators(
                " + ".join(text for stack in part["stacks"][i:i + 1] for text in _sides(stack))))
    symbols = {part["symbol"]: names[0] for part, names in zip(body["parts"], parts, strict=True)}
    file.state("Lemma parts_are_all", whole, re.sub(
        r"[A-Za-z_]\w*", lambda m: symbols.get(m[0], m[0]), formula(body["apart"])),
        under=[x for text in texts for x in denominators(text)] if "/" in body["apart"] else ())
    _steps(body, file, whole, sums, texts)
    _numbers(body, file, whole)
    yield from file.lines
    yield "Print Assumptions matrices_sum_to_formula."


def _sides(stack: Data) -> Iterator[str]:
    for row in stack["entries"].values():
        yield from row.get("factors") or row.values()


def _parts(body: Data, file: CoqFile) -> tuple[str, list[list[str]]]:
    """The whole, and the parts, each in each of its stacks."""
    parts, terms = [], []
    for part in body["parts"]:
        names = []
        for stack in part["stacks"]:
            file.say(f"{part['about']['title']}, {stack['layers']} times"
                     if stack["layers"] != "1" else part["about"]["title"])
            inside = file.entries(stack["entries"])
            wanted = part["symbol"] if part["symbol"] != body["symbol"] else f"{part['symbol']}_one"
            names.append(file.define(file.free(wanted), "Q", f"total [{'; '.join(inside)}]"))
            terms.append(names[-1] if stack["layers"] == "1" else
                         f"{argument(stack['layers'])} * {names[-1]}")
        parts.append(names)
    file.say("The whole: each part as often as it is there.")
    return file.define(file.free(body["symbol"]), "Q", " + ".join(terms)), parts


def _lines(body: Data, file: CoqFile) -> list[str]:
    """The lines; each as what it shows and what it leaves out."""
    sums, left = [], dict[str, str]()
    for i, line in enumerate(body["lines"], 1):
        name = file.define(file.free(f"line_{i}"), "Q", formula(line["line"]))
        for text, _ in line["left"]:
            if text not in left:
                left[text] = file.define(file.free(f"left_out_{len(left) + 1}"), "Q", formula(text))
        sums.append(" + ".join([name, *(left[text] for text, _ in line["left"])]))
    return sums


def _steps(body: Data, file: CoqFile, whole: str, sums: Sequence[str],
           texts: Sequence[str]) -> None:
    """A lemma a step, then the theorem that chains them."""
    under = list(dict.fromkeys(x for text in texts for x in denominators(text)))
    lets, chain = list[str](), list[str]()
    inside = [text for part in body["parts"] for stack in part["stacks"]
              for text in (stack["layers"], *_sides(stack))]
    for i, (line, left, right) in enumerate(zip(
            body["lines"], [whole, *sums], sums, strict=False), 1):
        given = [] if line["given"] is None else [_equation(line["given"])]
        file.say(line["about"]["why"] + (f" ({line['given']})" if given else "") + (
            f"; nearly: {line['about']['nearly']}" if "nearly" in line["about"] else ""))
        now = [*inside, *_of_line(line)]
        chain.append(file.state(f"Lemma step_{i}", left, right, given,
                                [x for text in now for x in denominators(text)]))
        inside = _of_line(line)
        lets = [*given, *lets]
    file.say("The theorem: the matrices sum to the formula, under the equations that were put in.")
    steps = " ".join(f"eapply Qeq_trans; [apply ({step}); assumption|]." for step in chain)
    file.state("Theorem matrices_sum_to_formula", whole, sums[-1], lets, under,
               f"intros. {steps} reflexivity.")
    if body["leading"] is not None:
        _leading(body, file)


def _leading(body: Data, file: CoqFile) -> None:
    """That the kept term has one power of a symbol, and what is left out lower ones."""
    by, last = name_of(body["leading"]), body["lines"][-1]
    before = len(body["lines"][-2]["left"]) if len(body["lines"]) > 1 else 0
    file.say(f"What is kept has one power of {by}; what only this step leaves out has lower ones.")
    for number, text in enumerate([last["line"], *(text for text, _ in last["left"][before:])]):
        over, under = fraction(text)
        if under != check.ONE:
            continue
        by_power: dict[int, list[str]] = {}
        for powers, c in over.items():
            rest = [f"{'*' if e > 0 else '/'}{power(name_of(name), abs(e))}"
                    for name, e in powers if name != body["leading"]]
            by_power.setdefault(dict(powers).get(body["leading"], 0), []).append("".join(
                [argument(str(c)), *rest]))
        right = " + ".join(f"({' + '.join(terms)})" + (f"*{power(by, e)}" if e else "")
                           for e, terms in sorted(by_power.items()))
        name = "kept_has_one_power" if number == 0 else f"left_out_has_lower_powers_{number}"
        file.state(f"Lemma {name}", formula(text), right or "0", under=denominators(text))


def _equation(text: str) -> str:
    name, _, right = text.partition(" = ")
    return f"{name_of(name)} = {formula(right)}"


def _numbers(body: Data, file: CoqFile, whole: str) -> None:
    """The numbers, by computation; and that each equation holds for them."""
    if body["value"] is None:
        return
    values = {name_of(name): value for name, value in body["dims"].items()}
    file.say("The numbers, by computation.")
    file.number("at_the_numbers", whole, values, body["value"])
    for i, line in enumerate(body["lines"], 1):
        if line["given"] is not None:
            name, _, right = line["given"].partition(" = ")
            dims = list(map(name_of, _names([right])))
            lets = "".join(f"let {dim} := {values[dim]} in " for dim in dims)
            file.lines += [wrapped(f"Lemma holds_here_{i} : {lets}{values[name_of(name)]} == "
                                   f"{formula(right)}. (* {said(line['given'])} *)"),
                           "Proof. vm_compute. reflexivity. Qed."]
    sizes = dict(body["left"])  # (two terms of one text are one definition)
    for i, numel in enumerate(sizes.values(), 1):
        file.number(f"left_out_{i}_here", f"left_out_{i}", values, numel)


def _difference(body: Data) -> Iterator[str]:
    """Both models' entries, the change of each component, the theorem, numbers."""
    rows = [row for place in body["places"] for pair in place["pairs"].values()
            for side in ("before", "after") for row in pair[side].values()]
    texts = [text for row in rows for text in row.get("factors") or row.values()]
    file = CoqFile(_names([*texts, *(p["line"] for p in body["places"]), body["line"]]))
    names: dict[str, list[str]] = {"before": [], "after": []}
    file.say("The dims; those of the second model that differ are marked: " + ", ".join(
        f"{name_of(a)} is its {b}" for a, b in body["about"]["marked"].items()))
    file.lines += ["Section Models.", wrapped(f"Variables {' '.join(file.dims)} : Q.")]
    changes = []
    for i, place in enumerate(body["places"], 1):
        file.say(str(place["about"]["place"]))
        own = {side: [name for pair in place["pairs"].values()
                      for name in file.entries(pair[side], f"{side}_")] for side in names}
        for side, found in own.items():
            names[side] += found
        changes.append(file.define(f"change_{i}", "Q", " - ".join(
            f"total [{'; '.join(own[side])}]" for side in ("after", "before"))))
    file.say("Both models.")
    for side, found in names.items():
        file.define(file.free(f"{side}_in_all"), "Q", f"total [{'; '.join(found)}]")
    file.lines.append("End Models.")
    under = [x for text in texts for x in denominators(text)]
    for i, (place, change) in enumerate(zip(body["places"], changes, strict=True), 1):
        file.say(str(place["about"]["place"]))
        file.state(f"Lemma change_{i}_is", change, formula(place["line"]), under=under)
    file.say("The theorem: what the second model has more.")
    file.state("Theorem difference", "after_in_all - before_in_all", formula(body["line"]),
               under=under)
    if body["numel"] is not None:
        values = {name_of(name): value for name, value in body["dims"].items()}
        file.say("The numbers, by computation.")
        for side, value in body["numel"].items():
            file.number(f"{side}_here", f"{side}_in_all", values, value)
    yield from file.lines
    yield "Print Assumptions difference."
