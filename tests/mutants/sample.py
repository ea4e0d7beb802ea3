"""Which mistakes are tried: a sample by its seed, over all packages."""

from __future__ import annotations

import random
from collections.abc import Mapping

from tests.mutants.mutate import Mutation, mutations


def sample(files: Mapping[str, bytes], count: int, seed: int) -> list[tuple[str, Mutation]]:
    """Mistakes in sources: one of each package first, then each by chance; one a line at most.

    Args:
        files: path and source.
        count: how many.
        seed: which ones.
    """
    draw, packages = random.Random(seed), dict[str, list[tuple[str, Mutation]]]()
    for file, source in files.items():
        if found := mutations(source):
            packages.setdefault(package(file), []).extend((file, each) for each in found)
    for cases in packages.values():
        draw.shuffle(cases)
    order = [cases.pop() for cases in packages.values()]
    rest = [case for cases in packages.values() for case in cases]
    draw.shuffle(rest)
    chosen: dict[tuple[str, int], tuple[str, Mutation]] = {}
    for file, each in order + rest:
        if len(chosen) < count:
            chosen.setdefault((file, each.line), (file, each))
    return list(chosen.values())


def package(file: str) -> str:
    """What a file is counted under.

    >>> package("symparam/diff/terms.py"), package("symparam/api.py")
    ('diff', 'core')
    """
    parts = file.split("/")
    return parts[1] if len(parts) > 2 else "core"
