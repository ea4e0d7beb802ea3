"""A seeded sample of mistakes over all packages, and how many of them the suite notices."""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.mutate import Mutation, in_function, mutations
from tests.mutants.record import Record, recorded
from tests.mutants.runs import Runs
from tests.mutants.sample import package, sample

#: Mistakes that change nothing that can be observed, each with why: file, line, mistake, reason.
EQUIVALENT = Path(__file__).with_name("equivalent.json")

#: Noticed by a test; by lint or types alone, which go first in the everyday command.
NOTICED = ("killed", "unclean")

#: So many seconds' worth of the quickest tests of a line go first.
FIRST = 5.0
#: So many seconds' worth of those that run another line of the file, after all that run the line:
#: what is kept from one test to the next is run by the first alone. (A line of no function is run
#: when its module is loaded: what uses it is one of the others.)
OTHERS = 30.0


def main() -> int:
    """Sample, run, and print the figure by package; 1 where a tenth or more goes unnoticed."""
    options = _options()
    record = recorded(options.tests_alone)
    chosen = _again(record, options.again.read_text("utf-8")) if options.again else _sample(
        record, options.only, options.count, options.seed)
    verdicts: list[tuple[str, Mutation, str]] = []
    copies: SimpleQueue[Runs] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.workers) as pool:
        for i in range(options.workers):
            copies.put(Runs(Path(shutil.copytree(record.copy, Path(folder, str(i))))))

        def judged(case: tuple[str, Mutation]) -> tuple[str, Mutation, str]:
            runs = copies.get()
            try:
                return *case, _verdict(record, runs, *case, most=options.most)
            finally:
                copies.put(runs)

        for file, mistake, verdict in pool.map(judged, chosen):
            verdicts.append((file, mistake, verdict))
            print(f"{verdict:10} {file}:{mistake.line} {mistake.kind}", flush=True)
            if verdict not in NOTICED:
                print(_shown(record, file, mistake), flush=True)
        for _ in range(options.workers):
            copies.get().close()
    return _report(verdicts)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many mistakes (100)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--only", default="symparam/", help="files whose path begins so; "
                        "PATH:LINE for all mistakes of one line")
    parser.add_argument("--most", type=float, default=math.inf, metavar="SECONDS", help="of the "
                        "tests that run a line, no more than take so long (without it, all tests)")
    parser.add_argument("--again", type=Path, metavar="LOG", help="those that an earlier run's "
                        "output has as survived, in place of a sample")
    parser.add_argument("--tests-alone", action="store_true", help="the package as it was recorded "
                        "last, with the tests of now; what is older in it is said")
    return parser.parse_args()


def _sample(record: Record, only: str, count: int, seed: int) -> list[tuple[str, Mutation]]:
    """Those drawn, or all of one line."""
    prefix, _, line = only.partition(":")
    files = {str(path.relative_to(record.copy)): path.read_bytes()
             for path in sorted(record.copy.glob("symparam/**/*.py"))}
    files = {file: source for file, source in files.items() if file.startswith(prefix)}
    if line:
        return [(file, each) for file, source in files.items() for each in mutations(source)
                if each.line == int(line)]
    return sample(files, count, seed)


def _again(record: Record, log: str) -> list[tuple[str, Mutation]]:
    """The mistakes of an earlier run that survived, where their lines are as they were."""
    found = list[tuple[str, Mutation]]()
    for file, line, kind, shown in re.findall(
            r"^survived +(\S+):(\d+) (\w+)\n((?:    [-+] .*\n?)+)", log, re.M):
        same = [each for each in mutations((record.copy / file).read_bytes())
                if each.kind == kind and _shown(record, file, each) == shown.rstrip("\n")]
        found += [(file, min(same, key=lambda each: abs(each.line - int(line))))] if same else []
    return found


def _verdict(record: Record, runs: Runs, file: str, mistake: Mutation, most: float) -> str:
    """``killed`` by a test, ``unclean`` where lint or types alone notice it, ``survived``, or
    ``known`` where it is said to change nothing."""
    source = (record.copy / file).read_bytes()
    line = source.split(b"\n")[mistake.line - 1].decode().strip()
    known = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    if [file, line, mistake.kind, mistake.text] in [each[:4] for each in known]:
        return "known"
    (runs.copy / file).write_bytes(mistake.apply(source))
    try:
        if any(not _passes(runs, names, record.took)
               for names in _batches(record, file, mistake.line, most)):
            return "killed"
        return "survived" if runs.is_clean() else "unclean"
    finally:
        shutil.copy2(record.copy / file, runs.copy / file)  # with its time: what is compiled fits


def _batches(record: Record, file: str, line: int, most: float) -> Iterator[list[str]]:
    """Tests in the order in which they are likely to notice; no test twice."""
    covering, done = record.covering(file, line), set[str]()
    within = in_function((record.copy / file).read_bytes(), line)
    others = _within(record.touching(file), record.took, OTHERS if within else 2 * most)
    alike = [] if within else spread(record.called_alike(file))
    for more, seconds in ((covering, FIRST), (record.naming(file), FIRST),
                          (record.reading, OTHERS), (spread(covering), most - FIRST),
                          (others, math.inf), (alike, OTHERS),
                          (record.everything if most == math.inf else [], math.inf)):
        batch = _within([name for name in more if name not in done], record.took, seconds)
        done.update(batch)
        yield batch


def spread(names: Iterable[str]) -> list[str]:
    """A case of each test first, then the second of each: cases of one test notice the same.

    >>> spread(["a[1]", "a[2]", "b", "a[3]", "c[1]"])
    ['a[1]', 'b', 'c[1]', 'a[2]', 'a[3]']
    """
    before, ranked = Counter[str](), list[tuple[int, str]]()
    for name in names:
        ranked.append((before[name.partition("[")[0]], name))
        before[name.partition("[")[0]] += 1
    return [name for _, name in sorted(ranked, key=lambda pair: pair[0])]


def _within(names: Iterable[str], took: dict[str, float], seconds: float) -> list[str]:
    """As many, from the beginning, as take so long together."""
    found = list[str]()
    for name in names:
        if seconds <= 0:
            break
        found.append(name)
        seconds -= took[name]
    return found


def _passes(runs: Runs, names: list[str], took: dict[str, float]) -> bool:
    if not names:
        return True
    order = runs.copy / "order.txt"
    order.write_text("\n".join(names), encoding="utf-8")
    files = sorted({name.partition("::")[0] for name in names})
    patience = 60 + 10 * sum(took[name] for name in names)
    return runs.passes(["-x", *files], patience, SYMPARAM_TESTS=str(order))


def _shown(record: Record, file: str, mistake: Mutation) -> str:
    """The line before and after."""
    source = (record.copy / file).read_bytes()
    first = source.rfind(b"\n", 0, mistake.start) + 1
    last = source.find(b"\n", mistake.end)
    old, new = source[first:last].decode(), mistake.apply(source)[
        first:last + len(mistake.text.encode()) - (mistake.end - mistake.start)].decode()
    return "\n".join([*(f"    - {line.strip()}" for line in old.splitlines()),
                      *(f"    + {line.strip()}" for line in new.splitlines())])


def _report(verdicts: list[tuple[str, Mutation, str]]) -> int:
    counts: dict[str, Counter[str]] = {}
    for file, _, verdict in verdicts:
        counts.setdefault(package(file), Counter())[verdict] += 1
    print(f"\n{'package':14}{'killed':>8}{'unclean':>9}{'survived':>10}{'equivalent':>12}")
    for name in sorted(counts):
        own = counts[name]
        print(f"{name:14}{own['killed']:8}{own['unclean']:9}{own['survived']:10}"
              f"{own['known']:12}")
    noticed = sum(own[verdict] for own in counts.values() for verdict in NOTICED)
    told = noticed + sum(own["survived"] for own in counts.values())
    print(f"{noticed} of {told} noticed: {100 * noticed / max(told, 1):.1f} %, "
          f"{sum(own['unclean'] for own in counts.values())} of them by lint and types alone")
    return 0 if noticed >= 0.9 * told else 1


if __name__ == "__main__":
    raise SystemExit(main())
