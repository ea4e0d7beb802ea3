"""Random descriptions, command lines and calls, each with what an independent enumerator says.

``python -m tests.fuzzed NUMBER [SEED]`` runs as many and prints how many were answered.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from symparam.api import Model, load
from symparam.cli.main import run
from symparam.errors import SymparamError
from tests.oracle import enumerated as oracle

#: A call is to take no longer, in seconds of its own work.
MOST_SECONDS = 2.0

#: Published models as the enumerator has them.
PUBLISHED: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "llama-2-7b": ({"blocks": [{"attention": "mha", "ffn": "swiglu"}]}, {
        "V": 32000, "L": 32, "d_model": 4096, "n_heads": 32, "n_kv": 32, "d_ff": 11008}),
    "gemma-3-1b": ({"tied": True, "blocks": [{
        "attention": "gqa", "ffn": "geglu", "per_block": 4, "qk_norm": True,
        "window": {"size": 512, "except": {"every": 6, "from": 5}}}]}, {
        "V": 262144, "L": 26, "d_model": 1152, "n_heads": 4, "n_kv": 1, "d_head": 256,
        "d_ff": 6912}),
    "mixtral-8x7b": ({"blocks": [{"attention": "gqa", "ffn": "moe"}]}, {
        "V": 32000, "L": 32, "d_model": 4096, "n_heads": 32, "n_kv": 8, "d_expert": 14336,
        "n_experts": 8, "top_k": 2}),
    "gemma-2-2b": ({"tied": True, "blocks": [{
        "attention": "gqa", "ffn": "geglu", "per_block": 4,
        "window": {"size": 4096, "layers": {"every": 2}}}]}, {
        "V": 256000, "L": 26, "d_model": 2304, "n_heads": 8, "n_kv": 4, "d_head": 256,
        "d_ff": 9216}),
}


@dataclass
class Tally:
    """What became of the calls."""

    answered: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        return self.answered + self.refused

    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {n}" for name, n in sorted(self.kinds.items()))
        return (f"{self.calls} calls: {self.answered} answered, {self.refused} refused "
                f"({len(self.missed)} of them though there is an answer), {len(self.wrong)} wrong, "
                f"{len(self.broken)} with a traceback, {len(self.slow)} over {MOST_SECONDS} s "
                f"({kinds})")


def pattern(r: random.Random, depth: int) -> Any:
    """Some layers: every so many, or a list; never all of them."""
    if r.random() < 0.8:
        step = r.randint(2, 6)
        found: dict[str, int] = {"every": step, "from": r.randrange(min(step, depth))}
        if r.random() < 0.1:
            found["to"] = r.randint(found["from"] + 1, depth)
        return found
    return sorted(r.sample(range(depth), r.randint(1, depth - 1)))


def block(r: random.Random, depth: int, kind: str) -> dict[str, Any]:
    """A block; its window is in place, by a pattern, or none."""
    found: dict[str, Any] = {
        "attention": kind, "ffn": r.choice(["mlp", "swiglu", "geglu", "moe"]),
        "norm": r.choice(["rmsnorm", "layernorm"]), "per_block": r.choice([1, 2, 2, 4]),
        "bias": [site for site in ("qkv", "attn-out") if r.random() < 0.2],
        "qk_norm": r.random() < 0.2}
    if found["ffn"] != "moe" and r.random() < 0.2:
        found["bias"].append("ffn")
    chance = r.random()
    if chance < 0.3:
        found["window"] = r.choice([4, 16, 128])
    elif chance < 0.6:
        key = r.choice(["layers", "except"])
        found["window"] = {"size": r.choice([4, 16, 128]), key: pattern(r, depth)}
    return found


def described(r: random.Random) -> tuple[dict[str, Any], dict[str, int]]:
    """An architecture and its numbers."""
    depth, heads = r.randint(6, 40), r.choice([2, 4, 8])
    kind = r.choice(["mha", "gqa", "mqa"])
    dims = {"V": r.randint(50, 50000), "L": depth, "n_heads": heads,
            "d_model": heads * 6 * r.randint(1, 40), "d_ff": r.randint(8, 4000)}
    if kind == "gqa":
        dims["n_kv"] = r.choice([n for n in (1, 2, 4, 8) if heads % n == 0])
    if r.random() < 0.5:
        dims["d_head"] = 2 * r.randint(1, 64)
    if r.random() < 0.4:
        blocks = [{**block(r, depth, kind), "name": "one", "layers": pattern(r, depth)},
                  {**block(r, depth, kind), "name": "two", "layers": "rest"}]
    else:
        blocks = [block(r, depth, kind)]
    if any(each["ffn"] == "moe" for each in blocks):
        dims |= {"n_experts": r.randint(4, 32), "top_k": r.randint(1, 4),
                 "d_expert": r.randint(4, 500)}
        if r.random() < 0.5:
            dims["n_shared"] = r.randint(1, 3)
    if all(each["ffn"] == "moe" for each in blocks):
        del dims["d_ff"]
    arch: dict[str, Any] = {"blocks": blocks, "tied": r.random() < 0.5,
                            "positions": r.choice(["rope", "learned", "none"]),
                            "final_norm": r.choice(["rmsnorm", "layernorm", False])}
    if arch["positions"] == "learned":
        dims["n_ctx"] = r.randint(8, 4096)
    return arch, dims


def as_file(arch: dict[str, Any], dims: dict[str, int]) -> dict[str, Any]:
    """The description of an architecture."""
    blocks = []
    for each in arch["blocks"]:
        own = {key: each[key] for key in ("name", "layers") if key in each}
        attention = {"kind": each["attention"], "qk_norm": each["qk_norm"],
                     "bias": [site for site in each["bias"] if site != "ffn"]}
        if "window" in each:
            attention["window"] = each["window"]
        ffn: dict[str, Any] = {"kind": each["ffn"]}
        if "ffn" in each["bias"]:
            ffn["bias"] = True
        blocks.append({**own, "attention": attention, "ffn": ffn,
                       "norm": {"kind": each["norm"], "per_block": each["per_block"]}})
    model = {key: arch[key] for key in ("tied", "positions", "final_norm")}
    return {"name": "fuzzed", "dims": dims, "model": model, "blocks": blocks}


@dataclass
class Subject:
    """An architecture: as the command line names it, loaded, and as the enumerator has it."""

    reference: str
    arch: dict[str, Any]
    dims: dict[str, int]
    model: Model | None


def subjects(r: random.Random, folder: Path) -> Iterator[Subject]:
    """Published models and descriptions, each for a few calls."""
    path = folder / "fuzzed.json"
    while True:
        if r.random() < 0.25:
            name = r.choice(list(PUBLISHED))
            arch, dims = PUBLISHED[name]
            yield Subject(name, arch, dict(dims), load(name))
            continue
        arch, dims = described(r)
        path.write_text(json.dumps(as_file(arch, dims)))
        try:
            model = load(str(path))
        except SymparamError:
            model = None
        yield Subject(str(path), arch, dims, model)


def changes(r: random.Random, subject: Subject) -> dict[str, int]:
    """Some dims given anew."""
    found = {}
    if r.random() < 0.7:
        found["L"] = r.randint(6, 90)
    if r.random() < 0.3:
        found["V"] = r.randint(1, 10**6)
    if r.random() < 0.3:
        found["d_model"] = subject.dims["n_heads"] * 6 * r.randint(1, 60)
    if r.random() < 0.1 and "n_shared" in subject.dims:
        found["n_shared"] = r.randint(1, 4)
    if r.random() < 0.05:
        found["n_heads"] = r.randint(1, 9)
    return found


def silent(words: list[str]) -> tuple[int, str]:
    """A command line, with its answer."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    if "Traceback" in err.getvalue() or (code == 2 and len(err.getvalue().splitlines()) > 12):
        raise RuntimeError(err.getvalue()[-500:])
    return code, out.getvalue()


def wanted(subject: Subject, given: dict[str, int]) -> tuple[int, int, dict[int, int]] | None:
    """Parameters, active ones and caches by the enumerator; None where it knows no answer."""
    dims = {**subject.dims, **given}
    try:
        if not oracle.kinds_present(subject.arch, dims["L"]):
            return None
        return (oracle.parameters(subject.arch, dims),
                oracle.parameters(subject.arch, dims, active=True),
                {s: oracle.cache(subject.arch, dims, s) for s in (1, 10, 1000)})
    except oracle.NotWhole:
        return None


def asked(r: random.Random, subject: Subject, given: dict[str, int],
          ) -> tuple[str, str, Any, Any] | None:
    """One call: its kind, its words, the answer (None where it is refused) and what is right."""
    right = wanted(subject, given)
    words = [subject.reference, *(f"{k}={v}" for k, v in given.items())]
    kind = r.choices(["count", "api", "cache", "evaluate", "sweep", "solve", "junk"],
                     [24, 124, 24, 16, 1, 1, 10])[0]
    text = f"{kind} {' '.join(words)}"
    if kind == "junk":
        mixed = [*words, r.choice(["L=0", "q=?", "--json=1", "d_model=1e9.5", "window=", "L=-3"])]
        r.shuffle(mixed)
        silent([r.choice(["count", "cost", "solve", "derive"]), *mixed])
        return kind, text, None, None
    model = subject.model
    if model is None:
        return kind, text, None, right and right[0]
    if kind == "count":
        code, out = silent(["count", *words, "--json"])
        if code:
            return kind, text, None, right and right[0]
        data = json.loads(out)
        active = (data["active"] or {"all": data["total"]})["all"]
        return kind, text, (data["total"], active), right and right[:2]
    try:
        if kind == "api":
            return kind, text, model.count(**given), right and right[0]
        if kind == "cache":
            s = r.choice([1, 10, 1000])
            return kind, text, model.quantity("kv_cache", s=s, **given), right and right[2][s]
        if kind == "evaluate":
            depths = [given.get("L", subject.dims["L"]), r.randint(6, 90)]
            rest = {name: n for name, n in given.items() if name != "L"}
            both = [wanted(subject, {**given, "L": depth}) for depth in depths]
            found = model.evaluate(L=np.array(depths), **rest).tolist()
            return kind, text, found, [b[0] for b in both if b] if all(both) else None
        if kind == "sweep":
            code, out = silent(["sweep", *(w for w in words if not w.startswith("L=")), "L=12,13",
                                "--format", "jsonl"])
            if code:
                return kind, text, None, None
            found = {row["L"]: row["P"] for row in map(json.loads, out.splitlines())}
            both = {depth: wanted(subject, {**given, "L": depth}) for depth in found}
            return kind, text, found, {depth: b[0] for depth, b in both.items() if b}
        if right is None or "L" not in given or oracle.named_beyond(subject.arch, given["L"]):
            return None
        code, out = silent(["solve", *(w for w in words if not w.startswith("L=")), "L=?",
                            f"P={right[0]}", "--json"])
        found = {c["P"] for c in json.loads(out)["configurations"]} if code in {0, 1} else None
        return kind, text, found and (right[0] in found), True
    except SymparamError as error:
        return kind, f"{text}: {error}", None, right and right[0]


def fuzz(number: int, seed: int, tally: Tally | None = None) -> Tally:
    """So many calls."""
    r, tally = random.Random(seed), tally or Tally()
    with tempfile.TemporaryDirectory() as folder:
        every = subjects(r, Path(folder))
        while tally.calls < number:
            subject = next(every)
            for _ in range(16):
                given = changes(r, subject)
                start = time.process_time()
                try:
                    result = asked(r, subject, given)
                except Exception as error:  # what the command line would show as a traceback
                    tally.broken.append(f"{subject.arch} {subject.dims} {given}: {error!r}")
                    tally.refused += 1
                    continue
                took = time.process_time() - start
                if result is None:
                    continue
                kind, text, answer, right = result
                tally.kinds[kind] += 1
                if took > MOST_SECONDS:
                    tally.slow.append(f"{took:.1f} s: {text}")
                if answer is None:
                    tally.refused += 1
                    named = subject.model is None or oracle.named_beyond(
                        subject.arch, 6 if kind == "evaluate" else given.get(
                            "L", subject.dims["L"]))
                    tally.missed += [text] if right is not None and not named else []
                    continue
                tally.answered += 1
                if answer != right:
                    tally.wrong.append(f"{text} {subject.arch} {subject.dims}: {answer}, not "
                                       f"{right}")
    return tally


if __name__ == "__main__":
    calls = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    total = Tally()
    for part in range(1, 11):
        fuzz(calls * part // 10, first + part, total)
        print(total, flush=True)
    for line in [*total.wrong, *total.broken, *total.slow, *total.missed[:9]][:60]:
        print(line[:1000])
