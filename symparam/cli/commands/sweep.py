"""``symparam sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symparam.cli.arguments import ARCHITECTURE, listed, options, output_kind, output_options, words
from symparam.cli.helped import command
from symparam.cli.output import emit, put, remark
from symparam.cli.progress import Progress
from symparam.cli.request import loaded_model, read
from symparam.cli.said import say
from symparam.cli.setting import SETTING, read_setting, run_words
from symparam.documents.common.foundation import remarks_of
from symparam.quantities import find
from symparam.showable import line

if TYPE_CHECKING:
    from symparam.sweep.sweep import Sweep
    from symparam.sweep.write import Written

#: Formats of rows, by the ending of a file.
ROWS = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}


@command()
@words
@options(ARCHITECTURE)
@click.option("--quantity", "quantities", multiple=True, metavar="NAME[,NAME...]",
              help="What is worked out (repeatable): P, active, kv_cache, flops, weights ... (P)")
@click.option("--invalid", type=click.Choice(["skip", "mark"]), default="skip",
              help="Points that the model cannot have: left out and counted (skip), or kept with "
              "what is wrong (mark).")
@options(SETTING)
@options(output_options(*ROWS.values(), endings=" ".join(ROWS)))
def sweep(**values: Any) -> int:
    """Work out quantities over a grid: L=12:48:4 d_model=512:4096:128 --quantity P,kv_cache.

    KEY=start:stop:step and KEY=a,b,c are axes, both ends included; the last one runs fastest.
    Rules are kept (d_ff=4*d_model). An interrupted sweep to a file goes on when it is started
    again. Exit code 1 when no point of the grid is possible and none is kept by --invalid mark.
    """
    from symparam.sweep.parsing import parted
    from symparam.sweep.sweep import sweep as swept

    kind = output_kind(values, ROWS)
    words = run_words(values)
    if values["keep_ratios"]:
        raise click.UsageError("--keep-ratios is for one point; in a grid give rules, "
                               "d_ff=4*d_model")
    loaded = loaded_model(words, values)
    rest, axes = parted(words, loaded.names if loaded else ())
    first = (f"{name}={numbers[0]}" for name, numbers in axes.items())
    request = read((*rest, *first), values, loaded=loaded)
    asked = listed(values["quantities"]) or ["P"]
    found = swept(request.model, axes, asked, setting=read_setting(values),
                  invalid=values["invalid"])
    remark(request.told_of(*map(find, asked)), values)
    if kind not in ROWS.values():
        from symparam.documents.sweep import SweepView

        view = SweepView(found, request.notation)
        emit(view, kind, values)
        return 0 if view.rows else 1
    written = _write(found, kind, values)
    remark(remarks_of(request.model), values)
    _report(found, written, values)
    return 0 if written.rows else 1


def _write(found: Sweep, kind: str, values: dict[str, Any]) -> Written:
    from symparam.sweep.write import left_behind, stream, write

    path, progress = values["output"], Progress(values["quiet"], "swept")
    if path is None or str(path) == "-":
        return stream(found, kind, put, progress)
    try:
        return write(found, Path(path), kind, force=values["force"], progress=progress)
    except KeyboardInterrupt:
        left = left_behind(Path(path))
        raise KeyboardInterrupt(*([f"what is done is kept in {left}, and the same command goes on"]
                                  if left else [])) from None


def _report(found: Sweep, written: Written, values: dict[str, Any]) -> None:
    """What was written and what was left out, on stderr."""
    from symparam.notation.numbers import several

    lines = [f"taken: {words}" for words in found.assumed_in_words]
    lines += [f"{several(count, 'point')} left out, where this does not hold: {why}"
             for why, count in written.skipped.items()]
    if written.resumed:
        lines.insert(0, f"went on where an earlier run stopped, at {100 * written.resumed:.0f} %")
    remark(tuple(lines), values)
    if not values["quiet"] and values["output"] is not None and str(values["output"]) != "-":
        say(f"wrote {line(str(values['output']))}: {several(written.rows, 'row')}")
