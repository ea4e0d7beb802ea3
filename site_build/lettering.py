"""A long table whose rows are in order, parted by the letters that they begin with."""

from __future__ import annotations

import re
from itertools import groupby

_TABLE = re.compile(r"(?P<head>^\|.*\n\|[ :|-]+\n)(?P<rows>(?:\|.*\n)+)", re.MULTILINE)


def lettered(text: str) -> str:
    """Markdown whose tables are parted: a heading and a table for each letter.

    >>> print(lettered("| a |\\n| --- |\\n| bert |\\n| gpt2 |\\n").replace("\\n\\n", "\\n"))
    <BLANKLINE>
    ## B
    <div class="lettered" markdown>
    | a |
    | --- |
    | bert |
    </div>
    ## G
    <div class="lettered" markdown>
    | a |
    | --- |
    | gpt2 |
    </div>
    <BLANKLINE>
    """
    return _TABLE.sub(_parted, text)


def _parted(table: re.Match[str]) -> str:
    rows = groupby(table["rows"].splitlines(keepends=True), lambda row: row.strip("| ")[0].upper())
    return "".join(f'\n## {letter}\n\n<div class="lettered" markdown>\n\n'
                   f'{table["head"]}{"".join(found)}\n</div>\n' for letter, found in rows)
