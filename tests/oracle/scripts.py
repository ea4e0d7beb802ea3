"""Launch scripts drawn by chance: what a shell has for them is asked of bash itself.

Every command of a drawn script is ``show`` with a number of its own and words; a script sets all
of its variables before it uses one. Words have no letter that a shell looks files up for.
"""

from __future__ import annotations

import random
import subprocess
from collections import defaultdict
from collections.abc import Callable
from functools import partial

TEXTS, ARRAYS, NUMBERS = ("A", "B", "C2"), ("LIST", "MORE"), ("N", "M")
BEGUN = """A=one
B="two three"
C2=''
N=12
M=-3
LIST=(x "y z" w)
MORE=(--num-layers 3)
f() { show 1 "$@" "$1" $2; }
g() {
  show 2 "[$*]"; A=$1
}
"""
LETTERS = "abxyz019-_=./:,+@%"
#: Prints a command's words, each in its length and letters.
SHOW = r"""show() { printf '%s' "$1"; shift; for each; do printf ' %s %s' ${#each} "$each"; done
printf '\n\001'; }
export -f show
"""


class Drawn:
    """A script, drawn command by command."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.number, self.loops = 2, 0

    def script(self) -> str:
        """A whole script."""
        return BEGUN + "".join(self.command(2) for _ in range(self.draw.randint(3, 8)))

    def one_of(self, *options: str | Callable[[], str]) -> str:
        chosen = self.draw.choice(options)
        return chosen if isinstance(chosen, str) else chosen()

    def plain(self) -> str:
        return "".join(self.draw.choice(LETTERS) for _ in range(self.draw.randint(1, 4)))

    def sum(self, depth: int = 2) -> str:
        """An expression of whole numbers that divides by none that may be 0."""
        if not depth or not self.draw.randrange(3):
            return self.one_of("N", "$M", "${N}", "7", "0", "256", "3")
        left, right = self.sum(depth - 1), self.sum(depth - 1)
        return self.one_of(
            f"{left} + {right}", f"{left}- {right}", f"{left} * {right}", f"({left}) / 7",
            f"({left})%5", f"-({left})", f"!({left})", f"{left} < {right}", f"{left}<={right}",
            f"{left} > {right}", f"{left} >= {right}", f"{left} == {right}", f"{left} != {right}",
            f"{left} && {right}", f"{left} || {right}", f"({left} - {right}) * 2")

    def value(self, quoted: bool) -> str:
        """What stands for something else, within quotation marks or without."""
        name, array = self.draw.choice(TEXTS + NUMBERS), self.draw.choice(ARRAYS)
        sign, word = self.one_of(":-", "-", ":+", "+", ":="), self.one_of("k", "k l", "$B", "")
        return self.one_of(
            f"${name}", f"${{{name}}}", f"${{{name}{sign}{word}}}", lambda: f"$(({self.sum()}))",
            f"${{{array}[{self.draw.randrange(3)}]}}", f"${{{array}[@]}}", f"${array}",
            f"${{{array}[*]}}" if quoted else f"${{{array}[@]}}", f"${{{name}:-\\$x}}"
            if quoted else f"${{{name}}}")

    def piece(self) -> str:
        match self.draw.randrange(8):
            case 0:
                return f"'{self.plain()} #{self.one_of('', '$A', chr(34))}'"
            case 1 | 2:
                inner = "".join(self.one_of(self.plain(), " ", self.value(True), r"\$", r'\"', "'",
                                            r"\\", "#", ";", r"\n") for _ in range(3))
                return f'"{inner}"'
            case 3 | 4:
                return self.value(False)
            case 5:
                return "\\" + self.one_of("$", "'", '"', "a", ";", "#", "\\", "|")
            case _:
                return self.plain()

    def word(self) -> str:
        return "".join(self.piece() for _ in range(self.draw.randint(1, 3)))

    def words(self, most: int = 4) -> str:
        return self.one_of(" ", "  ", " \\\n ").join(
            self.word() for _ in range(self.draw.randint(1, most)))

    def setting(self) -> str:
        """A setting; in a loop, one that does not grow from round to round."""
        name, array = self.draw.choice(TEXTS), self.draw.choice(ARRAYS)
        sign = "=" if self.loops else self.one_of("=", "=", "+=")
        held = self.plain if self.loops else self.words
        return self.one_of(
            lambda: f"{name}{sign}{self.plain() if self.loops else self.word()}",
            lambda: f"{array}{sign}({held()})", lambda: f"N=$(({self.sum()}))",
            lambda: f"export {name}={self.plain()}", f"M={self.one_of('0', '4', '-17')}",
            *([] if self.loops else [
                lambda: f"{array}+=({self.words()}\n # why\n {self.words()})",
                lambda: f"{array}+={self.plain()}"]))

    def condition(self, depth: int = 2) -> str:
        if depth and not self.draw.randrange(3):
            left, right = self.condition(depth - 1), self.condition(depth - 1)
            return self.one_of(f"{left} && {right}", f"{left} || {right}", f"! {left}")
        left, right = (f'"{self.value(True)}"'.replace("[@]", "[*]") for _ in range(2))
        one, two = self.one_of("$N", "3", "$M"), self.one_of("$N", "12", "-3")
        number = self.one_of("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
        return self.one_of(
            f"[ {left} = {right} ]", f"[ {left} != {self.one_of('one', '12')} ]",
            f"[ -z {left} ]", f"[ -n {left} ]", f"[ {one} {number} {two} ]",
            f"[[ {left} == {self.one_of('o*', 'one', '*3', '[ot]*')} ]]",
            f"[[ {one} {number} {two} ]]", f"[[ -n {left} && {one} {number} {two} ]]",
            f"[[ -z {left} || {left} == {right} ]]", lambda: f"(( {self.sum()} ))", "true", "false",
            f"[ -n {left} -a {one} {number} {two} ]", f"[ ! -z {left} ]",
            f"[ -n {left} -o {one} {number} {two} ]")

    def shown(self) -> str:
        self.number += 1
        return f"show {self.number} {self.words()}"

    def command(self, depth: int) -> str:
        """A command with all lines of its own."""
        inner = partial(self.command, depth - 1)
        match self.draw.randrange(14 if depth else 4):
            case 0 | 1:
                return self.setting() + self.one_of("\n", "; ", "  # a word\n")
            case 2 | 3:
                return self.shown() + "\n"
            case 4 | 5:
                return (f"if {self.condition()}; then\n{inner()}elif {self.condition()}\n"
                        f"then {inner()}else\n{inner()}fi\n")
            case 6:
                return f"if {self.condition()}; then {inner()}fi\n"
            case 7:
                first, second = self.one_of("o*|x", "12", "[at]*"), self.one_of("one|-3", "two*")
                return (f'case "{self.value(True)}" in\n {first}) {inner()};;\n ({second})\n'
                        f"{inner()};;\n *) {inner()} esac\n").replace("[@]", "[*]")
            case 8 | 9:
                self.number, self.loops = self.number + 1, self.loops + 1
                text = (f"for each in {self.words()}; do\n show {self.number} \"$each\" $each\n"
                        f"{inner()}done\n")
                self.loops -= 1
                return text
            case 10:
                return f"( {inner()} {inner()} )\n"
            case 11:
                return f"{{ {inner()} }}\n{self.condition(1)} && {self.shown()}\n"
            case 12:
                self.number += 1
                inside = f"show {self.number} {self.plain()} $A{self.plain()}"
                return self.one_of(lambda: f"{self.one_of('f', 'g')} {self.words()}\n",
                                   f"eval '{inside}'\n", f"A={self.plain()}; eval {inside}\n",
                                   f"bash -c 'show {self.number} {self.plain()}'\n")
            case _:
                return f"{self.condition(1)} || {{ {inner()}}}\n"


def by_number(shown: list[list[str]]) -> dict[str, list[list[str]]]:
    """Commands under their numbers, in the order in which they were given."""
    found = defaultdict[str, list[list[str]]](list)
    for number, *words in shown:
        found[number].append(words)
    return found


def in_bash(scripts: list[str]) -> list[dict[str, list[list[str]]]]:
    """The words of all commands of each script."""
    text = SHOW + "".join(f"(\n{each}\n); printf '\\003'\n" for each in scripts)
    said = subprocess.run(["bash"], input=text, capture_output=True, text=True,
                          check=False, timeout=60).stdout
    found = list[dict[str, list[list[str]]]]()
    for part in said.split("\3")[:-1]:
        found.append(by_number([_words(each) for each in part.split("\n\1") if each]))
    return found


def _words(line: str) -> list[str]:
    number, _, rest = line.partition(" ")
    words = [number]
    while rest:
        length, _, rest = rest.partition(" ")
        words.append(rest[:int(length)])
        rest = rest[int(length) + 1:]
    return words
