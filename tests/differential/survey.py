"""Model types of transformers, traced one by one, and held against what is built.

By hand: ``python -m tests.differential.survey OUT.jsonl [TYPE ...]``; without types, forty of
those that build by their own defaults, at random, always the same. What OUT has already is left
out; each type has a process of its own with a limit of time.
``python -m tests.differential.survey --sum OUT.jsonl`` adds up.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SEED = "forty types"
COUNT = 40
#: Seconds for a type, and for its trace alone.
LIMIT, SECONDS = 400.0, 240.0
#: Seconds for a single build that a trace is held against.
PATIENCE = 10.0


def shuffled(seed: str = SEED) -> list[str]:
    """Every model type that has a model class, in an order at random."""
    from transformers import CONFIG_MAPPING
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    types = sorted(set(CONFIG_MAPPING.keys()) & set(MODEL_MAPPING_NAMES))
    random.Random(seed).shuffle(types)
    return types


def measured(model_type: str) -> dict[str, Any]:
    """One type: traced, and held against forty points that the tracer has not seen."""
    import torch

    from symparam.tracing import trace
    from symparam.tracing.searching.probing import TooLong, stopped_after
    from symparam.tracing.sources.targets import find_target
    from tests.traces import faults, tensors

    torch.set_num_threads(1)
    target = find_target(f"transformers:{model_type}", {})
    start, cpu = time.monotonic(), time.process_time()
    found = trace(target, seconds=SECONDS)
    line: dict[str, Any] = {
        "type": model_type, "seconds": round(time.monotonic() - start, 2),
        "cpu": round(time.process_time() - cpu, 2), "builds": found.evidence.builds,
        "held_out": found.evidence.held_out, "rows": len(found.rows),
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}

    def made(values: Mapping[Any, Any]) -> Any:
        try:
            with torch.device("meta"), stopped_after(PATIENCE):
                return tensors(target.build(values))
        except TooLong:
            raise ValueError("takes too long") from None
    alone, both, wrong = faults(found, made, model_type)
    moved = [k for k in found.keys if k.kind in ("size", "structure")]
    return line | {"sizes": alone, "together": both, "wrong": len(wrong), "first": wrong[:2],
                   "moved": len(moved),
                   "assumptions": [[a.kind, a.text] for a in found.assumptions],
                   "wall": round(time.monotonic() - start, 2)}


def line_of(model_type: str) -> dict[str, Any]:
    """One type, in a process of its own."""
    try:
        done = subprocess.run([sys.executable, "-m", "tests.differential.survey", "--one",
                               model_type], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {"type": model_type, "failed": f"more than {LIMIT} s"}
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1][:300]
        return {"type": model_type, "unbuilt" if "does not build" in last else "failed": last}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def told(lines: list[dict[str, Any]]) -> str:
    """The figures of a survey."""
    unbuilt = [each["type"] for each in lines if "unbuilt" in each]
    lines = [each for each in lines if "unbuilt" not in each]
    ran = [each for each in lines if "failed" not in each]
    exact = [each for each in ran if not each["wrong"] and each["sizes"] >= 20]
    free = [each for each in exact if not {k for k, _ in each["assumptions"]} - {"switch", "range"}]

    def median(name: str) -> float:
        values = sorted(each[name] for each in ran)
        return float(values[len(values) // 2]) if values else 0.0
    return "\n".join((
        f"left out, since their defaults do not build: {', '.join(unbuilt)}",
        f"{len(lines)} types, {len(ran)} traced, {len(exact)} exact, {len(free)} of them with no "
        "assumption but switches",
        f"median {median('seconds')} s ({median('cpu')} s of CPU), {median('builds'):.0f} builds; "
        f"at most {max((each['rss_mb'] for each in ran), default=0)} MB",
        *(f"  {each['type']}: {each.get('failed') or each['first'] or each['sizes']}"
          for each in lines if each not in exact)))


def main(arguments: list[str]) -> None:
    """Run, or add up."""
    if arguments[0] == "--one":
        print(json.dumps(measured(arguments[1])))
        return
    if arguments[0] == "--sum":
        print(told([json.loads(each) for each in Path(arguments[1]).read_text().splitlines()]))
        return
    out = Path(arguments[0])
    done = {each["type"]: "unbuilt" not in each for each in map(
        json.loads, out.read_text().splitlines() if out.exists() else ())}
    for model_type in arguments[1:] or shuffled():
        if model_type in done:
            continue
        if not arguments[1:] and sum(done.values()) >= COUNT:
            break
        line = line_of(model_type)
        done[model_type] = "unbuilt" not in line
        with out.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(model_type, line.get("failed") or line.get("unbuilt") or {k: line[k] for k in (
            "sizes", "together", "wrong", "first", "builds", "seconds")}, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
