"""Parts of a composite that was traced: text, vision, audio, and what joins them.

A configuration inside another describes a part; what follows the keys of one alone is that part,
and what follows those of several (a projector) is one of its own, under its module's name. So is a
parameter of the composite itself (LLaVA-NeXT's ``image_newline``), whichever part's width it has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.traced.names import part_of_path
from symparam.traced.records import Trace, TracedRow
from symparam.traced.worked import TIMES

#: The part that a model itself is.
TEXT = "text"
#: Words around the modules of a model that tell nothing.
_AROUND = frozenset({"model", "base_model", "transformer", "thinker"})

#: Modules that lead from a tower to a language model.
_PROJECTORS = frozenset({"multi_modal_projector", "connector"})


@dataclass(frozen=True)
class Parts:
    """The parts of a trace.

    Attributes:
        rows: the places of each part's rows, by its name.
        modules: the part of each outermost module.
    """

    rows: dict[str, tuple[int, ...]]
    modules: dict[str, str]

    def of(self, pattern: str) -> str:
        """The part that a name belongs to; empty where it belongs to none."""
        return self.modules.get(module_of(pattern), "")


def module_of(pattern: str) -> str:
    """The outermost module of a tensor that tells something.

    >>> module_of("model.vision_tower.encoder.layers.*.q.weight"), module_of("lm_head.weight")
    ('vision_tower', 'lm_head')
    """
    words = pattern.partition(TIMES)[0].split(".")
    return next((word for word in words[:-1] if word not in _AROUND), words[-1])


def _bare(pattern: str) -> bool:
    """Whether it is a parameter of the composite itself."""
    return module_of(pattern) == pattern.partition(TIMES)[0].split(".")[-1]


def parts_of(trace: Trace) -> Parts:
    """The parts of a trace; one that has no configuration inside has none."""
    of_dim = {key.name: part_of_path(key.path) for key in trace.keys if key.kind != "switch"}
    inside = {key.path[0] for key in trace.keys if len(key.path) > 1 and isinstance(
        key.path[1], str)}
    if not inside:
        return Parts({}, {})
    if any(len(key.path) > 1 and of_dim.get(key.name) == TEXT for key in trace.keys):
        of_dim |= {key.name: "" for key in trace.keys if len(key.path) == 1}
    follows: dict[str, set[str]] = defaultdict(set)
    rows: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(trace.rows):
        module = module_of(row.pattern)
        follows[module] |= {of_dim[name] for name in _dims(row) if name in of_dim}
        rows[module].append(place)
    own = {module_of(row.pattern) for row in trace.rows if _bare(row.pattern)}
    named = {module: next(iter(parts)) or module if len(parts) == 1 and module not in own
             else _joint(module) for module, parts in follows.items()}
    found: dict[str, tuple[int, ...]] = {}
    for module, part in named.items():
        found[part] = (*found.get(part, ()), *rows[module])
    return Parts(found, named)


def _joint(module: str) -> str:
    """What a module between parts is called."""
    return "projector" if module in _PROJECTORS else module


def _dims(row: TracedRow) -> Iterator[str]:
    """The dims in a row."""
    for expr in (*row.shape, *row.copies):
        yield from ex.symbols_in(expr)


def only(trace: Trace, part: str) -> Trace:
    """The rows of one part, and what of work is theirs; what is tied to another part is not."""
    parts = parts_of(trace)
    kept = [trace.rows[place] for place in sorted(parts.rows[part])]
    patterns = {row.pattern for row in kept}
    rows = tuple(row if row.tied_to in patterns else replace(row, tied_to=None) for row in kept)
    work = trace.work and replace(trace.work, rows=tuple(
        row for row in trace.work.rows if parts.of(row.pattern) == part))
    return replace(trace, rows=rows, work=work)
