"""Files that are not there: said before anything runs."""

from __future__ import annotations

from pathlib import Path

from symparam.errors import BadValue, nearest


def refuse_missing(path: Path) -> None:
    """Refuse a file of code that is not there, with what is beside it.

    Raises:
        BadValue: it is no file.
    """
    if path.is_file():
        return
    if path.is_dir():
        raise BadValue("TARGET", str(path), "is a folder: write file.py:Model")
    if not path.parent.is_dir():
        raise BadValue("TARGET", str(path), f"is no file: there is no folder {path.parent}")
    beside = [each.name for each in path.parent.glob("*.py")]
    near = nearest(path.name, beside) or sorted(beside)[:3]
    hint = f": did you mean {' or '.join(str(path.parent / name) for name in near)}?" if near else (
        f": there is no .py file in {path.parent.resolve()}")
    raise BadValue("TARGET", str(path), f"is no file{hint}")


def file_named(target: str) -> Path | None:
    """The file of code that a target names; None where it names something else.

    >>> file_named("mine.py:Model"), file_named("transformers:qwen3")
    (PosixPath('mine.py'), None)
    """
    before, colon, _ = target.rpartition(":")
    return Path(before) if colon and before.endswith(".py") else None
