"""Hostile files in numbers, and what became of them.

``python -m tests.fuzz KIND COUNT SEED [SECONDS]``

Each is an answer or a refusal of the package's own; the slowest, the memory and whatever else was
raised are told. Files are good ones that were cut, doubled, joined and strewn with odd pieces.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from symparam.errors import SymparamError

PIECES = (
    b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\n", b"\r\n", b",", b";", b"\t", b'"', b"'",
    b"|", b"&", b"\\\\", b"\\", b"{", b"}", b"[", b"]", b":", b"-1", b"0", b"1e99", b"9" * 400,
    b"7B", b"1,000", b"NaN", b"null", b"true", b"P", b"d_model", b"\x1b[2J", b"\xe2\x80\xae",
    b"=1+1", b"a" * 3000, b"(" * 300, b"$", b"%", b"#", b"<%", b"%>", b"<<", b">>",
    b"\\multicolumn{9}{c}{x}", b"|---|", b"GGUF\x03\x00\x00\x00", b"\xff" * 16, b"2**2**2**9",
    b"L*L", b"\xed\xa0\x80")


def mutated(good: bytes, chance: random.Random) -> bytes:
    """A file with some of its bytes changed for the worse."""
    raw = bytearray(good)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 6))):
        at = chance.randrange(len(raw) + 1)
        to = min(len(raw), at + chance.choice((1, 2, 9, len(raw))))
        match chance.randrange(6):
            case 0:
                raw[at:at] = chance.choice(PIECES)
            case 1:
                raw[at:min(to, at + 40)] = chance.choice(PIECES)
            case 2:
                del raw[at:to]
            case 3:
                raw[at:at] = raw[at:to] * chance.choice((1, 2, 30))
            case 4 if raw:
                raw[min(at, len(raw) - 1)] = chance.randrange(256)
            case _:
                raw[at:at] = chance.choice(PIECES) * chance.choice((1, 3, 500))
    return bytes(raw[:2**18])


def quietly(*words: str | Path) -> str:
    """What becomes of a command line: its exit code."""
    from symparam.cli.main import run

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(word) for word in words])
    if code not in {0, 1, 2} or "Traceback" in err.getvalue():
        raise AssertionError(f"exit code {code}: {err.getvalue()[-300:]}")
    return f"exit {code}"


TABLES = {
    ".csv": b"name,L,d_model,n_heads,d_ff,V,P\nours,12,768,12,3072,50257,124M\n"
            b"b,2,64,4,256,99,1M\n",
    ".md": b"| name | L | d_model | n_heads | d_ff | V | P |\n"
           b"| --- | ---: | ---: | --- | --- | --- | --- |\n"
           b"| **ours** | 12 | 768 | 12 | 3072 | 50,257 | 124M |\n",
    ".tex": b"\\begin{tabular}{lrrrrrr}\n\\toprule\nname & $L$ & d_model & n_heads & d_ff & V & P "
            b"\\\\\n\\midrule\nours & 12 & 768 & 12 & 3{,}072 & 50257 & 124M \\\\\n"
            b"\\multicolumn{7}{l}{x} \\\\\n\\bottomrule\n\\end{tabular}\n"}
TEMPLATE = b"".join((
    b"<% include 'document.md.j2' %><% block own %><< data.model >><% endblock %>",
    b"<% set ns = namespace(x=[1]) %><% for b in document.blocks %><< b.kind|upper ~ 'a' * 9 >>",
    b"<% set ns.x = ns.x + [loop.index] %><% if loop.first and 1 // 2 == 0 %><< ns.x|join(',') >>",
    b"<% endif %><% endfor %><% macro m(a, b=2) %><< a|replace('a', 'bb')|trim >><% endmacro %>",
    b"<< m('aaa') >><< data|tojson(2) >><< 'a b'.split()|sort|first >>"))


def table(folder: Path, chance: random.Random) -> str:
    """A table of printed sizes."""
    ending = chance.choice(sorted(TABLES))
    path = folder / f"sizes{ending}"
    path.write_bytes(mutated(TABLES[ending], chance))
    return quietly("check", path)


@cache
def _counted() -> tuple[Any, Any]:
    from symparam.descriptions.load import load
    from symparam.documents.count import count_document
    from symparam.documents.count_data import count_json, count_model

    result = count_model(load("gpt2"))
    return count_document(result, False), count_json(result, True)


def template(folder: Path, chance: random.Random) -> str:
    """A template of a user's own."""
    from symparam.templating.template import render_template

    path = folder / "own.md.j2"
    path.write_bytes(mutated(TEMPLATE, chance))
    document, data = _counted()
    return f"wrote {bool(render_template(path, document, data))}"


def header(folder: Path, chance: random.Random) -> str:
    """The header of a safetensors file."""
    from symparam.checkpoints.header import read_header

    kinds = {"F32": 2, "BF16": 4, "X": 3}
    drawn = chance.choices(sorted(kinds), (9, 9, 1), k=chance.randrange(9))
    entries: dict[str, Any] = {f"h.{i}.w{i % 3}": {
        "dtype": kind, "shape": [kinds[kind], i],
        "data_offsets": [4 * i * (i - 1), 4 * i * (i + 1)]} for i, kind in enumerate(drawn)}
    room = 4 * len(drawn) * (len(drawn) - 1) if drawn else 0
    if chance.random() < 0.5:
        entries["__metadata__"] = {"format": "pt", "x": "{\"a\": 1}"}
    body = mutated(json.dumps(entries, indent=chance.choice((None, 1))).encode(), chance)
    length = chance.choice((len(body),) * 9 + (0, 2**63, len(body) + 1, 7))
    path = folder / "x.safetensors"
    path.write_bytes(length.to_bytes(8, "little") + body + bytes(
        chance.choice((room, room, room, 0))))
    return f"read {len(read_header(path)) > 0}"


@cache
def _gguf() -> bytes:
    """The header of a small GGUF file, with its tensors."""
    import struct

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    numbers = {"block_count": 2, "embedding_length": 32, "attention.head_count": 2,
               "feed_forward_length": 64, "vocab_size": 96, "rope.freq_base": 9}
    keys = [text("general.architecture") + struct.pack("<I", 8) + text("llama"),
            *(text(f"llama.{name}") + struct.pack("<II", 4, n) for name, n in numbers.items()),
            text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 96) + text("tok") * 96,
            text("tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, 96) + bytes(384),
            text("x") + struct.pack("<IIQ", 9, 9, 1) + struct.pack("<IQ", 0, 3) + bytes(3)]
    rows = [text(f"blk.{i}.attn_q.weight") + struct.pack("<I2QIQ", 2, 32, 32, 8, 1088 * i)
            for i in range(2)]
    return b"GGUF" + struct.pack("<IQQ", 3, len(rows), len(keys)) + b"".join((*keys, *rows))


def gguf(folder: Path, chance: random.Random) -> str:
    """The header of a GGUF file."""
    from symparam.descriptions.gguf.reader import read_gguf

    path = folder / "x.gguf"
    path.write_bytes(mutated(_gguf(), chance) + bytes(chance.choice((4000, 4000, 0))))
    if chance.random() < 0.2:
        return quietly(*chance.choice((("count", path), ("check", "gpt2", path))))
    return f"read {len(read_gguf(path).tensors) > 0}"


READERS = (("x.json", "count {}"), ("x.toml", "derive {}"), ("x.csv", "check {}"),
           ("x.yaml", "count {}"), ("x.sh", "count {}"), ("x.py", "count {}"),
           ("x.gguf", "count {}"), ("x.gguf", "check gpt2 {}"), ("x.safetensors", "check gpt2 {}"),
           ("x.safetensors.index.json", "check gpt2 {}"), ("x.toml", "count gpt2 --notation {}"),
           ("x.md", "docs check {}"), ("x.tex", "check {}"),
           ("x.md.j2", "count gpt2 --template {}"))


def garbage(folder: Path, chance: random.Random) -> str:
    """Bytes of no format, GGUF's beginning before some of them, wherever a path is read."""
    name, line = chance.choice(READERS)
    start = chance.choice((b"", b"GGUF\x03\0\0\0" + b"\xff" * 16, b"{", b"[", b"\x80\x04",
                           b"PK\3\4"))
    path = folder / name
    path.write_bytes(start + chance.choice((
        chance.randbytes(chance.randrange(400)), mutated(b"", chance),
        chance.choice(PIECES) * 999)))
    return quietly(*(word.format(path) for word in line.split()))


@cache
def _stopped() -> tuple[Any, dict[str, bytes]]:
    """A sweep, and the files that it leaves when it is stopped half way."""
    from symparam.descriptions.load import load
    from symparam.sweep.sweep import sweep
    from symparam.sweep.write import write

    def stop(share: float) -> None:
        if share >= 0.5:
            raise KeyboardInterrupt

    found = sweep(load("gpt2"), {"L": range(1, 9)}, block=2)
    with tempfile.TemporaryDirectory() as name:
        with contextlib.suppress(KeyboardInterrupt):
            write(found, Path(name, "x.csv"), "csv", progress=stop)
        return found, {each.name: each.read_bytes()
                       for each in Path(name, ".x.csv.sweep").iterdir()}


def journal(folder: Path, chance: random.Random) -> str:
    """The journal and the rows of a sweep that was interrupted."""
    from symparam.sweep.write import write

    found, files = _stopped()
    path, inner = folder / "x.csv", folder / ".x.csv.sweep"
    inner.mkdir(mode=0o700)
    victim = chance.choice(("journal", "journal", "rows"))
    for name, raw in files.items():
        (inner / name).write_bytes(mutated(raw, chance) if name == victim else raw)
    try:
        write(found, path, "csv")
        lines = path.read_text().splitlines()
        if [line.partition(",")[0] for line in lines] != ["L", *map(str, range(1, 9))]:
            raise AssertionError(f"a damaged file: {lines}")
        return "gone on with"
    finally:
        path.unlink(missing_ok=True)
        shutil.rmtree(inner, ignore_errors=True)


KINDS: dict[str, Callable[[Path, random.Random], str]] = {
    "tables": table, "templates": template, "headers": header, "garbage": garbage,
    "journals": journal, "gguf": gguf}


def _peak() -> int:
    """The MB that this process had at most: getrusage would count what it was started from."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) // 1024 if found else 0


def fuzz(kind: str, count: int, seed: int, seconds: float = 1e9) -> dict[str, Any]:
    """What became of so many files of a kind, of fewer where the time is over."""
    ends: Counter[str] = Counter()
    end = time.monotonic() + seconds
    bad, slowest = list[str](), (0.0, 0)
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            if time.monotonic() > end:
                count = number
                break
            chance = random.Random(f"{seed} {number}")
            start = sum(os.times()[:4])
            try:
                ends[KINDS[kind](Path(name), chance)] += 1
            except SymparamError as error:
                str(error).encode()
                ends["refused"] += 1
            except BaseException as error:
                bad.append(f"{number}: {type(error).__name__} {error}"[:300])
            slowest = max(slowest, (round(sum(os.times()[:4]) - start, 2), number))
    peak = max(_peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
    return {"kind": kind, "count": count, "ends": dict(ends), "bad": bad, "slowest": slowest,
            "MB": peak}


if __name__ == "__main__":
    print(json.dumps(fuzz(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]),
                          *map(float, sys.argv[4:]))))
