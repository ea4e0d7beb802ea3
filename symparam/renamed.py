"""What has another name now, by the name that it had: for one release, with a DeprecationWarning.

>>> import warnings
>>> with warnings.catch_warnings():
...     warnings.simplefilter("ignore")
...     from symparam.spec import catalogue
>>> catalogue.__name__
'symparam.descriptions.catalogue'
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

#: Packages that are one package still.
PACKAGES = {"spec": "descriptions", "review": "claims", "check": "checkpoints"}

#: What a package became that is several now.
SEVERAL = {"export": ("documents", "writers", "notation", "templating")}

#: Modules of a package that stand in a room of it now, by the room.
ROOMS = {
    "tracing.sources": "as_given callables classes configurations libraries missing target "
                       "targets trusted unnamed",
    "tracing.recording": "indexing keeping proxies terms texts",
    "tracing.rules": "copies counts expressions fitting rounding",
    "tracing.searching": "cases derived domain draws engine joint kinds probing relations rivals "
                         "rows sizes structure tables turning",
    "solve.formulas": "closed_form forms put_back put_in roots",
    "solve.searching": "arrange best lattice limits model_lattice one_unknown pareto plan roles "
                       "search stepwise",
    "solve.requests": "goals parsing preferences request targets",
    "claims.tables": "cells choices columns csv_table latex_table markdown_table table_file "
                     "table_rows titles",
    "descriptions.assembling": "assemble encoder encoder_decoder latent mixture mtp windows",
    "descriptions.reading": "plain_values python_file source written yaml",
    "descriptions.architecture": "architecture_file blocks layers placed traced_file",
    "documents.common": "foundation named_numbers side_by_side view",
}

#: Those whose own name is another one there.
DOCUMENTS = {
    "derivation": "derivations.document", "derivation_about": "derivations.about",
    "derivation_data": "derivations.data", "derivation_named": "derivations.named",
    "derivation_tables": "derivations.tables", "derivation_view": "derivations.view",
    "exercise": "derivations.exercise", "diff": "differences.document",
    "diff_data": "differences.data", "diff_tables": "differences.tables",
    "sensitivity": "sensitivities.document", "sensitivity_data": "sensitivities.data",
    "sensitivity_named": "sensitivities.named", "sensitivity_shape": "sensitivities.shape",
    "solve": "solutions.document", "solve_formulas": "solutions.formulas",
    "solve_tables": "solutions.tables", "suite": "solutions.suite"}

#: Modules that stand elsewhere now, by what they were called; in no package, or in a room.
ALONE = {"notation.letters": "letters", "export.letters": "letters",
         "writers.texmath": "writers.mathml", "export.texmath": "writers.mathml"}
ALONE |= {f"{room.partition('.')[0]}.{module}": f"{room}.{module}"
          for room, modules in ROOMS.items() for module in modules.split()}
ALONE |= {f"documents.{former}": f"documents.{now}" for former, now in DOCUMENTS.items()}

#: Modules whose own name is another one too.
MODULES = {"spec.description": "architecture_file", "spec.tensors": "traced_file",
           "review.review": "judged", "review.line": "along", "review.rows": "table_rows",
           "review.table": "table_file", "export.docs": "marked_files",
           "export.pieces": "base", "export.lines": "line_breaks", "export.named": "named_numbers",
           "export.lettered": "sub_sums",
           "export.check_document": "checkpoint", "export.review_document": "claims",
           "export.review_data": "claims_data"}

#: Names that stand in another module, by the one in which they stood; ``module:name`` where they
#: are others too.
NAMES = {"symparam.grammar": dict.fromkeys(("MAX_LENGTH", "SUFFIXES", "Token"), "symparam.lexer"),
         "symparam.model": dict.fromkeys(("Repeat", "Window", "counts_of_kinds"), "symparam.stack"),
         "symparam.component": dict.fromkeys(("check_contract", "problems_of_lists", "unlisted",
                                              "variants"), "symparam.contract"),
         "symparam.symbols": dict.fromkeys(("by_sharing", "signed", "written"),
                                           "symparam.bracketed"),
         "symparam.writers.document": dict.fromkeys(("Chunk", "bracket_last", "chunks"),
                                                    "symparam.writers.chunks"),
         "symparam.quantities.cost": {"setting_of": "symparam.quantities.plain"},
         "symparam.traced.foundation": {"said": "symparam.traced.foundation:sentences_of"}}


def moved(module: str) -> Callable[[str], Any]:
    """What a module is asked for a name that it does not have: it may stand elsewhere now.

    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     moved("symparam.grammar")("MAX_LENGTH")
    10000
    """
    def find(name: str) -> Any:
        now = NAMES[module].get(name)
        if now is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        where, _, own = now.partition(":")
        warnings.warn(f"{module}.{name} is now {where}.{own or name}; the old name goes with the "
                      "next release", DeprecationWarning, stacklevel=2)
        return getattr(import_module(where), own or name)

    return find


class Formerly:
    """A property of a class by the name that it had.

    >>> class Sweep:
    ...     assumed_in_words = "s = 4096"
    ...     said = Formerly("assumed_in_words")
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     Sweep().said, str(found[0].message)
    ('s = 4096', 'Sweep.said is now assumed_in_words; the old name goes with the next release')
    """

    def __init__(self, now: str) -> None:
        self.now, self.was = now, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.was = f"{owner.__name__}.{name}"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        warnings.warn(f"{self.was} is now {self.now}; the old name goes with the next release",
                      DeprecationWarning, stacklevel=2)
        return getattr(instance, self.now)


def _now(top: str, former: str) -> Iterator[str]:
    """Where a module with this former name may be."""
    if alone := ALONE.get(f"{top}.{former}"):
        yield f"symparam.{alone}"
        return
    own = MODULES.get(f"{top}.{former}", former)
    for package in (PACKAGES[top],) if top in PACKAGES else SEVERAL[top]:
        for name in dict.fromkeys((own, own.removesuffix("_document"))):
            now = f"{package}.{name}".rstrip(".")
            yield f"symparam.{ALONE.get(now, now)}"


def _is_there(name: str) -> bool:
    """Whether there is a module with this name."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # no such package
        return False


class Renamed:
    """A finder, and the loader of what it finds: the very module that has another name now."""

    def find_spec(self, name: str, path: Sequence[str] | None = None,
                  target: ModuleType | None = None) -> ModuleSpec | None:
        """A module that had this name; None where none had."""
        top, _, former = name.removeprefix("symparam.").partition(".")
        if not name.startswith("symparam.") or not (
                top in PACKAGES or top in SEVERAL or f"{top}.{former}" in ALONE):
            return None
        if top in SEVERAL and not former:
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        now = next((each for each in _now(top, former) if _is_there(each)), None)
        if now is None:
            return None
        warnings.warn(f"{name} is now {now}; the old name goes with the next release",
                      DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, self, loader_state=now)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module itself, so that both names are of one thing."""
        if spec.loader_state is None:
            return None
        module = import_module(str(spec.loader_state))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: it has run under its own name, whose specification it keeps."""
        if module.__spec__ is not None and module.__spec__.loader_state is not None:
            module.__spec__ = module.__spec__.loader_state


def keep() -> None:
    """Find modules by their former names as well, before a file is looked for."""
    if not any(isinstance(finder, Renamed) for finder in sys.meta_path):
        sys.meta_path.insert(0, Renamed())
