"""Settings in a Python file, read from its syntax tree; nothing of it is run.

A file that a training run executes sets names of a module; a class of fields has defaults.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from symparam.descriptions.reading.source import Unsure
from symparam.errors import SpecError

#: The key under which the name of a class stands whose fields were read.
CLASS = "class"
_LARGEST, _DEEPEST = 2**63, 20
#: What reads a run's own settings and the command line's (nanoGPT, configurator.py): from there on
#: names are no settings.
_END, _END_NAME = "configurator.py", "config_keys"


def fields_of(where: str, text: str) -> dict[str, Any]:
    """The settings of a file, or the fields of its class of a configuration where it sets none.

    A name that is set twice has its last value, as it has when the file is run. What is set inside
    an if, a loop or a try, or would have to be worked out by running it, is
    :class:`~symparam.descriptions.reading.source.Unsure`.

    Raises:
        SpecError: it is no Python, or reads settings from another file.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        raise SpecError(where, "", "not Python" + (f" (line {line})" if line else "")) from None
    found: dict[str, Any] = {}
    for node in tree.body:
        if _runs(node, _END) or _sets(node, _END_NAME):
            break
        _refuse_others(where, node)
        _take(found, node)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)
               and node.name.endswith("Config")]
    for node in classes:
        fields: dict[str, Any] = {}
        for each in node.body:
            if isinstance(each, (ast.AnnAssign, ast.Assign)):
                _take(fields, each)
        if fields and not fields.keys() & found.keys():
            return {CLASS: node.name, **fields}
    return found


def _take(found: dict[str, Any], node: ast.stmt) -> None:
    """What a statement sets; what is set further inside it is in doubt."""
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            _assign(found, target, node.value, node.lineno)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found[node.target.id] = Unsure(f"line {node.lineno}: is worked out when it is run")
    elif isinstance(node, (ast.If, ast.For, ast.While, ast.Try, ast.With)):
        kind = type(node).__name__.lower()
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found[inner.id] = Unsure(f"line {inner.lineno}: is set inside {_article(kind)}, "
                                         "which is not followed")


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _assign(found: dict[str, Any], target: ast.expr, value: ast.expr | None, line: int) -> None:
    if isinstance(target, ast.Name):
        found[target.id] = _value(value, found, line)
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        several = list(values) if len(values) == len(target.elts) else [None] * len(target.elts)
        for each, own in zip(target.elts, several, strict=True):
            _assign(found, each, own, line)


def _value(node: ast.expr | None, found: dict[str, Any], line: int, depth: int = 0) -> Any:
    """A number, word or text, also of plain sums of what was set before; else unsure."""
    unsure = Unsure(f"line {line}: is worked out when it is run")
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str,
                                                                  type(None))):
        return node.value
    if isinstance(node, ast.Name):
        return found.get(node.id, unsure)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, found, line, depth + 1)
        return -inner if type(inner) in {int, float} else unsure
    if not isinstance(node, ast.BinOp) or depth > _DEEPEST:
        return unsure
    left, right = (_value(each, found, line, depth + 1) for each in (node.left, node.right))
    if type(left) is not int or type(right) is not int or max(abs(left), abs(right)) > _LARGEST:
        return unsure
    for kind, result in ((ast.Mult, left * right), (ast.Add, left + right),
                         (ast.Sub, left - right), (ast.FloorDiv, left // right if right else None)):
        if isinstance(node.op, kind) and result is not None:
            return result
    return unsure


def _calls(node: ast.stmt) -> Iterator[ast.Call]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    yield from (each for each in ast.walk(node) if isinstance(each, ast.Call))


def _runs(node: ast.stmt, file: str) -> bool:
    return any(isinstance(call.func, ast.Name) and call.func.id == "exec" and any(
        isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.endswith(file)
        for each in ast.walk(call)) for call in _calls(node))


def _sets(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(each, ast.Name) and each.id == name for each in node.targets)


def _refuse_others(where: str, node: ast.stmt) -> None:
    """Refuse a file that takes settings from another one."""
    for call in _calls(node):
        if isinstance(call.func, ast.Name) and call.func.id == "exec":
            raise SpecError(where, "", f"line {call.lineno} runs what stands in another file: "
                            "write its settings here")
    if isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names):
        raise SpecError(where, "", f"line {node.lineno} takes all names of "
                        f"{(node.module or '.')[:40]}: write its settings here")
