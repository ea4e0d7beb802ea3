"""Names of dims in a line of words, as the symbols that they are."""

from __future__ import annotations

import re

from symparam import expression as ex
from symparam.dims import known_dims
from symparam.writers.document import Math, Span

_NAME = re.compile(r"(?<![\w.])[A-Za-z]+_\w+(?![\w.])", re.ASCII)


def with_dims(words: str) -> tuple[Span, ...]:
    """Words with each name of a dim that is no plain word as a symbol.

    >>> with_dims("d_head from 64 to 128")
    (Math(left=Sym(name='d_head'), relation='', right=None), ' from 64 to 128')
    >>> with_dims("L and none_such")
    ('L and none_such',)
    """
    known, found, at = {dim.name for dim in known_dims()}, list[Span](), 0
    for name in _NAME.finditer(words):
        if name[0] in known:
            found += [words[at:name.start()], Math(ex.Sym(name[0]))]
            at = name.end()
    return tuple(span for span in (*found, words[at:]) if span != "") or (words,)
