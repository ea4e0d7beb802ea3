"""Numbers that pick something out of a list: written down, since nothing else shows it.

A list takes a whole number for what it is and asks it nothing. So while a build is recorded, the
functions of traced modules that ran run with ``a[b]`` and ``a[b:c]`` as calls, which see ``b``.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from symparam.errors import FileError
from symparam.files.reading import read_text
from symparam.tracing.recording.proxies import LIBRARIES, Recorded, decide

ITEM, PART = "__symparam_item__", "__symparam_part__"
#: What is not looked at: a module of more bytes is slow to read.
MAX_SOURCE = 2_000_000


def _deciding(holder: Any) -> bool:
    """Whether something may be decided by what is in a list: fractions alone are no widths."""
    return isinstance(holder, (list, tuple, str)) and not (
        holder and all(isinstance(each, float) for each in holder))


def _item(holder: Any, index: Any) -> Any:
    """``holder[index]``."""
    if isinstance(index, Recorded) and _deciding(holder):
        decide("used to pick something out of a list", index.term, 2)
    return holder[index]


def _part(holder: Any, start: Any, stop: Any, step: Any) -> Any:
    """``holder[start:stop:step]``; what leaves nothing out decides nothing."""
    found = holder[start:stop:step]
    if _deciding(holder) and len(found) < len(holder):
        for each in (start, stop, step):
            if isinstance(each, Recorded):
                decide("used to cut a list", each.term, 2)
    return found


class _Asking(ast.NodeTransformer):
    """Writes what is looked up by a number as a call; annotations stay as they are."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """One lookup."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, (ast.Constant, ast.Tuple)):
            return node
        name, asked = ITEM, [node.slice]
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            name, asked = PART, [each or ast.Constant(None) for each in parts]
        made = ast.Call(ast.Name(name, ast.Load()), [node.value, *asked], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        """A name with an annotation."""
        node.value = node.value and self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """An argument, whose annotation stays."""
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function: its body."""
        node.body = [self.visit(each) for each in node.body]
        return node


@contextmanager
def ran_in(modules: Collection[ModuleType], found: set[CodeType],
           beside: dict[str, ModuleType]) -> Iterator[None]:
    """Gather the functions of some modules that run here.

    Args:
        modules: where a target is written.
        found: their code is added to this.
        beside: other modules in which parts of what is built are written are added to this, with
            the functions of theirs that run from then on.
    """
    files = {getattr(module, "__file__", None) for module in modules}
    before = sys.getprofile()
    part: Any = getattr(getattr(sys.modules.get("torch"), "nn", None), "Module", ())

    def called(frame: Any, event: str, _argument: object) -> None:
        if event != "call":
            return
        code, name = frame.f_code, str(frame.f_globals.get("__name__"))
        if code.co_name == "__init__" and code.co_filename not in files and (
                name.partition(".")[0] not in LIBRARIES and name in sys.modules) and isinstance(
                    frame.f_locals.get("self"), part):
            beside[name] = sys.modules[name]
            files.add(code.co_filename)
        if code.co_filename in files:
            found.add(code)
    sys.setprofile(called)
    try:
        yield
    finally:
        sys.setprofile(before)


def askable(ran: Collection[CodeType]) -> list[tuple[FunctionType, CodeType]]:
    """Functions that ran and look something up, with the code that says by which numbers.

    They are found by the collector of garbage: those that it was told to freeze are not seen.

    Args:
        ran: their code.
    """
    instead = {code: new for name in {code.co_filename for code in ran}
               for code, new in _rewritten(name).items() if code in ran}
    return [(each, instead[each.__code__]) for each in (gc.get_objects() if instead else ())
            if type(each) is FunctionType and each.__code__ in instead]


@contextmanager
def asking(functions: Collection[tuple[FunctionType, CodeType]],
           modules: Collection[ModuleType]) -> Iterator[None]:
    """Let functions say what numbers pick out of lists.

    Args:
        functions: with what runs in place of their code.
        modules: where they are written.
    """
    changed = [(function, function.__code__) for function, _ in functions]
    named = [module for module in modules if ITEM not in vars(module)]
    try:
        for module in named:
            vars(module).update({ITEM: _item, PART: _part})
        for function, new in functions:
            function.__code__ = new
        yield
    finally:
        for function, code in changed:
            function.__code__ = code
        for module in named:
            for name in (ITEM, PART):
                vars(module).pop(name, None)


@lru_cache(maxsize=256)
def _rewritten(name: str) -> dict[CodeType, CodeType]:
    """The code of each function of a file that looks something up, with what runs in its place."""
    try:
        source = read_text(name, "a traced module", MAX_SOURCE)
        asking = _Asking().visit(ast.parse(source))
        pairs = _pairs(compile(source, name, "exec", dont_inherit=True),
                       compile(asking, name, "exec", dont_inherit=True))
        return {code: new for code, new in pairs if {ITEM, PART} & {*_names(new)}}
    except (FileError, ValueError, SyntaxError, RecursionError):
        return {}  # there is no such source: nothing of it is seen


def _pairs(one: CodeType, other: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Code inside code, of the same source as it is and rewritten."""
    inner = [[each for each in code.co_consts if isinstance(each, CodeType)]
             for code in (one, other)]
    for pair in zip(*inner, strict=True):
        yield pair[0], pair[1]
        yield from _pairs(*pair)


def _names(code: CodeType) -> Iterator[str]:
    """The names in code and in what is inside it."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)
