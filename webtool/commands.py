"""Commands as a command line runs them, in the page's Python: what they print and how they end."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

from symparam.cli.main import run

#: Where a configuration's folder is; a model is named after it.
HOME = Path("/home")
#: What is not here: a hub; what the command line says of that, and what is said here.
os.environ["HF_HUB_OFFLINE"] = "1"
OFFLINE = re.compile(r"(?<=: )[^:;]+, and nothing is fetched while HF_HUB_OFFLINE is set")
PASTE = "this page asks no hub: paste its config.json"


def begin(config: str) -> None:
    """Work in a folder that has the configuration alone, where there is one."""
    folder = HOME / _name(config)
    os.chdir(HOME)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.chdir(folder)
    if config:  # half a pair of a text's characters is no UTF-8, which is said where it is read
        (folder / "config.json").write_bytes(config.encode("utf-8", "surrogatepass"))


def _name(config: str) -> str:
    """What a configuration is called: its type, where it has one that a folder can have."""
    try:
        said = json.loads(config)["model_type"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "model"
    return said if isinstance(said, str) and re.fullmatch(r"(?a:\w[\w.-]{0,80})", said) else "model"


def answer(asked: str) -> str:
    """A command's exit code, output and messages, and a module that is missing, as JSON.

    Args:
        asked: JSON of a list: the command's words, each a string; a list in it is one string of
            words as a shell has them.
    """
    out, err = io.StringIO(), io.StringIO()
    code, missing = 2, ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = run(_words(json.loads(asked)))
        except ModuleNotFoundError as error:
            missing = str(error.name)
            print(f"symparam: this needs {missing}, which this page does not load: the command "
                  "line does", file=sys.stderr)
        except ValueError as error:  # a quotation mark alone
            print(f"symparam: {error}", file=sys.stderr)
    return json.dumps({"code": code, "out": out.getvalue(), "missing": missing,
                       "err": OFFLINE.sub(PASTE, err.getvalue())})


def _words(asked: list[str | list[str]]) -> list[str]:
    """The words of a command line.

    Raises:
        ValueError: quotation marks of a shell do not close.
    """
    found: list[str] = []
    for word in asked:
        found += [word] if isinstance(word, str) else shlex.split(word[0])
    return found


gc.set_threshold(50_000)  # as the command line does
