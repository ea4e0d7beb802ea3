"""Templates of one's own: what they are given, what one block changes, what none of them can do."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import click
import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import nodes

from symparam.api import load
from symparam.cli.main import COMMANDS, cli, run
from symparam.documents.count import count_document
from symparam.documents.count_data import count_json, count_model
from symparam.errors import BadValue, TemplateError
from symparam.formats import everything
from symparam.templating import confined, sandbox
from symparam.templating.filters import FILTERS, FUNCTIONS, TESTS
from symparam.templating.render import SYNTAX, render, template_folder
from symparam.templating.template import render_template
from symparam.writers.document import Document
from tests.helpers import message, together
from tests.strategies import quick
from tests.test_export import HOSTILE, named

DOCS = Path(__file__).parent.parent / "docs" / "templates.md"
SECRET = "the quick brown secret"
RESULT = count_model(load("gpt2"))
COUNTED, DATA = count_document(RESULT, False), count_json(RESULT, True)
DERIVED = load("gpt2").derive(leading="d_model")


def written(folder: Path, text: str, kind: str = "text", *, document: Document = COUNTED,
            search: tuple[Path, ...] = ()) -> str:
    """What a template writes of a document."""
    path = folder / "own.j2"
    path.write_text(text, encoding="utf-8")
    return render_template(path, document, DATA, kind=kind, search=search)


def refused(folder: Path, text: str, kind: str = "text", **more: Any) -> TemplateError:
    """The error of a template that must not work; it comes soon, in one line, and tells nothing."""
    start = time.process_time()
    with pytest.raises(TemplateError) as caught:
        written(folder, text, kind, **more)
    assert time.process_time() - start < 6
    assert SECRET not in message(caught.value)
    return caught.value


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is between a template and this one: the language alone has to hold."""
    monkeypatch.setattr("symparam.templating.template.confined", lambda work, _: work())


# --- what templates are given ---------------------------------------------------------------

#: Each format of documents with its template and what writes its pieces.
FORMATS = {each.name: (str(each.template), each.writer) for each in everything().values()
           if each.writer is not None}


@pytest.mark.thinned(8)
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("kind", FORMATS)
def test_a_shipped_template_writes_the_same_in_the_sandbox(kind: str, tmp_path: Path) -> None:
    for document in (COUNTED, DERIVED.document(), named(HOSTILE[0])):
        if kind == "macros" and not document.numbers:
            continue
        own = written(tmp_path, f'<% extends "{FORMATS[kind][0]}" %>', kind, document=document)
        assert own == render(document, kind)


#: Command lines that are short to run; of any other command, the one with gpt2.
LINES = {
    "derive": "derive gpt2 --leading", "count": "count gpt2 --tensors",
    "solve": "solve P=1e9 L=16 V=32000 d_model=2048", "models": "models gpt",
    "components": "components", "check": "check gpt2 {checkpoint}", "diff": "diff gpt2 gpt2-xl",
    "plot": "plot heads", "sweep": "sweep gpt2 L=6,12", "trace": "trace {module}:Model",
    "convert": "convert llama-2-7b --to hf"}


def takes(command: str, option: str) -> bool:
    """Whether a command has an option."""
    found = cli.get_command(click.Context(cli), command)
    return found is not None and any(param.name == option for param in found.params)


def test_every_command_that_writes_documents_takes_templates() -> None:
    for command in COMMANDS:
        assert takes(command, "template") == takes(command, "standalone"), command


@pytest.mark.thinned(8)
@pytest.mark.parametrize("command", [name for name in COMMANDS if takes(name, "template")])
def test_data_is_what_json_writes(command: str, tmp_path: Path,
                                  capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint = tmp_path / "model.safetensors"
    header = json.dumps({"wte.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}})
    checkpoint.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(16))
    module = tmp_path / "module.py"
    if command == "trace":
        pytest.importorskip("torch")
        module.write_text("import torch\n\n\nclass Model(torch.nn.Linear):\n"
                          "    def __init__(self, width=24):\n"
                          "        super().__init__(width, 4 * width)\n", encoding="utf-8")
    line = LINES.get(command, f"{command} gpt2")
    words = shlex.split(line.format(checkpoint=checkpoint, module=module))
    assert run([*words, "--json"]) in {0, 1}
    wanted = json.loads(capsys.readouterr().out)
    template = tmp_path / "own.txt.j2"
    template.write_text("<< data | tojson >><< document.title >>", encoding="utf-8")
    assert run([*words, "--template", str(template)]) in {0, 1}
    found, title = json.JSONDecoder().raw_decode(capsys.readouterr().out)
    assert found == wanted
    assert title


def test_the_format_follows_from_the_name_or_is_given(tmp_path: Path) -> None:
    for end, wanted in ((".tex.j2", r"a\_b"), (".md.j2", r"a\_b"), (".html.j2", "a_b")):
        path = tmp_path / f"own{end}"
        path.write_text("<< out.text('a_b') >>", encoding="utf-8")
        assert render_template(path, COUNTED, DATA) == f"{wanted}\n"
    path = tmp_path / "own.j2"
    path.write_text("<< out.text('a_b') >>", encoding="utf-8")
    assert render_template(path, COUNTED, DATA, kind="latex") == "a\\_b\n"
    with pytest.raises(BadValue, match=r"\.tex\.j2"):
        render_template(path, COUNTED, DATA)


def test_a_view_takes_a_template(tmp_path: Path) -> None:
    path = tmp_path / "own.txt.j2"
    path.write_text("<< data.value >>", encoding="utf-8")
    assert DERIVED.template(path) == "124439808\n"
    (tmp_path / "base.j2").write_text("[<% block x %><% endblock %>]", encoding="utf-8")
    path.write_text('<% extends "base.j2" %><% block x %>y<% endblock %>', encoding="utf-8")
    assert DERIVED.template(str(path), search=[tmp_path]) == "[y]\n"


@pytest.mark.parametrize(("line", "part"), [
    ("count gpt2 --template {t} --json", "--json"),
    ("count gpt2 --template {t} --standalone", "--standalone"),
    ("count gpt2 --template {t}.j2", ".tex.j2"), ("count gpt2 --template nope.tex.j2", "No such"),
    ("count gpt2 --template {d}.tex.j2", "plain file"), ("count gpt2 --template-path .", "--templ"),
    ("count gpt2 --template {t} --template-path {t}", "needs a folder")])
def test_wrong_use_is_one_line(line: str, part: str, tmp_path: Path,
                               capsys: pytest.CaptureFixture[str]) -> None:
    template, folder = tmp_path / "own.txt.j2", tmp_path / "folder.tex.j2"
    template.write_text("x", encoding="utf-8")
    folder.mkdir()
    words = line.format(t=template, d=tmp_path / "folder").split()
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert not out
    assert part in err
    assert len(err.splitlines()) == 1


# --- one block ------------------------------------------------------------------------------

BODY = ("heading", "paragraph", "items", "display", "table", "notation")
@cache
def rendered(kind: str) -> tuple[Document, str]:
    """A derivation, and what the shipped template of a format writes of it."""
    document = DERIVED.document()
    return document, render(document, kind)


BASES = [FORMATS[kind][0] for kind in ("text", "markdown", "latex", "standalone", "html",
                                       "notebook")]


@pytest.mark.thinned(16)
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("block", [*BODY, "title", "preamble", "footer"])
def test_a_block_is_overridden_alone(base: str, block: str, tmp_path: Path) -> None:
    kind = next(k for k, (name, _) in FORMATS.items() if name == base)
    document, before = rendered(kind)
    kinds = [b.kind if getattr(b, "role", "") != "notation" else "notation"
             for b in document.blocks]
    wanted = kinds.count(block) if block in BODY else 1
    wanted += kinds.count("notation") if block == "table" else 0  # it is a table like others
    assert wanted
    text = f'<% extends "{base}" %>\n<% block {block} %>\n@@@\n<% endblock %>'
    after = written(tmp_path, text, kind, document=document)
    assert after.count("@@@") == wanted
    rest = iter(before.split("\n"))
    assert all(line in rest for line in after.split("\n") if line != "@@@" and line.strip())
    kept = written(tmp_path, text.replace("@@@\n", "<< super() >>"), kind, document=document)
    assert kept.split() == before.split()


def test_every_kind_of_block_has_a_jinja_block() -> None:
    for name in ("blocks.tex.j2", "blocks.html.j2", "document.md.j2", "document.txt.j2"):
        text = (template_folder() / name).read_text(encoding="utf-8")
        assert set(re.findall(r"<% block (\w+)", text)) >= {*BODY, "body", "footer"}, name


def test_what_a_folder_of_the_path_has_comes_first(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        (folder / "sub").mkdir(parents=True)
        (folder / "sub" / "part.j2").write_text(folder.name, encoding="utf-8")
    (second / "fragment.tex.j2").write_text("mine", encoding="utf-8")
    text = '<% include "sub/part.j2" %> <% include "fragment.tex.j2" %>'
    assert written(tmp_path, text, search=(first, second)) == "first mine\n"
    assert "second mine" in written(tmp_path, text, search=(second, first))


# --- errors ---------------------------------------------------------------------------------

@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("text", "line", "part"), [
    ("a\n<< documnt >>", 2, "'documnt' is undefined; did you mean document?"),
    ("<< data.totl >>", 1, "a table has no 'totl'; did you mean total?"),
    ("\n\n<< data['nope'] >>", 3, "nope"),
    ("<% macro m(x) %>\n<< x.y >>\n<% endmacro %>\n<< m(1) >>", 2, "'y'"),
    ("\n<% if %>", 2, "Expected an expression"),
    ("\n<< 1/0 >>", 2, "division by zero"),
    ("<< 1 | nope >>", 1, "No filter named 'nope'; there is abs, batch"),
    ("<< 1 | gruoped >>", 1, "No filter named 'gruoped'; did you mean grouped?"),
    ("<< nope >>", 1, "'nope' is undefined; there is data, document, out"),
    ("<< out.spnas(1) >>", 1, "out has no 'spnas'; did you mean spans?"),
    ("<< out.spans(3) >>", 1, "out.spans cannot take a number"),
    ("<< document.titel >>", 1, "Document has no 'titel'; did you mean title?"),
    ("<< [1][4] >>", 1, "a list of 1 has no element 4"),
    ("<% for i in 3 %><% endfor %>", 1, "a loop goes through a list or a table, not a number"),
    ("<% extends 3 %>", 1, "a template is named by a text, not by a number"),
    ("<% include [] %>", 1, "an empty list names no template"),
    ("<% include ['a.j2', 'b.j2'] %>", 1, "each of the templates 'a.j2', 'b.j2' is not in"),
    ("<< 2.5 ** 99999 >>", 1, "Numerical result out of range"),
    ('\n<% include "seen.j2" without context %>', 1, "'out' is not seen without the context"),
    ("<< 1 is nope >>", 1, "No test named 'nope'"), ("<< data >>", 1, "a table is no text"),
    ("<< 'a' + 1 >>", 1, "a text and a number"), ("<< document.blocks >>", 1, "a list is no"),
    ("<% do x %>", 1, "unknown tag 'do'"), ("<< out.rows(1) >>", 1, ""),
    ('<% include "part.j2" %>', 3, "'gone' is undefined"),
    ('<% include "missing.j2" %>', 1, "--template-path"),
    ('<% extends "own.j2" %>', 1, "names end in .j2")])
def test_an_error_names_the_place_and_what_is_wrong(text: str, line: int, part: str,
                                                    tmp_path: Path) -> None:
    folder = tmp_path / "path"
    folder.mkdir()
    (folder / "part.j2").write_text("1\n2\n<< gone >>", encoding="utf-8")
    (folder / "seen.j2").write_text("<< out.spans([]) >>", encoding="utf-8")
    error = refused(tmp_path, text, search=(folder,))
    assert error.line == line
    assert part in error.problem
    other = next((name for name in ("part.j2", "seen.j2") if name in text), "own.j2")
    assert Path(error.template).name == other


# --- what no template can do ----------------------------------------------------------------

#: Each of these would get at something where templates are not kept apart.
INNER = [
    "<< ''.__class__.__mro__ >>", "<< ''['__class__'] >>", "<< ''|attr('__class__') >>",
    "<< [1]|map(attribute='__class__')|join >>", "<< ['x']|map('attr', '__class__')|join >>",
    "<< '{0.__class__}'.format(1) >>", "<< '{x.__class__}'.format_map({'x': 1}) >>",
    "<< ('%s' % 1).__class__ >>", "<< open('/etc/passwd') >>", "<< __import__('os') >>",
    "<% import os %>", "<% import 'os' as os %>", "<% from 'os' import path %>",
    "<< cycler.__init__.__globals__.os.popen('id').read() >>", "<< joiner.__init__ >>",
    "<< namespace.__init__.__globals__ >>", "<< lipsum.__globals__ >>", "<< range.__self__ >>",
    "<< dict.fromkeys >>", "<< dict.mro() >>", "<< self.__init__ >>", "<< self._context >>",
    "<< self._TemplateReference__context >>", "<< document.__class__ >>", "<< out.__init__ >>",
    "<< out.block.__func__ >>", "<< out.block.__globals__ >>", "<< data.__class__ >>",
    "<< data.pop('total') >>", "<< data.update({}) >>", "<< data.tensors.append(1) >>",
    "<% for x in [1] %><< loop.__class__ >><< loop._iterator >><% endfor %>",
    "<% macro m() %><% endmacro %><< m._func >>", "<% macro m() %><% endmacro %><< m.__call__ >>",
    "<< context >>", "<< environment >>", "<< caller >>", "<< nope.__class__ >>",
    "<< (1).real >>", "<< 1.5.hex() >>", "<< 'a'.encode() >>", "<< 'a'.join('b') >>",
    "<% set ns = namespace() %><< ns.__class__ >>", "<< cycler(1).__class__ >>",
    "<% set ns = namespace(x=1) %><< ns._Namespace__attrs >>",
    "<< document.blocks[0].rows[0][0].__class__ >>", "<< out.notation.__dict__ >>",
    "<% block a %><< self.a.__call__ >><% endblock %>", "<% block a %><< super >><% endblock %>",
    "<% filter upper %>x<% endfilter %>", "<% set x | upper %>x<% endset %><< x >>",
    "<% autoescape false %>x<% endautoescape %>", "<% for x in [[]] recursive %><% endfor %>"]


@pytest.mark.usefixtures("here")
@together("text", INNER)
def test_nothing_inside_is_reached(text: str, tmp_path: Path) -> None:
    refused(tmp_path, text)
    refused(tmp_path, text, "html")


def test_a_plain_environment_would_give_it_away() -> None:
    """The templates above are live ones: elsewhere, some of them show what they are after."""
    plain = jinja2.Environment(**SYNTAX)
    found = plain.from_string(INNER[0]).render() + plain.from_string(INNER[4]).render()
    assert "class 'object'" in found
    assert "class 'str'" in found
    assert plain.from_string("<< cycler.__init__.__globals__.os.sep >>").render() == os.sep
    assert plain.from_string("<% set d = {'a': 1} %><< d.pop('a') >>").render() == "1"


def places(folder: Path) -> list[str]:
    """Names that lead to the secret, if anything does."""
    return ["secret.j2", "../secret.j2", "inner/../../secret.j2", str(folder / "secret.j2"),
            "link.j2", "linked/secret.j2", "./../secret.j2", "..\\\\secret.j2", "~/secret.j2",
            "file:secret.j2", "secret.txt", ".env", "inner", "", ".", "/", "fifo.j2", "a\\0b.j2",
            "//secret.j2", "inner/./../../secret.j2", "/etc/passwd", "../../../../etc/passwd"]


@pytest.mark.usefixtures("here")
def test_a_template_reads_nothing_outside_of_its_path(tmp_path: Path) -> None:
    folder = tmp_path / "templates"
    (folder / "inner").mkdir(parents=True)
    for name in ("secret.j2", "templates/secret.txt", "templates/.env"):
        (tmp_path / name).write_text(SECRET, encoding="utf-8")
    (folder / "link.j2").symlink_to(tmp_path / "secret.j2")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "loop.j2").symlink_to(folder / "loop.j2")
    os.mkfifo(folder / "fifo.j2")
    (folder / "good.j2").write_text("good", encoding="utf-8")
    (folder / "kept.j2").symlink_to(folder / "good.j2")
    assert written(tmp_path, '<% include "kept.j2" %>', search=(folder,)) == "good\n"
    for name in [*places(tmp_path), "loop.j2"]:
        for statement in ("include", "extends", "import"):
            end = " as x" if statement == "import" else ""
            refused(tmp_path, f'<% {statement} "{name}"{end} %>', search=(folder,))
        tried = written(tmp_path, f'x<% include "{name}" ignore missing %>', search=(folder,))
        assert tried == "x\n"


def test_the_test_of_the_path_can_fail(tmp_path: Path) -> None:
    """Jinja2's own loader follows a link that leads out; the one here must not."""
    (tmp_path / "secret.j2").write_text(SECRET, encoding="utf-8")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "link.j2").symlink_to(tmp_path / "secret.j2")
    loader = jinja2.FileSystemLoader(tmp_path / "templates")
    assert loader.get_source(jinja2.Environment(), "link.j2")[0] == SECRET


def test_shipped_names_are_names_of_files(tmp_path: Path) -> None:
    for name in ("../pyproject.toml", "./fragment.tex.j2/", "nope.tex.j2", "../templates/page.css"):
        refused(tmp_path, f'<% include "{name}" %>')


@pytest.mark.thinned(2)
@pytest.mark.parametrize("what", ["fifo", "large", "binary", "folder"])
def test_a_file_that_is_no_template_is_refused(what: str, tmp_path: Path) -> None:
    path = tmp_path / "own.txt.j2"
    if what == "fifo":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"a" * 2**20 if what == "large" else b"\xff\xfe\x00")
    with pytest.raises(TemplateError):
        render_template(path, COUNTED, DATA)


# --- what no template can use up ------------------------------------------------------------

def again(body: str, times: int = 99_999) -> str:
    """A body as often as a range goes."""
    return f"<% for i in range({times}) %>{body}<% endfor %>"


def kept(start: str, change: str, end: str = "", times: int = 99) -> str:
    """A value that each round changes."""
    return f"<% set ns = namespace(x={start}) %>{again(f'<% set ns.x = {change} %>', times)}{end}"


def called(parameters: str, arguments: str, end: str) -> str:
    """A macro that calls itself 60 times, then does something."""
    return (f"<% macro m(n) %><% if n %><< m(n - 1, {arguments}) >><% else %>{end}<% endif %>"
            f"<% endmacro %><< m(60, {parameters}) >>")


DOUBLED = "<% set a0 = [1] %>" + "".join(
    f"<% set a{i} = [a{i - 1}, a{i - 1}] %>" for i in range(1, 60))
TUPLES = DOUBLED.replace("[", "(").replace("]", ",)")
WIDE = "A" * 50_000

SPACED = "<% set x = 'a ' * 14000000 %>"
ALIKE = "<% set x = 'a' * 900000 %><% set y = 'a' * 300000 %><% set z = 'b' * 300000 %>"
LONG = "('a.' * 14000000)"

#: Each would take minutes or gigabytes where work is not measured.
GREEDY = {
    "text times a number": "<< 'x' * 10**10 >>", "list times a number": "<< [1] * 10**10 >>",
    "a tower": "<< 9**(9**9) >>", "squares": kept("3", "ns.x * ns.x"),
    "a long range": "<< range(10**12)|length >>", "empty loops": again(again("")),
    "output": again(WIDE), "a set block": f"<% set x %>{again(WIDE)}<% endset %>",
    "a macro": f"<% macro m() %>{WIDE}<% endmacro %>{again('<% set x = m() %>')}",
    "doubling by ~": kept("'aaaa'", "ns.x ~ ns.x"), "doubling by +": kept("'aaaa'", "ns.x + ns.x"),
    "doubling a list": kept("[1]", "ns.x + ns.x"),
    "lists in lists, compared": DOUBLED + "<< a59 == a58 >>",
    "tuples in tuples, hashed": TUPLES + "<< {a59: 1} >>",
    "lists in lists, as JSON": kept("[1]", "[ns.x, ns.x]", "<< ns.x|tojson >>"),
    "tables in tables": kept("{}", "dict(a=ns.x, b=ns.x)"),
    "arguments in arguments": called("1", "varargs, varargs", "<< varargs == 1 >>"),
    "keywords in keywords": called("a=1", "a=kwargs, b=kwargs", "<< kwargs == 1 >>"),
    "recursion": "<% macro m() %><< m() >><% endmacro %><< m() >>",
    "replace": "<< ('a' * 90000)|replace('a', 'b' * 90000) >>",
    "replace of nothing": "<< ('a' * 90000)|replace('', 'b' * 90000) >>",
    "join": "<< range(99999)|join('x' * 90000) >>", "batch": "<< [1]|batch(10**9, 0)|length >>",
    "center": "<< 'x'|center(10**9) >>", "places": "<< 1.5|round(10**9) >>",
    "indentation": "<< data|tojson(indent=10**9) >>",
    "JSON again and again": again("<% set x = data|tojson(8) %>"),
    "a deep expression": f"<< {'(' * 9000}1{')' * 9000} >>",
    "a long chain": f"<< data{'.a' * 20_000} >>", "a long sum": f"<< 1{'+1' * 20_000} >>",
    "nested ifs": "<% if 1 %>" * 400 + "<% endif %>" * 400,
    "nested loops": "<% for a in [1] %>" * 30 + "<< a >>" + "<% endfor %>" * 30,
    "a long number": f"<< {'9' * 20_000} >>", "itself": "<% include '/own.j2' %>",
    "its block": "<% block a %><< self.a() >><% endblock %>",
    "slices": "<% set x = 'a' * 900000 %>" + "".join(
        f"<% set y{i} = x[{i}:] %>" for i in range(2000)),
    "words of a text": "<% set x = 'a ' * 9000000 %><< x.split()|length >>",
    "titles": "<% set x = 'a ' * 9000000 %><< x|title|length >>",
    "documents": kept("[]", "ns.x + [document]", "<< ns.x|string >>", 20_000),
    "a width": "<< '%999999999d' % 1 >>", "a format": "<< '{:999999999}'.format(1) >>",
    "long words": "<< out.title('a ' * 9000000) >>",
    "sums of lists": "<< [[1], [2]]|sum(start=[]) >>", "many remarks": "<#" * 30_000,
    "an escape": "<< '" + "\\'" * 30_000,
    # Single operations whose time grows with a product, or that hold much: no account sees them.
    "words from the right": ALIKE + "<< x.rsplit(y ~ 'b' ~ y)|length >>",
    "parts from the right": ALIKE + "<< x.rpartition(y ~ 'b' ~ y)|length >>",
    "a strip": ALIKE + "<< x.strip(z ~ 'a')|length >>", "a trim": ALIKE + "<< x|trim(z ~ 'a') >>",
    "an attribute": f"<< [data]|sort(attribute={LONG}) >>",
    "groups": f"<< [data]|groupby({LONG}) >>",
    "the largest": f"<< [data]|max(attribute={LONG}) >>",
    "digits": "<% set x = ('9' * 1000000)|int(base=16) %>"
              "<% set y = ('7' * 500000)|int(base=16) %>"
              "<< x is divisibleby(y) >>",
    "a long list": "<< ('a' * 30000000)|list|join('')|length >>",
    "lists of a text": SPACED + kept("[]", "ns.x + [x|list]", "", 9),
    "a default": "<< 'x'|default('y' * 10**9) >>"}

CHILD = """
import json, os, resource, sys
from pathlib import Path
from symparam.errors import TemplateError
from symparam.documents.count_data import count_json, count_model
from symparam.documents.count import count_document
from symparam.templating.template import render_template
from symparam.descriptions.load import load
result = count_model(load("gpt2"))
document, data = count_document(result, False), count_json(result, True)
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
path, report = Path(sys.argv[1]), {}
for name, text in json.load(sys.stdin).items():
    path.write_text(text)
    start = sum(os.times()[:4])
    try:
        end = f"wrote {len(render_template(path, document, data))}"
    except TemplateError as error:
        end = "refused"
    except BaseException as error:
        end = repr(error)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    report[name] = [end, sum(os.times()[:4]) - start, peak]
print(json.dumps(report))
"""


@pytest.mark.thinned(4)
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_greedy_templates_end_soon_and_small(every: int, tmp_path: Path) -> None:
    """All in one process, whose memory is bounded and looked at."""
    some = dict(list(GREEDY.items())[::every])
    done = subprocess.run([sys.executable, "-c", CHILD, str(tmp_path / "own.txt.j2")], check=True,
                          input=json.dumps(some), capture_output=True, text=True, timeout=120,
                          cwd=Path(__file__).parent.parent)
    report = json.loads(done.stdout)
    assert set(report) == set(some)
    assert {name: end for name, (end, _, _) in report.items() if end != "refused"} == {}
    most = confined.SECONDS + .5  # (a single operation ends with its process, and that was begun)
    assert {name: took for name, (_, took, _) in report.items() if took > most} == {}
    assert max(peak for _, _, peak in report.values()) < 500


@pytest.mark.thinned(2)
@pytest.mark.parametrize("work", ["ends it with a signal", "waits", "raises", "says too much"])
def test_a_process_that_fails_is_one_line(work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "PATIENCE", 0.5)
    monkeypatch.setattr(confined, "LONGEST", 2**20)
    acts: dict[str, Any] = {
        "ends it with a signal": lambda: os.kill(os.getpid(), signal.SIGTERM),
        "waits": lambda: time.sleep(60), "raises": lambda: 1 // 0, "says too much": lambda:
        "x" * 2**22}
    start = time.monotonic()
    with pytest.raises(TemplateError) as caught:
        confined.confined(acts[work], "own.j2")
    message(caught.value)
    assert time.monotonic() - start < 10


def test_a_process_can_write_no_file_and_hands_back_any_text(tmp_path: Path) -> None:
    path = tmp_path / "made"

    def work() -> str:
        try:
            path.write_text("x")
        except OSError:
            return "é\ud800\0"
        return "it could"

    assert confined.confined(work, "own.j2") == "é\ud800\0"
    assert not path.exists() or not path.read_text()


def test_the_process_of_a_template_is_over_when_its_text_is_there(
        monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: made.append(found := fork()) or found)
    assert confined.confined(lambda: "x", "own.j2") == "x"
    with pytest.raises(ChildProcessError):
        os.waitpid(made[0], 0)


@pytest.mark.thinned(3)
def test_time_ends_it_where_work_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.Account.__init__, "__defaults__", (10**15, 0.3))
    start = time.monotonic()
    error = refused(tmp_path, GREEDY["empty loops"])
    assert "0.3 seconds" in error.problem
    assert error.line == 1
    assert time.monotonic() - start < 3


#: What makes a text longer than what it is given.
LONGER = {"joined": "<< [1, 2, 3] | join(wide) >>", "replaced": "<< 'abab' | replace('a', wide) >>",
          "indented": "<< [1, 2, 3] | tojson(indent=4) >>", "repeated": "<< wide * 3 >>",
          "put together": "<< wide ~ wide >>"}


@together(("text"), list(LONGER.values()), ids=list(LONGER))
def test_what_a_template_makes_is_paid_for(text: str, tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    accounts: list[sandbox.Account] = []

    class Seen(sandbox.Account):
        def __init__(self) -> None:
            super().__init__()
            accounts.append(self)

    monkeypatch.setattr(sandbox, "Account", Seen)
    monkeypatch.setattr("symparam.templating.template.confined", lambda work, _: work())
    made = written(tmp_path, "<% set wide = 'x' * 5000 %>" + text, "markdown")
    spent = accounts[-1].work - accounts[-1].left
    assert spent >= 5000 + 2 * len(made)  # made once, and written


#: What a filter pays for, over the same expression without it.
PAID = {"'abab' | replace('a', 'wxyz')": 4 + 2 * 4, "'abab' | replace('c', 'wxyz')": 4,
        "['ab', 'c'] | join('--')": 3 + 2 * 2}


@pytest.mark.parametrize("text", PAID)
def test_a_filter_pays_for_what_it_makes(text: str, tmp_path: Path,
                                         monkeypatch: pytest.MonkeyPatch) -> None:
    paid: list[int] = []
    before = sandbox.Account.pay
    monkeypatch.setattr(sandbox.Account, "pay", lambda self, cost: (
        paid.append(cost), before(self, cost))[1])
    monkeypatch.setattr("symparam.templating.template.confined", lambda work, _: work())
    written(tmp_path, f"<< {text} >>", "markdown")
    assert PAID[text] in paid


@pytest.mark.slow
def test_a_large_document_is_no_work_to_speak_of(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts: list[sandbox.Account] = []

    class Seen(sandbox.Account):
        def __init__(self) -> None:
            super().__init__()
            accounts.append(self)

    monkeypatch.setattr(sandbox, "Account", Seen)
    monkeypatch.setattr("symparam.templating.template.confined", lambda work, _: work())
    short = DERIVED.document()
    long = Document(short.title, short.blocks * 4)
    for document, part in ((short, 20), (long, 5)):
        text = '<% extends "document.html.j2" %>'
        assert written(tmp_path, text, "html", document=document) == render(document, "html")
        assert part * (accounts[-1].work - accounts[-1].left) < accounts[-1].work


# --- the language is closed -----------------------------------------------------------------

#: What Jinja2 can parse and templates here cannot use. A new kind of node makes this fail.
KEPT_OUT = {
    "Break", "Continue", "ContextReference", "DerivedContextReference", "EnvironmentAttribute",
    "EvalContextModifier", "ExprStmt", "ExtensionAttribute", "FilterBlock", "ImportedName",
    "InternalName", "MarkSafe", "MarkSafeIfAutoescape", "OverlayScope", "Scope",
    "ScopedEvalContextModifier"}


def kinds(cls: type) -> set[type]:
    """A class and all below it."""
    return {cls}.union(*(kinds(below) for below in cls.__subclasses__()))


def test_every_statement_of_jinja_is_allowed_or_kept_out() -> None:
    known = {kind.__name__ for kind in kinds(nodes.Node) if kind.__module__ == nodes.__name__
             and not kind.abstract and kind not in {nodes.Helper, nodes.Expr, nodes.Stmt}}
    allowed = {kind.__name__ for kind in sandbox._ALLOWED}
    assert known - {"Node"} == allowed | KEPT_OUT


#: What filters that Jinja has too make of what is usual.
AS_JINJA = """
    -3|abs; 'ab'|count; none|d(1); gone|default('x')
    {'b': 1, 'a': 2}|dictsort|map('first')|join; [3, 1]|first; '2.5'|float
    [{'k': 1}, {'k': 2}, {'k': 1}]|groupby('k')|map('first')|join; '7'|int
    {'a': 1}|items|map('last')|join; 'ab'|list|last; 'abc'|length
    [{'k': 1}]|map(attribute='k')|join; [3, 1]|max; [3, 1]|min; [1, 2, 3]|reject('odd')|join
    [{'k': 0}]|rejectattr('k')|map(attribute='k')|join; 'abc'|reverse
    [1, 2, 3]|select('odd')|join; [{'k': 0}, {'k': 1}]|selectattr('k')|map(attribute='k')|join
    [3, 1, 2]|sort|join; [1, 1, 2]|unique|join; 'abc d'|capitalize; 'AB'|lower; 'ab'|safe
    12|string; 'ab cd'|title; ' ab '|trim; 'ab'|upper; [3, 1, 2]|join('-')
    [{'k': 1}, {'k': 2}]|join('-', attribute='k'); [1, 'a', 2.5]|join; 'abab'|replace('a', 'xy')
    [1, 2, 3]|batch(2)|map('join', '+')|join; [1, 2]|sum
    [{'k': 2}, {'k': 3}]|sum(attribute='k', start=4); 2.345|round(2); 2.5|round
    {'a': [1]}|tojson
""".replace("\n", ";").split(";")


@pytest.mark.usefixtures("here")
def test_a_filter_that_jinja_has_too_does_what_it_does_there(tmp_path: Path) -> None:
    cases = [case.strip() for case in AS_JINJA if case.strip()]
    lines = "\n".join(f"<< {case} >>" for case in cases)
    theirs = jinja2.Environment(**SYNTAX).from_string(lines).render().splitlines()
    assert dict(zip(cases, written(tmp_path, lines).splitlines(), strict=True)) == dict(
        zip(cases, theirs, strict=True))
    tried = {name for case in cases for name in re.findall(r"\|(\w+)", case)}
    assert tried >= set(FILTERS) & set(jinja2.filters.FILTERS)


def test_filters_tests_and_functions_are_those_listed() -> None:
    text = DOCS.read_text(encoding="utf-8")
    named_there = set(re.findall(r"`(\w+)(?:\(\w+\))?`", text[text.index("Filters: "):]))
    assert set(FILTERS) - named_there == {"d"}
    assert set(FUNCTIONS) <= named_there
    assert not {"format", "attr", "center", "indent", "wordwrap", "xmlattr", "urlize", "pprint",
                "random"} & set(FILTERS)
    assert not {"callable", "filter", "test", "escaped"} & set(TESTS)
    assert "lipsum" not in FUNCTIONS


@pytest.mark.usefixtures("here")
@settings(quick, max_examples=150)
@given(st.one_of(
    st.text("<%>#{}() abcx.'\"|~*+=[]_19\n", max_size=60), st.text(max_size=30),
    st.lists(st.sampled_from((
        "<< ", " >>", "<% ", " %>", "data", "document", "out", ".", "blocks", "[0]", "|", "x",
        "for x in ", "endfor", "if ", "endif", "set x = ", "1", "'a'", " ~ ", " * ", " + ", "(",
        ")", "block a", "endblock", "include 'document.txt.j2'", "extends 'document.txt.j2'",
        "tojson", "range(3)", "macro m(a)", "endmacro", "m(1)", "not ", " == ", "\n", "length")),
        max_size=16).map("".join)))
def test_any_text_as_a_template(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    try:
        assert written(folder, text.encode("utf-8", "replace").decode("utf-8")).endswith("\n")
    except TemplateError as error:
        message(error)


@pytest.mark.thinned(3)
@pytest.mark.usefixtures("here")
def test_hostile_names_are_inert_through_a_template(tmp_path: Path) -> None:
    text = "<< out.text(data.model) >>"
    path = tmp_path / "own.j2"
    path.write_text(text, encoding="utf-8")
    for kind, (_, writer) in FORMATS.items():
        for name in HOSTILE if kind != "text" else ():
            found = render_template(path, COUNTED, {"model": name}, kind=kind)
            assert found.rstrip("\n") == str(writer().text(name)).rstrip("\n")
    path.write_text("<< data.model >>", encoding="utf-8")
    shown = render_template(path, COUNTED, {"model": "<script>"}, kind="html")
    assert shown == "&lt;script&gt;\n"


# --- the page of the documentation ----------------------------------------------------------

PAGE = DOCS.read_text(encoding="utf-8")
TEMPLATES = {re.match(r"<# (\S+) #>", text)[1]: text  # type: ignore[index]
             for text in re.findall(r"```jinja\n(.*?)```", PAGE, re.DOTALL)}
SESSIONS = re.findall(r"```console\n\$ symparam ([^\n]+)\n(.*?)\n```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("command", "shown"), SESSIONS)
def test_the_sessions_of_the_page(command: str, shown: str, tmp_path: Path,
                                  monkeypatch: pytest.MonkeyPatch,
                                  capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in TEMPLATES.items():
        Path(name).write_text(text, encoding="utf-8")
    assert run(shlex.split(command)) == 0
    assert capsys.readouterr().out.rstrip() == shown


@pytest.mark.thinned(3)
def test_the_other_template_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "paper.tex.j2"
    path.write_text(TEMPLATES["paper.tex.j2"], encoding="utf-8")
    found = DERIVED.template(path)
    assert found.count(r"\paragraph{") == len(re.findall(r"\\boldmath \d", DERIVED.latex()))
    assert "symbol & meaning" not in found
    assert found.endswith("% 124,439,808 parameters\n")
    assert len(TEMPLATES) == 3
    assert len(SESSIONS) == 2


def test_nothing_that_begins_with_an_underscore_is_a_template_s() -> None:
    found = sandbox.Sandbox(writer := object(), FILTERS, TESTS, FUNCTIONS)
    assert found.is_safe_attribute(writer, "plain", None)
    assert not found.is_safe_attribute(writer, "_hidden", None)
