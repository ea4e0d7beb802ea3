"""The definitions and statements of a file for Coq, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from symparam.certificate import check
from symparam.certificate.coq_words import formula, name_of, said, wrapped
from symparam.certificate.pieces import Data


class CoqFile:
    """The definitions and statements of one file, in their order.

    Definitions stand in a section, where dims are variables; behind it each takes the dims that it
    uses, which ``takes`` knows.
    """

    def __init__(self, dims: Iterable[str]) -> None:
        self.dims = tuple(dict.fromkeys(map(name_of, dims)))
        self.lines, self.takes = list[str](), dict[str, tuple[str, ...]]()
        self.inside: dict[str, set[str]] = {}

    def say(self, comment: str) -> None:
        """A comment on a line of its own."""
        self.lines.append(wrapped(f"\n(* {said(comment)} *)", "   "))

    def free(self, wanted: str) -> str:
        """A name that nothing has yet."""
        found = name_of(wanted)
        while found in self.takes or found in self.dims:
            found += "_"
        return found

    def used(self, *texts: str) -> tuple[str, ...]:
        """The dims in texts, those that definitions in them take among them."""
        words = {word for text in texts for word in check.NAME.findall(text)}
        words |= {dim for word in words & self.takes.keys() for dim in self.takes[word]}
        return tuple(dim for dim in self.dims if dim in words)

    def define(self, name: str, kind: str, text: str) -> str:
        """A definition inside the section; its name."""
        self.inside[name] = {*check.NAME.findall(text)} & self.takes.keys()
        self.takes[name] = self.used(text)
        self.lines.append(wrapped(f"Definition {name} : {kind} := {text}."))
        return name

    def applied(self, text: str) -> str:
        """A text of the section as it stands behind it: definitions with the dims they take."""
        return re.sub(r"[A-Za-z_]\w*", lambda m: self._applied(m[0]), text, flags=re.ASCII)

    def _applied(self, word: str) -> str:
        dims = self.takes.get(word)
        return word if not dims else f"({' '.join((word, *dims))})"

    def state(self, title: str, left: str, right: str, lets: Sequence[str] = (),
              under: Iterable[str] = (), proof: str = "") -> str:
        """A statement that holds for all dims but those that equations give.

        Args:
            title: its kind and name.
            left, right: the sides, as the section writes them.
            lets: equations, each after those that it needs.
            under: what must not be 0.
            proof: how it is shown; by one ``field`` where nothing is said.

        Returns:
            Its name with the dims that it is for.
        """
        given = {let.partition(" = ")[0] for let in lets}
        under = list(dict.fromkeys(under))
        dims = [dim for dim in self.used(left, right, *under, *lets) if dim not in given]
        late = [x for x in under if given & set(check.NAME.findall(x))]
        text = "".join([
            f"{title} : ", f"forall {' '.join(dims)} : Q, " if dims else "",
            *(f"~ {x} == 0 -> " for x in under if x not in late),
            *(f"let {let.replace(' = ', ' := ', 1)} in " for let in lets),
            *(f"~ {x} == 0 -> " for x in late)])
        self.lines += [wrapped(text.rstrip()), wrapped(f"  {self.applied(left)}"),
                       wrapped(f"  == {self.applied(right)}."),
                       wrapped(f"Proof. {proof or self._direct(left, right, lets)} Qed.")]
        return " ".join([title.partition(" ")[2], *dims])

    def _direct(self, left: str, right: str, lets: Sequence[str]) -> str:
        """The proof by one ``field``, definitions opened."""
        seen, left_over = set[str](), {*check.NAME.findall(f"{left} {right}")} & self.takes.keys()
        while left_over:
            seen |= left_over
            left_over = {word for name in left_over for word in self.inside[name]} - seen
        names = " ".join([*sorted(seen), "total size fold_right"])
        gone = "".join(f" subst {let.partition(' = ')[0]};" for let in reversed(lets))
        return f"intros;{gone} cbv beta iota zeta delta [{names}]; equal."

    def entries(self, found: Mapping[str, Any], prefix: str = "") -> list[str]:
        """Entries by their paths as definitions; their names."""
        return [self.define(self.free(f"{prefix}{path}"), "entry", _entry(row))
                for path, row in found.items()]

    def number(self, title: str, name: str, values: Mapping[str, Any], value: Any) -> None:
        """A definition at numbers, by computation."""
        dims = self.takes[name]
        lets = "".join(f"let {dim} := {formula(str(values[dim]))} in " for dim in dims)
        self.lines += [wrapped(f"Theorem {title} : {lets}{' '.join([name, *dims])}"
                               f" == {formula(str(value))}."),
                       "Proof. vm_compute. reflexivity. Qed."]


def _entry(row: Data) -> str:
    """A matrix, or a product of factors."""
    if "factors" in row:
        return f"Product [{'; '.join(map(formula, row['factors']))}]"
    return " ".join(["Matrix", *(argument(row[x]) for x in ("rows", "columns", "copies"))])


def argument(text: str) -> str:
    found = formula(text)
    return found if re.fullmatch(r"\w+", found, re.ASCII) else f"({found})"
