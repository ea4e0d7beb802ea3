"""The command: run, and add up."""

from __future__ import annotations

import argparse
import json
import os
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.differential.survey import table
from tests.differential.survey.apart import each_apart
from tests.differential.survey.one import HELD, TRACE, by_cpu_time, held_against
from tests.differential.survey.types import TEN, USUAL, every, points_of

#: What is said of a type whose class builds it by its defaults: that there is no trace is ours.
OURS = ("time that was given", "does not build as it is given", "has no tensors",
        "of which no rule was found")


def measured(model_type: str) -> dict[str, Any]:
    """A line on a model type; what it says where it does not build or has no class."""
    from symparam.tracing.searching.probing import TraceError
    from symparam.tracing.sources.targets import find_target

    by_cpu_time()
    start = time.process_time()
    line: dict[str, Any] = {"points": points_of(model_type)}
    try:
        line |= held_against(find_target(f"transformers:{model_type}", {}), points_of(model_type))
    except TraceError as error:
        ours = any(words in error.problem for words in OURS)
        line["failed" if ours else "unbuilt"] = error.problem
    except Exception as error:  # (a survey goes on: the line says what happened)
        line["failed"] = f"{type(error).__name__}: {str(error)[:300]}"
    return line | {"all_cpu": round(time.process_time() - start, 2)}


def limit_of(model_type: str) -> float:
    """Seconds of CPU for a type, its target and its points too."""
    return 60 + TRACE + 2 * HELD * points_of(model_type) / USUAL


def libraries() -> None:
    """Import what all have in common, once."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch

    from tests.differential.survey.vision import declare_operators

    torch.set_num_threads(1)
    declare_operators()
    import transformers.models.auto.modeling_auto

    from symparam.tracing.sources import targets

    targets.find_target("transformers:llama", {})
    transformers.utils.logging.set_verbosity(100)


def main() -> None:
    """Run what is left, a line a type."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.survey",
                                     description=__doc__)
    parser.add_argument("out", type=Path, help="a file of lines of JSON, which grows; it "
                        "may begin as a copy of tests/data/trace_survey.jsonl")
    parser.add_argument("types", nargs="*", help="model types; all, where none is named")
    parser.add_argument("--ten", action="store_true", help="the ten types that CI runs")
    parser.add_argument("--again", action="store_true", help="what is named, even if OUT has it")
    parser.add_argument("--keep", action="store_true",
                        help="run nothing: make the record and the page of OUT")
    parser.add_argument("--processes", type=int, default=1, help="how many at a time")
    wanted = parser.parse_args()
    if wanted.keep:
        table.keep(table.read(wanted.out), len(every()), ", ".join(
            f"{name} {version(name)}" for name in ("transformers", "torch", "timm")))
        return
    libraries()
    done = {line["type"] for line in table.read(wanted.out)
            } if wanted.out.exists() and not wanted.again else set[str]()
    types = wanted.types or (list(TEN) if wanted.ten else every())
    lines: dict[str, dict[str, Any]] = {}
    left = [each for each in types if each not in done]
    for model_type, line in each_apart(left, measured, limit_of, wanted.processes):
        with wanted.out.open("a") as file:
            file.write(json.dumps({"type": model_type} | line) + "\n")
        lines[model_type] = {"type": model_type} | line
        print(model_type, line.get("failed") or line.get("unbuilt") or {
            name: line[name] for name in ("sizes", "together", "wrong", "builds", "cpu")},
            flush=True)
    if wanted.ten:
        _judge(list(map(table.compact, lines.values())))


def _judge(lines: list[dict[str, Any]]) -> None:
    """Say what some types came to; one that is not exact ends the command with an error."""
    print("\n".join(table.told(lines)))
    wrong = [line["type"] for line in lines if "unbuilt" in line or not table.exact(line)]
    if wrong:
        raise SystemExit(f"not exact: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
