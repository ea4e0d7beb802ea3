"""A search builds the same modules in the same order, whoever makes it again, and finds the same.

What a trace costs is how many modules it builds: more of them are seen here, for targets of every
kind, as is any number that is drawn otherwise, and any rule, check, word or assumption of the file
that a trace is kept in.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest

from symparam.traced.written import toml_of
from symparam.tracing import trace
from symparam.tracing.searching.probing import Prober
from tests import (
    test_trace,
    test_trace_cases,
    test_trace_counted,
    test_trace_decided,
    test_trace_rounding,
    test_trace_staged,
    test_trace_stated,
    test_trace_wholes,
)

MODULES = (test_trace, test_trace_cases, test_trace_counted, test_trace_decided,
           test_trace_rounding, test_trace_staged, test_trace_stated, test_trace_wholes)
#: Targets whose search takes longest.
LEFT_OUT = frozenset("""kinds_of_layer listed shared without_its_last sparse beside stages
    more_levels skipping branched""".split())


def digest(text: str) -> str:
    """A text as a few letters."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def targets(module: ModuleType) -> Iterator[Callable[..., Any]]:
    """The builders of a module: functions of its own all of whose arguments have a default."""
    for name, each in sorted(vars(module).items()):
        if inspect.isfunction(each) and each.__module__ == module.__name__ and not (
                name.startswith(("test", "_")) or name in LEFT_OUT):
            taken = inspect.signature(each).parameters.values()
            if taken and all(one.default is not one.empty for one in taken):
                yield each


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__[11:])
def test_the_course_of_a_search_is_that_of_its_seed(module: ModuleType,
                                                    golden: Callable[[str, str], None],
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple[str, bool]] = []
    plain = Prober._built

    def seen(self: Prober, values: Mapping[Any, Any]) -> Any:
        table = plain(self, values)
        point = sorted((str(path), str(value)) for path, value in values.items())
        built.append((str(point), table is None))
        return table

    monkeypatch.setattr(Prober, "_built", seen)
    lines = ["target builds refused points file\n"]
    for target in targets(module):
        built.clear()
        # (the seal has versions in it)
        kept = toml_of(trace(target, seed=1)).partition("\ndigest = ")[0]
        refused = sum(is_refused for _, is_refused in built)
        points = digest("\n".join(f"{point} {is_refused}" for point, is_refused in built))
        lines.append(f"{target.__name__} {len(built)} {refused} {points} {digest(kept)}\n")
    golden(f"trace-course/{module.__name__[11:]}.txt", "".join(lines))


def test_targets_of_every_kind_are_searched() -> None:
    assert all(any(targets(module)) for module in MODULES)
    assert sum(1 for module in MODULES for _ in targets(module)) >= 50
