"""Where templates of one's own run: a closed language in which all work is measured.

A template is a program that somebody else may have written. What it may say is listed here:
which statements, which filters and tests, which attributes of which values. All that could grow
(loops, texts, lists, calls, output) is paid for from one account, before it is made where it
would be more than its parts. A template that does too much ends with an error, in any thread,
and no single operation is long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.runtime import Context, LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from markupsafe import Markup

from symparam.errors import short, the
from symparam.templating.values import ATTRIBUTES, Missing, kind_of, name_of, there

#: All work of one document: characters made or written, and STEP for whatever is done once.
WORK = 32_000_000
STEP = 16
#: What reading a text through costs for each character: splitting, escaping, wrapping it.
READ = 16
#: Seconds of computing; a slow machine ends here, where an account is still open. The clock is
#: looked at when so much more is paid.
SECONDS, LOOK = 1.2, 64 * STEP
#: A template's own nesting, and the longest whole number.
DEPTH = 100
BITS = 4096


class Exhausted(Exception):
    """A template that does more than it may."""


class Account:
    """What is left of the work that one document may take."""

    def __init__(self, work: int = WORK, seconds: float = SECONDS) -> None:
        self.left, self.work, self.look = work, work, work
        self.seconds, self.end = seconds, time.process_time() + seconds

    def pay(self, amount: int) -> None:
        """Take some work off.

        Raises:
            Exhausted: there is not so much left, or the time is over.
        """
        self.left -= amount + STEP
        if self.left < 0:
            raise Exhausted(f"more work than a document may take ({self.work:,} characters made "
                            "or written): too many loops, or too much text")
        if self.left < self.look:
            self.look = self.left - LOOK
            if time.process_time() > self.end:
                raise Exhausted(f"more than {self.seconds:g} seconds of computing: too many "
                                "loops, or too much text")

    def each(self, items: Iterable[Any]) -> Iterator[Any]:
        """Things one after another, each paid for."""
        for item in items:
            self.pay(0)
            yield item

    def measure(self, value: Any, times: int = 1) -> None:
        """Pay for a value with everything in it, as often as that is worth."""
        if isinstance(value, str):
            self.pay(times * len(value))
        elif isinstance(value, int) and value.bit_length() > BITS:
            raise Exhausted(f"a number of more than {BITS} bits")
        elif isinstance(value, (list, tuple)):
            self.pay(times * STEP * len(value))
            for item in value:
                self.measure(item, times)
        elif isinstance(value, dict):
            self.measure(list(value), times)
            self.measure(list(value.values()), times)

    def made(self, value: Any) -> Any:
        """A value that was made, paid for; what makes its items one after another as a list."""
        if isinstance(value, Iterator) and not isinstance(value, LoopContext):
            return [self.made(item) for item in self.each(value)]
        self.measure(value)
        return value


#: What a template may consist of. Whatever Jinja2 has besides is refused by its name.
_ALLOWED = frozenset({
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Extends, nodes.Include, nodes.Block,
    nodes.Import, nodes.FromImport, nodes.For, nodes.If, nodes.Macro, nodes.CallBlock, nodes.With,
    nodes.Assign, nodes.AssignBlock, nodes.Name, nodes.NSRef, nodes.Const, nodes.Tuple,
    nodes.List, nodes.Dict, nodes.Pair, nodes.Keyword, nodes.CondExpr, nodes.Filter, nodes.Test,
    nodes.Call, nodes.Getitem, nodes.Getattr, nodes.Slice, nodes.Concat, nodes.Compare,
    nodes.Operand, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Add, nodes.Sub, nodes.Mod,
    nodes.Pow, nodes.Not, nodes.Neg, nodes.Pos, nodes.And, nodes.Or})

#: Names of the filters that measure; no template can write them.
_EACH, _MADE, _JOINED, _SHOWN, _TEXT = ":each", ":made", ":joined", ":shown", ":text"


def _wrapped(node: Any, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def measured(node: Any, depth: int = 0, line: int = 0) -> Any:
    """A template's tree with everything that can grow handed to a filter that measures it.

    Raises:
        jinja2.TemplateSyntaxError: a statement that templates may not use, or nested too deeply.
    """
    kind, line = type(node), node.lineno or line
    if kind not in _ALLOWED or getattr(node, "recursive", False) or (
            kind is nodes.AssignBlock and node.filter is not None):
        raise jinja2.TemplateSyntaxError(f"{_spoken(node)} cannot be used here", line)
    if depth > DEPTH:
        raise jinja2.TemplateSyntaxError(f"nested more than {DEPTH} deep", line)
    for name, value in node.iter_fields():
        if isinstance(value, nodes.Node):
            setattr(node, name, measured(value, depth + 1, line))
        elif isinstance(value, list):
            value[:] = [measured(each, depth + 1, line) if isinstance(each, nodes.Node) else each
                        for each in value]
    return _measuring(node)


def _measuring(node: Any) -> Any:
    """One node, its parts measured already, with what measures it."""
    match node:
        case nodes.Output():
            node.nodes = [_wrapped(n, _SHOWN if type(n) is not nodes.TemplateData else _TEXT)
                          for n in node.nodes]
        case nodes.For():
            node.iter = _wrapped(node.iter, _EACH)
        case nodes.Concat():
            return _wrapped(nodes.List(node.nodes, lineno=node.lineno), _JOINED)
        case nodes.Tuple(ctx="load") | nodes.List() | nodes.Dict() | nodes.Filter():
            return _wrapped(node, _MADE)
        case nodes.Getitem(arg=nodes.Slice()):
            return _wrapped(node, _MADE)
    return node


def _spoken(node: nodes.Node) -> str:
    names = {"FilterBlock": "a filter block", "AssignBlock": "a filter on a set block",
             "For": "a recursive loop", "Scope": "autoescape"}
    return names.get(type(node).__name__, f"the statement {type(node).__name__}")


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one document; every call, operator and attribute passes through it.

    Args:
        writer: what is ``out`` in templates; its public attributes can be used.
        filters, tests, functions: what templates can name.
        options: further options of a Jinja2 environment.
    """

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self, writer: object, filters: Mapping[str, Callable[..., Any]],
                 tests: Mapping[str, Callable[..., Any]],
                 functions: Mapping[str, Callable[..., Any]], **options: Any) -> None:
        super().__init__(undefined=Missing, optimized=False, cache_size=-1, auto_reload=False,
                         **options)
        self.account, self.writer = Account(), writer
        self.filters = {**filters, _EACH: _each, _MADE: _made, _JOINED: _joined, _SHOWN: _shown,
                        _TEXT: _text}
        self.tests, self.globals = dict(tests), dict(functions)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        self.account.pay(4 * READ * len(source))
        tree = super()._parse(source, name, filename)
        try:
            self._refuse_unknown(measured(tree))
            return the(nodes.Template, tree.set_environment(self))
        except jinja2.TemplateSyntaxError as error:
            error.name, error.filename = name, filename
            raise

    def _refuse_unknown(self, tree: nodes.Template) -> None:
        for node in tree.find_all((nodes.Filter, nodes.Test)):
            kind, known = ("filter", self.filters) if isinstance(node, nodes.Filter) else (
                "test", self.tests)
            if node.name not in known:
                raise jinja2.TemplateSyntaxError(f"No {kind} named '{short(node.name)}'" + there(
                    node.name, [name for name in known if name[:1] != ":"]), node.lineno)

    def get_template(self, name: Any, *args: Any, **kwargs: Any) -> jinja2.Template:
        """A template by its name, which is a text."""
        return super().get_template(name_of(name), *args, **kwargs)

    def select_template(self, names: Any, *args: Any, **kwargs: Any) -> jinja2.Template:
        """The first of several that is there."""
        listed = names if isinstance(names, (list, tuple)) else [names]
        return super().select_template([name_of(name) for name in listed], *args, **kwargs)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may have this attribute of a value."""
        if attr.startswith("_"):
            return False
        if obj is self.writer or isinstance(obj, Namespace):
            return True
        if isinstance(obj, tuple):
            return attr in {"index", "count", *getattr(obj, "_fields", ())}
        if is_dataclass(obj) and type(obj).__module__.startswith(
                ("symparam.documents.", "symparam.writers.", "symparam.notation.")):
            return attr in {field.name for field in fields(obj)}
        if isinstance(obj, jinja2.environment.TemplateModule):
            return attr in vars(obj)
        return any(attr in names for kind, names in ATTRIBUTES if isinstance(obj, kind))

    def wrap_str_format(self, value: Any) -> None:
        """No ``str.format``, not even a guarded one: a width in it can be of any size."""

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Call something; a text that goes in costs more than what comes out, for it is read."""
        own = getattr(__obj, "__self__", None)
        __self.account.measure((own if isinstance(own, str) else "", args, kwargs), times=READ)
        try:
            return __self.account.made(super().call(__context, __obj, *args, **kwargs))
        except (TypeError, AttributeError, ValueError, LookupError):
            if own is not __self.writer:
                raise
            given = ", ".join(map(kind_of, (*args, *kwargs.values()))) or "nothing"
            raise TypeError(f"out.{__obj.__name__} cannot take {given}: docs/templates.md says "
                            "what it takes") from None

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operator on two numbers, two texts or two lists; ``*`` on a text and a number."""
        numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
        if isinstance(left, Undefined) or isinstance(right, Undefined) or numbers:
            if numbers:
                _bounded(operator, left, right)
            return super().call_binop(context, operator, left, right)
        kinds = {kind for kind in (str, list, tuple) if isinstance(left, kind)
                 and isinstance(right, kind)}
        if operator == "+" and kinds:
            self.account.pay(len(left) + len(right))
            return self.account.made(left + right)
        text, times = (left, right) if isinstance(left, str) else (right, left)
        if operator == "*" and isinstance(text, str) and isinstance(times, int):
            self.account.pay(len(text) * max(times, 0))
            return text * times
        raise TypeError(f"{operator} cannot take {kind_of(left)} and {kind_of(right)}")


def _bounded(operator: str, left: float, right: float) -> None:
    """Refuse whole numbers that would become long."""
    if not (isinstance(left, int) and isinstance(right, int)):
        return
    bits = {"**": left.bit_length() * abs(right), "*": left.bit_length() + right.bit_length()}
    if bits.get(operator, left.bit_length()) > BITS:
        raise Exhausted(f"a number of more than {BITS} bits")


def account(context: Context) -> Account:
    """The account of the document that a template is writing."""
    return the(Sandbox, context.environment).account


@jinja2.pass_context
def _each(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    try:
        return account(context).each(iter(items))
    except TypeError:
        raise TypeError(f"a loop goes through a list or a table, not {kind_of(items)}") from None


@jinja2.pass_context
def _made(context: Context, value: Any) -> Any:
    return account(context).made(value)


@jinja2.pass_context
def _joined(context: Context, parts: list[Any]) -> str:
    shown = [printable(part) for part in parts]
    account(context).pay(sum(map(len, shown)))
    empty = Markup("") if any(isinstance(part, Markup) for part in shown) else ""
    return empty.join(shown)


@jinja2.pass_context
def _shown(context: Context, value: Any) -> str:
    shown = printable(value)
    account(context).pay(len(shown))
    return shown


@jinja2.pass_context
def _text(context: Context, text: str) -> str:
    """A template's own text, which nothing escapes."""
    account(context).pay(len(text))
    return Markup(text) if context.eval_ctx.autoescape else text


def printable(value: Any) -> str:
    """What is written of a value: a text or a number as it is; no list, no object."""
    if isinstance(value, str):
        return value
    if isinstance(value, Undefined):
        return str(value)  # which raises, and says what is not defined
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    raise TypeError(f"{kind_of(value)} is no text: write its parts, or use the filter tojson")
