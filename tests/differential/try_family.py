"""Try one lineage by hand: ``python -m tests.differential.try_family qwen 40``."""

from __future__ import annotations

import importlib
import sys
import time

from symparam.errors import SymparamError
from tests.differential.compare import built, difference, listed
from tests.differential.drawn import Undrawn, drawn


def main(lineage: str, count: int) -> int:
    """Draw configurations of each of its model types and print what differs."""
    wrong = 0
    module = importlib.import_module(f"tests.differential.families.{lineage}")
    for model_type in module.DRAWN:
        equal = unbuilt = refused = 0
        start = time.perf_counter()
        for number in range(count):
            try:
                config = drawn(model_type, str(number))
            except Undrawn as error:
                print(error)
                return 1
            try:
                theirs = built(config)
            except Exception as error:
                unbuilt += 1
                print(f"{model_type} {number}: transformers: {type(error).__name__}: "
                      f"{str(error)[:300]}")
                continue
            try:
                ours = listed(config)
            except SymparamError as error:
                refused += 1
                print(f"{model_type} {number}: refused: {error}")
                continue
            lines = difference(ours[0], theirs[0])
            if ours[2] != theirs[2]:
                lines.append(f"trainable: {ours[2]} here, {theirs[2]} there")
            equal += not lines
            if lines:
                wrong += 1
                print(f"{model_type} {number}: {config}", *lines, sep="\n    ")
        seconds = time.perf_counter() - start
        print(f"{model_type}: {equal} equal, {refused} refused, {unbuilt} not built, of {count} "
              f"in {seconds:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], int(sys.argv[2])))
