"""Certificates of everything, made and shown to the checker and to Coq: what is run now and then.

    python -m tests.certify make FOLDER      # all certificates, as files
    python -m tests.certify check FOLDER     # the checker over all of them, timed
    python -m tests.certify coq FOLDER       # coqc over those of models, timed
    python -m tests.certify mutants --count 500 --seed 1    # false files, shown to coqc
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from symparam.certificate import check
from symparam.certificate.coq import coq_of
from symparam.certificate.coq_words import name_of
from symparam.certificate.of_derivation import derivation_certificate
from symparam.certificate.of_diff import diff_certificate
from symparam.certificate.of_sensitivity import sensitivity_certificate
from symparam.certificate.of_solution import solution_certificate
from symparam.derivation.plan import Derivation, derive
from symparam.descriptions import catalogue
from symparam.descriptions.load import load
from symparam.diff.difference import compare
from symparam.errors import NotDerivable, SymparamError
from symparam.quantities import everything
from symparam.resolve import numbers
from symparam.sensitivity import analyse
from symparam.solve import solve
from tests.misstated import statement_mutants

Data = dict[str, Any]
#: Dense, grouped, a mixture, latent attention, windows, a recurrence, encoders, shared layers.
TEN = ("gpt2", "llama-2-70b", "mixtral-8x7b", "deepseek-v3", "gemma-3-1b", "falcon-mamba-7b",
       "bert-base", "t5-base", "albert-base", "mistral-7b")
#: What Coq says of a proof that does not go through, and not of a file that it cannot read.
AT_A_PROOF = re.compile("not a valid field equation|Unable to unify|Tactic failure|"
                        "No matching clauses|not found in the goal")


def leading(name: str) -> Derivation:
    """The leading term of a model: widths without a relation are taken as they are to d_model."""
    model, assumed = load(name), list[str]()
    while True:
        try:
            return derive(model, assumed, "d_model")
        except NotDerivable as error:
            found = re.search(r"d_model: (.+) (?:is|are) still independent", str(error))
            if found is None:
                raise
            values = numbers(model).values
            assumed += [f"{dim} = {Fraction(values[dim]) / values['d_model']}*d_model"
                        for dim in re.split(", | and ", found[1])]


def derivations() -> Iterator[tuple[str, Callable[[], Data]]]:
    """Every model of the catalogue, plain and by its leading term; every quantity of ten."""
    for name in catalogue.names():
        yield f"derive {name}", lambda name=name: derivation_certificate(derive(load(name)))
        yield f"leading {name}", lambda name=name: derivation_certificate(leading(name))
    for name in TEN:
        for quantity in everything():
            yield f"{quantity} of {name}", lambda name=name, quantity=quantity: (
                derivation_certificate(derive(load(name), quantity=quantity)))


def others(rng: random.Random) -> Iterator[tuple[str, Callable[[], Data]]]:
    """Differences of drawn pairs, closed forms, sensitivities."""
    names = catalogue.names()
    for one, two in (rng.sample(names, 2) for _ in range(150)):
        yield f"diff {one} {two}", lambda one=one, two=two: diff_certificate(
            compare(load(one), load(two)))
    for name in rng.sample(names, 100):
        yield f"solve {name}", lambda name=name: solution_certificate(
            solve(load(name), 7 * 10**9, limit=2))
    for name in rng.sample(names, 200):
        yield f"sensitivity {name}", lambda name=name: sensitivity_certificate(
            analyse(load(name)))


def make(folder: Path) -> None:
    """Write all certificates, and say how many of each kind, and what has none."""
    folder.mkdir(parents=True, exist_ok=True)
    made, none = Counter[str](), Counter[str]()
    for i, (what, certificate) in enumerate([*derivations(), *others(random.Random(1))]):
        try:
            data = certificate()
        except SymparamError as error:
            none[re.sub(r"[\d,.]+", "N", str(error))[:70]] += 1
            continue
        made[data["kind"]] += 1
        (folder / f"{i:04}_{name_of(what)}.json").write_text(json.dumps(data))
    print(f"made: {dict(made)}; closed forms: {_forms(folder)}", flush=True)
    for why, count in none.most_common():
        print(f"none: {count} x {why}")


def _forms(folder: Path) -> int:
    """How many closed forms there are."""
    return sum(len(form["formulas"]) for path in folder.glob("*_solve_*.json")
               for form in json.loads(path.read_text())["body"]["forms"])


def check_all(folder: Path) -> int:
    """The checker over all; how many it does not confirm."""
    taken, refused = list[tuple[float, str]](), 0
    for path in sorted(folder.glob("*.json")):
        text = path.read_bytes()
        began = time.process_time()
        try:
            check.certificate(text)  # type: ignore[no-untyped-call]
        except Exception as error:  # each is said
            refused += 1
            print(f"{path.name}: {type(error).__name__} {error}", flush=True)
        taken.append((time.process_time() - began, path.name))
    print(f"{len(taken)} certificates, {refused} not confirmed, "
          f"{sum(seconds for seconds, _ in taken):.1f} s of checking; the longest: "
          + ", ".join(f"{seconds:.2f} s {name}" for seconds, name in sorted(taken)[-3:]))
    return refused


def coqc(text: str, folder: Path) -> tuple[float, int, str, str]:
    """Coq on a file: seconds of CPU, exit code, what it prints, what it complains of."""
    (folder / "it.v").write_text(text)
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = subprocess.run(["coqc", "-q", "it.v"], cwd=folder, check=False, capture_output=True,
                           text=True, timeout=600)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = now.ru_utime + now.ru_stime - began.ru_utime - began.ru_stime
    return seconds, found.returncode, found.stdout.strip(), found.stderr.strip()


def coq_all(folder: Path) -> int:
    """Coq over the plain and the leading certificates of all models; how many it does not take."""
    wrong, taken = 0, list[tuple[float, str]]()
    with tempfile.TemporaryDirectory() as there:
        for path in sorted(folder.glob("*.json")):
            if not re.match(r"\d+_(derive|leading)_", path.name):
                continue
            seconds, code, said, error = coqc(coq_of(json.loads(path.read_text())), Path(there))
            taken.append((seconds, path.name))
            if (code, said, error) != (0, "Closed under the global context", "") or seconds > 10:
                wrong += 1
                print(f"{path.name}: {code} {said} {error[-300:]} {seconds:.2f} s", flush=True)
            if len(taken) % 50 == 0:
                print(f"{len(taken)} files, {wrong} not taken", flush=True)
    print(f"{len(taken)} files, {wrong} not taken; {sum(s for s, _ in taken):.0f} s of CPU, "
          f"{sum(s for s, _ in taken) / max(len(taken), 1):.2f} s each; the longest: "
          + ", ".join(f"{seconds:.2f} s {name}" for seconds, name in sorted(taken)[-3:]))
    return wrong


def coq_mutants(count: int, seed: int) -> int:
    """Coq on false files; how many it takes, or refuses for how they are written."""
    wrong, kinds = 0, Counter[str]()
    with tempfile.TemporaryDirectory() as there:
        for kind, data in statement_mutants(count, seed):
            _, code, said, error = coqc(coq_of(data), Path(there))
            kinds[kind.partition(" ")[0]] += 1
            if code == 0 or not AT_A_PROOF.search(error):
                wrong += 1
                print(f"{kind}: {code} {said} {error[-300:]}", flush=True)
            if kinds.total() % 10 == 0:
                print(f"{kinds.total()} mutants, {wrong} taken or not read", flush=True)
    print(f"{kinds.total()} mutants (seed {seed}), {wrong} taken or not read: {dict(kinds)}")
    return wrong


def main() -> int:
    """What is asked for; exit code 1 where something is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["make", "check", "coq", "mutants"])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("certificates"))
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.verb == "make":
        make(asked.folder)
        return 0
    if asked.verb == "mutants":
        return min(coq_mutants(asked.count, asked.seed), 1)
    return min((check_all if asked.verb == "check" else coq_all)(asked.folder), 1)


if __name__ == "__main__":
    sys.exit(main())
