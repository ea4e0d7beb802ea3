"""How soon commands begin and end, as ratios to what other programs take in the same minutes.

Every round runs each command once, one after another; of each the least processor time counts, so
that what else the machine does falls on all alike. Run it: ``python -m benchmarks.startup``.

The yardsticks are ``llm-flops estimate llama-2-7b`` (PyPI, llm-flops==0.0.1, where it is installed
beside symparam or in PATH) and ``python -c "import sympy"``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.test_derivations import KINDS, layered
from symparam.derivation.plan import derive
from symparam.symbols import symbol, tag

START = [sys.executable, "-c", "import sys; from symparam.cli.start import main; sys.exit(main())"]
COUNT = "count llama-2-7b --json"
PEER = "llm-flops estimate llama-2-7b"
SYMPY = 'python -c "import sympy"'
DERIVE = "derive llama-2-7b --latex"

#: What is measured, against what, and the ratio that it should not exceed.
RATIOS = ((COUNT, PEER, 1.25), ("--help", COUNT, 1.0), (DERIVE, SYMPY, 1.6))
LAYERS = 2.0


def commands() -> dict[str, list[str]]:
    """Each command by how it is written."""
    found = {words: [*START, *words.split()] for words in (COUNT, "--help", DERIVE)}
    found[SYMPY] = [sys.executable, "-c", "import sympy"]
    beside = Path(sys.executable).with_name("llm-flops")
    peer = str(beside) if beside.exists() else shutil.which("llm-flops")
    return found if peer is None else {**found, PEER: [peer, *PEER.split()[1:]]}


def seconds(command: list[str], bytecode: str) -> float:
    """The processor time of a process from start to exit."""
    kept = {name: value for name, value in os.environ.items()
            if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                               env={**kept, "PYTHONPYCACHEPREFIX": bytecode})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def least(rounds: int) -> dict[str, float]:
    """The least time of each command."""
    known = commands()
    found = dict.fromkeys(known, float("inf"))
    with tempfile.TemporaryDirectory() as bytecode:
        for _ in range(rounds + 1):
            for words, command in known.items():
                found[words] = min(found[words], seconds(command, bytecode))
    return found


def forget() -> None:
    """Let go of what earlier derivations found out; SymPy keeps what it knows."""
    kept = {each for name, module in list(sys.modules.items()) if name.startswith("symparam.")
            for each in vars(module).values() if hasattr(each, "cache_clear")}
    for each in kept - {symbol, tag}:
        each.cache_clear()


def layers(rounds: int) -> dict[str, float]:
    """The least time of a derivation of a hundred layers, alike and of four kinds, which are told
    nothing by those before."""
    models = {kinds: layered(blocks) for kinds, blocks in KINDS.items()}
    found = dict.fromkeys(models, float("inf"))
    for _ in range(rounds + 1):
        for kinds, model in models.items():
            forget()
            begun = time.process_time()
            derive(model)
            found[kinds] = min(found[kinds], time.process_time() - begun)
    return found


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    found, depth = least(rounds), layers(rounds)
    print("| | ms | against | ms | ratio | at most |\n| --- | --: | --- | --: | --: | --: |")
    lines = [(f"`{own}`", found[own], f"`{other}`", found.get(other, 0.0), most)
             for own, other, most in RATIOS]
    lines.append(("derive, 100 layers of four kinds", depth["mixed"], "100 layers alike",
                  depth["uniform"], LAYERS))
    for own, took, other, against, most in lines:
        ratio = f"{took / against:.2f}" if against else "not installed"
        print(f"| {own} | {1000 * took:.0f} | {other} | {1000 * against:.0f} | {ratio} | {most} |")


if __name__ == "__main__":
    main()
