"""What is loaded: a count starts fast, and importing the package loads next to nothing."""

from __future__ import annotations

import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys

import pytest

import symparam

HEAVY = {"sympy", "mpmath", "numpy", "jinja2", "rich", "pygments", "markdown_it", "matplotlib",
         "tomllib"}
#: What an extra brings, and the top of a module imports.
EXTRAS = {"torch"}
MAIN = "from symparam.cli.main import main; main()"


def loaded(*arguments: str, program: str = MAIN) -> set[str]:
    """The top-level modules that a process imports, in the words of ``-X importtime``."""
    found = subprocess.run([sys.executable, "-X", "importtime", "-c", program, *arguments],
                           capture_output=True, text=True, timeout=60, check=True)
    names = re.findall(r"^import time:[^|]*\|[^|]*\|\s*(\S+)$", found.stderr, re.MULTILINE)
    return {name.partition(".")[0] for name in names}


@pytest.mark.thinned(6)
@pytest.mark.parametrize("line", [
    "count llama-2-7b", "count gpt2 --json", "count gpt2 --tensors L=3", "models --json",
    "count nope-such-model", "--help", "count --help"])
def test_a_count_loads_nothing_heavy(line: str) -> None:
    if "nope" in line:
        program = MAIN.replace("main()", "\ntry:\n    main()\nexcept SystemExit:\n    pass")
    else:
        program = MAIN
    assert not loaded(*line.split(), program=program) & HEAVY


@pytest.mark.thinned(2)
def test_a_derivation_loads_what_it_needs_and_no_more() -> None:
    """The same look at another command finds something: the test above can fail."""
    assert loaded("derive", "llama-2-7b") & HEAVY == {"sympy", "mpmath", "jinja2"}


@pytest.mark.slow
def test_what_searches_nothing_loads_no_arrays() -> None:
    """A browser has NumPy only if it is sent there: these answer without."""
    lines = ["count t5-base --format html", "derive gpt2 --sensitivity", "align gpt2",
             "cost gpt2 --format html", "diff gpt2 llama-2-7b", "check gpt2 --claim P=2B",
             "sensitivity gpt2", "compare gpt2 llama-2-7b"]
    program = ("import contextlib, io, sys\nfrom symparam.cli.main import run\n"
               "with contextlib.redirect_stdout(io.StringIO()):\n"
               "    for line in sys.argv[1:]:\n        if run(line.split()) not in (0, 1):\n"
               "            raise SystemExit(line)\n")
    some = lines[int(os.environ["SYMPARAM_SEED"]) % 2::2]
    assert "numpy" not in loaded(*some, program=program)
    assert "numpy" in loaded("solve P=7e9 L=32 --ffn swiglu", program=program)


def test_importing_the_package_loads_nothing_heavy() -> None:
    found = loaded(program="import symparam; symparam.__version__")
    assert "symparam" in found
    assert not found & (HEAVY | {"click"})


def not_imported(*names: str) -> dict[str, str]:
    """Modules that cannot be imported, each with the package that is not there, or the error."""
    program = ("import importlib, json, sys\nmissing = {}\nfor name in sys.argv[1:]:\n"
               "    try:\n        importlib.import_module(name)\n"
               "    except ModuleNotFoundError as error:\n        missing[name] = error.name\n"
               "    except Exception as error:\n        missing[name] = repr(error)\n"
               "print(json.dumps(missing))")
    found = subprocess.run([sys.executable, "-c", program, *names], capture_output=True,
                           timeout=120, check=True)
    return dict(json.loads(found.stdout))


@pytest.mark.slow
def test_every_module_can_be_imported_or_lacks_an_extra() -> None:
    """Their examples are passed over where they cannot, so that this alone would tell it."""
    names = [each.name for each in pkgutil.walk_packages(symparam.__path__, "symparam.")
             if not each.name.endswith("__main__")]
    assert len(names) > 500
    assert {*not_imported(*names).values()} <= EXTRAS


def test_a_module_that_cannot_be_imported_is_noticed() -> None:
    assert not_imported("symparam.count", "symparam.nowhere") == {
        "symparam.nowhere": "symparam.nowhere"}


def test_counting_from_python_loads_no_algebra() -> None:
    program = ("import json, sys, symparam\n"
               "assert symparam.load('gpt2').count() == 124439808\n"
               "assert symparam.load('gpt2').breakdown()\n"
               "print(json.dumps(sorted(sys.modules)))")
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60,
                           check=True)
    top = {name.partition(".")[0] for name in json.loads(found.stdout)}
    assert not top & (HEAVY | {"click"})


def test_no_module_takes_the_place_of_a_name_of_the_front() -> None:
    """Importing a module sets an attribute of its package, in place of what is found there."""
    import symparam

    modules = {each.name for each in pkgutil.iter_modules(symparam.__path__)}
    assert not modules & set(symparam.__all__)
    for name in symparam.__all__:
        assert not inspect.ismodule(getattr(symparam, name))


def test_a_command_looks_for_garbage_seldom_and_the_library_leaves_that_to_its_user() -> None:
    """The collector is the whole program's, which is the package's own for a command alone."""
    words = ("import gc, sys; before = gc.get_threshold(); import symparam.cli.main; "
             "print(gc.get_threshold() == before, gc.get_freeze_count()); "
             "from symparam.cli.start import main, SELDOM; "
             "sys.argv[1:] = ['--version']\ntry: main()\nexcept SystemExit: "
             "print(gc.get_threshold()[0] == SELDOM, gc.isenabled(), gc.get_freeze_count() > 0)")
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "True 0"
    assert done.stdout.splitlines()[-1] == "True True True"
