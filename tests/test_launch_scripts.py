"""Launch scripts: what a shell would hand over, and what is in doubt, named by its line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symparam.cli.main import run
from symparam.descriptions.load import load
from symparam.descriptions.reading.source import Taken, Unsure
from symparam.descriptions.reading.written import options_of
from symparam.descriptions.shell.conditions import holds
from symparam.descriptions.shell.pieces import Piece, doubt_of, written
from symparam.descriptions.shell.run import Follower
from symparam.descriptions.shell.sums import value_of_sum
from symparam.descriptions.shell.tree import parse
from symparam.errors import SymparamError
from symparam.model import Model
from tests.helpers import ledger, message, together
from tests.oracle import scripts
from tests.strategies import quick

SIDES = "--num-layers 2 --hidden-size 64 --num-attention-heads 4"
REST = "--position-embedding-type rope --vocab-size 128"
LAUNCH = f"python pretrain_gpt.py {SIDES} {REST}"


def options(text: str) -> dict[str, Any]:
    """The options of a script."""
    return options_of("train.sh", text)


def read(folder: Path, text: str) -> Model:
    """The model of a script."""
    path = folder / "train.sh"
    path.write_text(text)
    return load(str(path))


def total(model: Model) -> int:
    """Its parameters."""
    return sum(tensor.numel for tensor in model.layout.tensors(ledger(model)))


#: A line that adds an option where something holds that the script does not decide.
IN_DOUBT = [
    'if [ "$MOE" = 1 ]; then\n  A="$A --num-experts 8"\nfi',
    'if [ "$MOE" = 1 ]\nthen\n  A+=" --num-experts 8"\nfi',
    'if [[ -n $MOE && 1 == 1 ]]; then A="--num-experts 8"; fi',
    'if [ -f there ]; then A="--num-experts 8"; else A=; fi',
    '[ "$MOE" = 1 ] && A="--num-experts 8"', 'grep -q x y || A="--num-experts 8"',
    'case "$MOE" in\n  yes) A="--num-experts 8" ;;\n  *) ;;\nesac',
    'case $MOE in a|b) A="--num-experts 8";; esac',
    'while read line; do A="--num-experts 8"; done < x',
    'for i in $X; do A="--num-experts 8"; done',
    'set_up() {\n  if [ -n "$MOE" ]; then A="--num-experts 8"; fi\n}\nset_up',
    'set_up() { [ -n "$MOE" ] || return\n A="--num-experts 8"\n}\nset_up',
    'A=$(cat more.txt)\nA="$A --num-experts 8"\nif (( $RANK > 3 )); then A=; fi']


@together("text", IN_DOUBT)
def test_an_option_that_may_not_be_reached_is_refused_by_its_line(
        text: str, tmp_path: Path) -> None:
    with pytest.raises(SymparamError) as caught:
        read(tmp_path, f"#!/bin/bash\n{text}\n{LAUNCH} $A")
    assert "num-experts: line " in message(caught.value)
    number = int(message(caught.value).partition("num-experts: line ")[2].partition(":")[0])
    assert 2 <= number <= 2 + text.count("\n")


@together(("text", "words"), [
    ('if [ "$MOE" = 1 ]; then A="--num-experts 8"; fi', "do not decide ($MOE)"),
    ('B=1\nif [[ -n ${MOE} && $B == $SIZE ]]; then A="--num-experts 8"; fi',
     "do not decide ($MOE, $SIZE)"),
    ('if ! [ $MOE ]; then A="--num-experts 8"; fi', "do not decide ($MOE)"),
    ('case "$MOE" in\n  yes) A="--num-experts 8" ;;\nesac', "do not decide ($MOE)"),
    ('if [ -f there ]; then A="--num-experts 8"; fi', "do not decide")])
def test_the_variables_that_leave_it_open_are_named(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SymparamError) as caught:
        read(tmp_path, f"#!/bin/bash\n{text}\n{LAUNCH} $A")
    assert message(caught.value).endswith(words)


def test_a_variable_of_the_script_is_not_taken_for_a_misspelt_dim(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.sh"
    path.write_text(f"SIZE=7B\n{LAUNCH}")
    for word, words in (("SIZE=13B", "is set in the script"), ("hiden_size=64", "did you mean")):
        assert run(["count", str(path), word]) == 2
        err = capsys.readouterr().err
        assert words in err
        assert err.count("\n") == 1


@together(("text", "taken"), [
    ('MOE=1\nif [ "$MOE" = 1 ]; then A="--num-experts 8"; fi', True),
    ('MOE=0\nif [ "$MOE" = 1 ]; then A="--num-experts 8"; fi', False),
    ('MOE=0\nif [[ $MOE == 1 ]]; then A=x; elif [ $MOE -lt 1 ]; then\n'
     'A="--num-experts 8"; fi', True),
    ('MOE=true\nif $MOE; then A="--num-experts 8"; fi', True),
    ('MOE=0\n[ $MOE -gt 0 ] && A="--num-experts 8"', False),
    ('MOE=0\n[ $MOE -gt 0 ] || A="--num-experts 8"', True),
    ('MOE=big\ncase $MOE in b*) A="--num-experts 8";; *) A="--num-experts 9";; esac', True),
    ('MOE=\nif [ -z "$MOE" ] && [ 1 != 2 ]; then A="--num-experts 8"; fi', True),
    ('N=4\nif (( N * 2 >= 8 )); then A="--num-experts $((N * 2))"; fi', True),
    ('unused() {\n A="--num-experts 8"\n}', False),
    ('used() {\n A="--num-experts $1"\n}\nused 8', True),
    ('function used {\n A="--num-experts 8"\n}\nused', True),
    ('function used() { A="--num-experts 8"; }\nused', True),
    ('function unused() { A="--num-experts 8"; }', False),
    ('if [ -z "$X" ]; then exit 1; else A="--num-experts 8"; fi', True),
    ('[ -n "$X" ] || exit 1\nA="--num-experts 8"', True),
    ('for n in 2 4 8; do A="--num-experts $n"; done', True),
    ('for n in 8 4; do A="--num-experts $n"; break; done', True),
    ('cat <<EOF\nA="--num-experts 3"\nEOF\n: # A="--num-experts 3"', False),
    ('(A="--num-experts 3")\necho x | A="--num-experts 3"', False),
    ('cd there && A="--num-experts 8"', True),
    ('A=(--num-experts 4)\nA+=(--num-experts 8)\nA="${A[@]}"', True),
    ("B='--num-experts 8'\nif [ \"$LOG\" ]; then A=\"$B --log-interval 3\"; else A=$B; fi", None)])
def test_a_branch_that_the_script_decides_is_taken_or_left(
        text: str, taken: bool | None, tmp_path: Path) -> None:
    model = options(f"{text}\n{LAUNCH} $A")
    assert (model.get("num-experts") == 8) == (taken is not False), model
    if shutil.which("bash") and taken is not None:  # and the shell itself says the same
        shown = f'python() {{ printf "%s\\n" "$@"; }}\nX=1\ncd() {{ :; }}\n{text}\n{LAUNCH} $A'
        told = subprocess.run(["bash", "-c", shown], capture_output=True, text=True, timeout=20,
                              cwd=tmp_path, check=False).stdout.split()
        assert ("--num-experts" in told) == taken
        if taken:
            assert told[len(told) - told[::-1].index("--num-experts")] == "8"


def test_both_sides_of_a_condition_may_say_the_same() -> None:
    text = (f'A="{SIDES}"\nif [ $NODES -gt 1 ]; then\n  srun bash -c "python pretrain_gpt.py $A"\n'
            'else\n  eval "python pretrain_gpt.py $A"\nfi')
    found = options(text)
    assert isinstance(found["num-layers"], Taken)
    assert (found["num-layers"].value, found["hidden-size"]) == (2, 64)
    found = options(text.replace('"\nelse', ' --swiglu"\nelse'))
    assert isinstance(found["swiglu"], Unsure)
    assert found["hidden-size"] == 64


def test_two_commands_with_other_sides_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SymparamError) as caught:
        read(tmp_path, f"{LAUNCH}\n{LAUNCH.replace('--num-layers 2', '--num-layers 3')}")
    assert "num-layers: lines 1 and 2" in message(caught.value)


def test_a_default_that_is_taken_is_told(tmp_path: Path,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    text = ('SIZE=${1:-small}\nif [ $SIZE = small ]; then\n  LAYERS=3\nelse\n  LAYERS=9\nfi\n'
            f'{LAUNCH.replace("--num-layers 2", "--num-layers $LAYERS")} --swiglu $MORE')
    (tmp_path / "train.sh").write_text(text)
    assert run(["count", str(tmp_path / "train.sh"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["defaulted"]["num-layers"] == 3
    assert found["defaulted_from"]["num-layers"] == "line 1: $1 not given, its default is taken"
    assert found["defaulted_from"]["swiglu"] == (
        "line 7: $MORE is not set in the script, taken as empty")
    assert "hidden-size" not in found["defaulted"]


@together("loop", [
    'while [[ $# -gt 0 ]]; do\n  case "$1" in\n    --x) A="--num-experts 8"; shift;;\n  esac\ndone',
    'while [ "$#" -gt 0 ]; do A="--num-experts 8"; shift; done',
    'while getopts "x:" o; do A="--num-experts 8"; done', 'while (( $# )); do A=--swiglu; done',
    'for a in "$@"; do A="--num-experts 8"; done'])
def test_a_script_is_taken_as_called_without_arguments(loop: str, tmp_path: Path) -> None:
    model = read(tmp_path, f"{loop}\n{LAUNCH} $A")
    assert total(model) == total(read(tmp_path, LAUNCH))
    assert "line 1: taken as called without arguments" in str(
        read(tmp_path, f"{loop}\n{LAUNCH} $A").defaulted)


def test_a_command_in_a_loop_is_taken_as_given(tmp_path: Path) -> None:
    text = f'for part in $(ls); do\n  A="{SIDES}"\n  python pretrain_gpt.py $A {REST}\ndone'
    model = read(tmp_path, text)
    assert total(model) == total(read(tmp_path, LAUNCH))
    assert "the command of line 3 is taken as given" in str(model.defaulted)


@pytest.mark.parametrize("program", ["pretrain_bert.py", "pretrain_t5.py", "pretrain_mamba.py"])
def test_a_program_of_another_kind_of_model_is_refused(program: str, tmp_path: Path) -> None:
    with pytest.raises(SymparamError, match="another kind of model"):
        read(tmp_path, f"torchrun there/{LAUNCH[7:].replace('pretrain_gpt.py', program)}")


@pytest.mark.parametrize("ending", ["bash", "slurm", "sbatch"])
def test_a_script_of_a_scheduler_is_one(ending: str, tmp_path: Path,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"#!/bin/bash\n#SBATCH --nodes=2\nsrun -l bash -c 'torchrun --x 1 {LAUNCH[7:]}'\n"
    (tmp_path / f"job.{ending}").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert total(load(f"job.{ending}")) == total(read(tmp_path, LAUNCH))


def test_a_file_that_is_sourced_is_told(tmp_path: Path) -> None:
    model = read(tmp_path, f"source env.sh\n. ./more.sh\n{LAUNCH}")
    assert "line 1: what env.sh sets is not read; line 2: what ./more.sh sets" in str(
        model.defaulted)


@pytest.mark.parametrize("text", [
    'MOE=${MOE:-0}\nif [ $MOE = 1 ]; then A="--num-experts 8 --lr 3"; fi',
    'MOE=${1:-0}\n[[ $MOE == 1 ]] && A="--num-experts 8"',
    'MOE=${MOE-0}\ncase $MOE in 1) A="--num-experts 8";; *) A="--seed 3";; esac'])
def test_an_option_that_a_default_leaves_out_is_told(text: str, tmp_path: Path) -> None:
    model = read(tmp_path, f"{text}\n{LAUNCH} $A")
    assert total(model) == total(read(tmp_path, LAUNCH))
    assert 'not-given = 1 (--num-experts: line 1: $' in str(model.defaulted)


def test_a_value_that_the_script_does_not_say_is_refused(tmp_path: Path) -> None:
    for value, words in (("$LAYERS", "line 1: $LAYERS is not set in the script"),
                         ("$(nproc)", "line 1: $(...) is not run"),
                         ("$1", "line 1: $1 is not set"),
                         ("$X", "line 1: $X is not"), ("$((LAYERS + 1))", "line 1: the sum")):
        with pytest.raises(SymparamError) as caught:
            read(tmp_path, LAUNCH.replace("--num-layers 2", f"--num-layers {value}"))
        assert f"num-layers: {words}" in message(caught.value)


def test_what_trains_it_may_be_in_doubt(tmp_path: Path) -> None:
    text = ('if [ -n "$WANDB" ]; then A="--wandb-project x --lr 3"; fi\n'
            f'torchrun --nproc_per_node=8 --rdzv_backend c10d {LAUNCH[7:]} $A --lr $LR 2>&1 &')
    assert total(read(tmp_path, text)) == total(read(tmp_path, LAUNCH))


@pytest.mark.parametrize("text", [
    f"A=1 && {LAUNCH}", f"A=1 B=2 && {LAUNCH}",
    f"A=1 || python pretrain_gpt.py --num-layers 9\n{LAUNCH}"])
def test_a_setting_succeeds(text: str) -> None:
    assert options(text) == options(LAUNCH)


@pytest.mark.parametrize(("words", "more"), [
    ("--hidden-siz 64", "e"), ("", "--hidden-size 64"), ("--hidden-size 64", ""),
    ("--hidden-size 6 4", "")])
def test_what_is_added_to_a_list_goes_to_its_first_word(words: str, more: str) -> None:
    """As in the shell, where a list without a number is its first word."""
    added = f"A=({words})\nA+=({more})\n" if " " in more else f"A=({words})\nA+={more}\n"
    printed = subprocess.run(["bash", "-c", f'{added}echo "${{A[@]}}"'], capture_output=True,
                             text=True, check=True).stdout.strip()
    script = LAUNCH.replace("--hidden-size 64", "{}")
    assert options(added + script.format('"${A[@]}"')) == options(script.format(printed))


@pytest.mark.parametrize(("sum_", "value"), [
    ("2**10", 1024), ("2 ** 3 ** 2", 512), ("-2**2", 4), ("2*3**2", 18), ("7**0", 1), ("0**0", 1),
    ("(-1)**9", -1), ("(-1)**(2**40)", 1), ("0**99", 0), ("2**62", 2**62)])
def test_a_power_is_what_the_shell_makes_of_it(sum_: str, value: int) -> None:
    assert value_of_sum(sum_, {}.get) == value
    ran = subprocess.run(["bash", "-c", f"echo $(({sum_}))"], capture_output=True, text=True,
                         check=True)
    assert int(ran.stdout) == value


@pytest.mark.parametrize(("sum_", "why"), [
    ("2**70", "is too large"), ("9**(2**60)", "is too large"), ("2**62*2", "is too large"),
    ("1/0", "divides by zero"), ("8 % (2-2)", "divides by zero"), ("2**-1", "a power below zero"),
    ("1 || 1/0", None), ("H/0", None)])
def test_of_a_sum_without_a_value_it_is_said_why(
        sum_: str, why: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the script does not say is another thing, and what may never be worked out."""
    if why is None:
        assert value_of_sum(sum_, {}.get) is None
    path = tmp_path / "x.sh"
    path.write_text(LAUNCH.replace("--hidden-size 64", f"--hidden-size $(({sum_}))"))
    assert run(["count", str(path)]) == 2
    assert (why or "is of what the script does not say") in capsys.readouterr().err


@pytest.mark.parametrize("lost", ["num-layers", "hidden-size", "num-attention-heads"])
def test_an_option_that_every_model_has_is_missed_by_name(
        lost: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sh"
    path.write_text(re.sub(f"--{lost} \\S+", "", LAUNCH))
    assert run(["count", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"symparam: {path}: it has options of Megatron-LM without --{lost}\n")


@pytest.mark.parametrize(("sum_", "most"), [("-", 299), ("1+", 299)])
def test_a_sum_has_so_many_parts_and_no_more(sum_: str, most: int) -> None:
    assert value_of_sum(sum_ * most + "1", {}.get) == (-1 if sum_ == "-" else 300)
    assert value_of_sum(sum_ * (most + 1) + "1", {}.get) is None


def test_lines_within_quotation_marks_are_counted() -> None:
    with pytest.raises((ValueError, SymparamError), match="line 4"):
        parse('A="x\n\n"\nB="y')


@pytest.mark.parametrize("text", [
    "if [ 1 = 1 ]; then", "case x in", 'A="', "$((", "(((((" * 50, "{ " * 500, "if " * 900,
    "f() { f; }\nf", 'A=x\n' + 'A="$A$A$A$A"\n' * 40, "for i in 1 2; do " * 40, "A='", "`", "${",
    "eval " * 50 + "x", "echo hello", ")", "&& x", "<<", "a=(", "[[ x", ";;"])
def test_a_script_that_cannot_be_followed_is_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(SymparamError) as caught:
        read(tmp_path, f"{text}\n")
    assert "\n" not in message(caught.value)
    assert len(message(caught.value)) < 400


#: Commands of each kind; with any of their words taken away, twice there or exchanged with the
#: next one, some are still commands and others are none, which the shell itself says.
COMMANDS = ("if a; then b; fi", "if a; then b; elif c; then d; else e; fi", "a; b & c",
            "case x in y) z;; w|v) u;; esac", "for i in 1 2; do x; done", "for i; do x; done",
            "while a; do b; done", "f() { x; }", "function f { x; }", "{ x; }", "( x )",
            "[[ a == b ]]", "a && b || c", "! a", "x=1 y", "a | b", "a > b 2>&1")
PARTS = re.compile(r"\[\[|\]\]|;;|&&|\|\||2>&1|[();|&{}]|[^\s();|&]+")
#: Taken by bash and not here: no script says so.
UNHEARD = {"!", "[[ a == ]] b"}


def altered(text: str) -> Iterator[str]:
    parts = PARTS.findall(text)
    yield text
    for i, part in enumerate(parts):
        yield " ".join(parts[:i] + parts[i + 1:])
        yield " ".join([*parts[:i], part, *parts[i:]])
        yield " ".join([*parts[:i], *reversed(parts[i:i + 2]), *parts[i + 2:]])


@together("end", ["2 > log", "2 2> log", "2 >log 2>&1", "2 >> log < in", "2 1>&2 | tee x"])
def test_a_number_before_a_sign_is_a_value_unless_it_is_written_to_it(end: str) -> None:
    assert options(f"torchrun train.py {SIDES} {REST} --num-query-groups {end}")[
        "num-query-groups"] == options(f"torchrun train.py {SIDES} {REST} --num-query-groups 2")[
        "num-query-groups"]


#: Conditions on two sides, as a shell compares them.
COMPARED = [form.format(sign) for form, signs in (
    ("[ $X {} $Y ]", ("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "=", "!=")),
    ("[[ $X {} $Y ]]", ("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "=", "==", "!=")),
    ("(( X {} Y ))", ("==", "!=", "<", "<=", ">", ">="))) for sign in signs]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to ask")
@pytest.mark.parametrize("sides", [(3, 12), (12, 12), (12, 3)])
def test_a_comparison_holds_where_the_shell_says_so(sides: tuple[int, int]) -> None:
    """As words, 12 is before 3."""
    begun = "X={}\nY={}\n".format(*sides)
    said = subprocess.run(["bash", "-c", begun + "\n".join(
        f"{each} && echo yes || echo no" for each in COMPARED)], capture_output=True, text=True,
        check=True).stdout.split()
    for each, answer in zip(COMPARED, said, strict=True):
        model = options(f'{begun}if {each}; then A="--num-experts 8"; fi\n{LAUNCH} $A')
        assert ("num-experts" in model) == (answer == "yes"), each


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to ask")
@together("text", COMMANDS)
def test_a_command_is_one_where_the_shell_says_so(text: str) -> None:
    for each in sorted(set(altered(text)) - {""}):
        said = subprocess.run(["bash", "-n", "-c", each], capture_output=True, check=False)
        try:
            parse(each)
        except ValueError:
            assert said.returncode or each in UNHEARD, each
        else:
            assert said.returncode == 0, each


def test_a_sign_that_is_escaped_is_itself_and_an_escaped_end_of_line_is_nothing() -> None:
    for text in (LAUNCH.replace("--hidden-size", "--hidden-\\\nsize"),
                 LAUNCH.replace("--hidden-size", r"\-\-hidden\-si\ze"),
                 LAUNCH.replace("--hidden-size", '"--hidden-\\\nsize"')):
        assert options(text) == options(LAUNCH)
    with pytest.raises((ValueError, SymparamError), match="line 3"):
        parse('x \\\ny\nB="y')


#: A word that is there, one that is empty, one that nobody knows, and whether each is there.
WORDS = (((Piece("y"),), {True}), ((Piece(""),), {False}), ((Piece("y", "line 3"),), {True, False}))


@pytest.mark.parametrize(("sign", "joined"), [("-a", all), ("&&", all), ("-o", any), ("||", any)])
def test_a_condition_in_doubt_is_what_all_of_its_answers_are(sign: str, joined: Any) -> None:
    for (left, one), (right, two), turned in product(WORDS, WORDS, (False, True)):
        test = [(Piece("-z" if turned else "-n"),)]
        found = holds([*test, left, (Piece(sign),), *test, right])
        answers = {joined((a != turned, b != turned)) for a, b in product(one, two)}
        assert found == (answers.pop() if len(answers) == 1 else None), (left, right, turned)


def followed(text: str) -> tuple[dict[str, list[list[str]]], set[str]]:
    """The words of a drawn script's commands by their numbers, and which are in doubt."""
    follower, found, doubtful = Follower(), defaultdict[str, list[list[str]]](list), set[str]()
    follower.follow(text)
    for each in follower.given:
        show, number, *rest = map(written, each.words)
        assert show == "show"
        if each.doubt or any(map(doubt_of, each.words)):
            doubtful.add(number)
        found[number].append(rest)
    return found, doubtful


@quick
@given(texts=st.lists(st.text(" ab", max_size=4), min_size=1, max_size=3),
       between=st.lists(st.sampled_from(["", "p", '"q"', "''", '""']), min_size=4, max_size=4))
@example(texts=["a "], between=["", '"q"', "", ""])
@example(texts=[" a", "b "], between=["p", "", '"q"', ""])
@example(texts=["", "a "], between=["''", "", "''", ""])
def test_variables_in_a_word_are_split_as_what_they_say_is(
        texts: list[str], between: list[str]) -> None:
    """Where they stand beside each other, and beside what has no space; nothing in quotation marks
    is something of no length."""
    named = [f'X{i}="{text}"\n' for i, text in enumerate(texts)]
    word = between[0] + "".join(f"${{X{i}}}{between[i + 1]}" for i in range(len(texts)))
    said = between[0] + "".join(map(str.__add__, texts, between[1:]))
    words = [each.replace("\0", "") for each in said.replace('""', "\0").replace(
        "''", "\0").replace('"', "").split()]
    assert followed(f"{''.join(named)}show 1 {word}\n")[0] == {"1": [words]}


def compared(seed: int, most: int) -> tuple[int, int]:
    """How many commands of drawn scripts are as bash has them, and how many are in doubt."""
    drawn, same, left = [scripts.Drawn(1000 * seed + i).script() for i in range(most)], 0, 0
    for text, said in zip(drawn, scripts.in_bash(drawn), strict=True):
        found, doubtful = followed(text)
        for number in {*found, *said} - doubtful:
            assert found.get(number, []) == said.get(number, []), f"show {number} of:\n{text}"
            same += 1
        left += len(doubtful)
    return same, left


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to ask")
@settings(quick, max_examples=2)
@given(seed=st.integers(0, 10**6))
def test_a_drawn_script_hands_over_what_bash_does(seed: int) -> None:
    """Word by word; what is said to be in doubt is left out, and is little."""
    same, left = compared(seed, 40)
    assert same > 80
    assert left < same / 4


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to ask")
@pytest.mark.parametrize(("name", "wrong"), [
    ("words.split", lambda text: [tuple(text)]), ("words.value_of_sum", lambda text, number_of: 7),
    ("conditions.both", lambda left, right: left)])
def test_a_script_that_is_followed_wrongly_is_noticed(
        name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"symparam.descriptions.shell.{name}", wrong)
    with pytest.raises(AssertionError, match="show"):
        compared(1, 40)
