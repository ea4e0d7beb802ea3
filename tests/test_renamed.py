"""Modules are found by their former names for one release, as the same modules, with a warning."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from symparam import grammar, lexer
from symparam.descriptions.load import load
from symparam.expression import Sym
from symparam.renamed import NAMES
from symparam.solve.formulas.put_in import PutIn
from symparam.sweep.sweep import sweep

FORMER = {"spec.catalogue": "descriptions.catalogue",
          "spec.families.llama": "descriptions.families.llama",
          "spec.description": "descriptions.architecture.architecture_file",
          "descriptions.source": "descriptions.reading.source",
          "solve.search": "solve.searching.search", "claims.cells": "claims.tables.cells",
          "documents.view": "documents.common.view",
          "documents.diff_data": "documents.differences.data",
          "export.derivation_document": "documents.derivations.document",
          "export.view": "documents.common.view", "review.claim": "claims.claim",
          "review.review": "claims.judged", "check.compare": "checkpoints.compare",
          "export.count_document": "documents.count", "export.latex": "writers.latex",
          "export.letters": "letters", "notation.letters": "letters",
          "export.sandbox": "templating.sandbox"}


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_a_former_name_is_the_same_module(former: str, now: str) -> None:
    said = (f"import warnings; warnings.simplefilter('error'); import symparam\n"
            f"import importlib as i; now = i.import_module('symparam.{now}')\n"
            f"try: i.import_module('symparam.{former}')\n"
            f"except DeprecationWarning as e: print(e)\n"
            f"warnings.simplefilter('ignore'); old = i.import_module('symparam.{former}')\n"
            f"print(old is now, old.__spec__.name)\n")
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    warned, same = done.stdout.splitlines()
    assert "the old name goes with the next release" in warned
    assert same == f"True symparam.{now}"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_a_property_was_called_gives_the_same_with_a_warning() -> None:
    swept = sweep(load("gpt2"), {"L": [1, 2]}, ["kv_cache"])
    with pytest.warns(DeprecationWarning, match="Sweep.said is now assumed_in_words"):
        assert swept.said == swept.assumed_in_words != []
    put = PutIn("n_kv", Sym("n_heads"), "rule", "multi-head attention")
    with pytest.warns(DeprecationWarning, match="PutIn.said is now origin_in_words"):
        assert put.said == put.origin_in_words


def test_a_name_that_no_module_had_is_unknown() -> None:
    with pytest.raises(ModuleNotFoundError), pytest.warns(DeprecationWarning, match="spec is now"):
        import_module("symparam.spec.nothing")
    with pytest.raises(ImportError):
        from symparam.export import nothing  # type: ignore[attr-defined]  # noqa: F401


def test_a_name_that_stands_in_another_module_is_found_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="symparam.lexer.MAX_LENGTH; the old name"):
        assert grammar.MAX_LENGTH == lexer.MAX_LENGTH
    for module, names in NAMES.items():
        for name, now in names.items():
            where, _, own = now.partition(":")
            with pytest.warns(DeprecationWarning, match=name):
                assert getattr(import_module(module), name) is getattr(
                    import_module(where), own or name)
    with pytest.warns(DeprecationWarning, match="symparam.lexer.MAX_LENGTH") as warned:
        assert grammar.MAX_LENGTH
    assert [Path(each.filename).name for each in warned] == [Path(__file__).name]
    with pytest.raises(AttributeError, match=r"'symparam\.grammar' has no attribute 'nothing'"):
        grammar.nothing  # noqa: B018
