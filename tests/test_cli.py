"""The command line: what is typed, what comes back, on which stream, with which exit code."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import stat
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from symparam import components
from symparam.cli.main import COMMANDS, run
from symparam.descriptions.catalogue import names
from tests.helpers import together


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ran]
ENTRY = [sys.executable, "-c", "from symparam.cli.main import main; main()"]
SMALL = ["V=100", "L=2", "d_model=8", "n_heads=2"]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """A command line run in this process; its text split at blanks, or given word by word."""

    def call(line: str, *more: str) -> Ran:
        code = run([*line.split(), *more])
        return Ran(code, *capsys.readouterr())

    return call


def refused(ran: Ran) -> str:
    """The message of a refusal: exit 2, nothing on stdout, one line on stderr."""
    assert ran.code == 2, ran
    assert not ran.out
    assert ran.err.count("\n") == 1
    assert ran.err.endswith("\n")
    assert ran.err.startswith("symparam: ")
    assert "Traceback" not in ran.err
    return ran.err.removeprefix("symparam: ").rstrip("\n")


def done(ran: Ran) -> str:
    """The data of a command that went well, with nothing on stderr."""
    assert (ran.code, ran.err) == (0, "")
    return ran.out


# --- sessions -------------------------------------------------------------------------------

@pytest.mark.thinned(2)
@pytest.mark.parametrize(("line", "words"), [
    ("count gpt2", ["124,439,808", "tied", "100.0 %"]),
    ("count gpt2 --bias attn-out,ffn", ["124,412,160"]),
    ("count llama-2-7b", ["6,738,415,616", "6,607,343,616", "6,476,271,616", "96.1 %"]),
    ("derive llama-2-7b --format markdown", ["6,738,415,616", "$$"]),
    ("derive --ffn swiglu --latex", [r"\begin{align*}", r"\tfrac{8}{3}"]),
    ("derive --ffn swiglu --latex --standalone", [r"\documentclass", r"\end{document}"]),
    ("derive --ffn swiglu --standalone", [r"\documentclass"]),
    ("derive --ffn mlp --assume d_ff=4*d_model --leading", ["12·L·d_model²", "2·V·d_model"]),
    ("derive --leading L", ["P ≈ 2·L·d_model·(6·d_model + 1)"]),
    ("derive --leading gpt2", ["P ≈ 12·L·d_model²", "124,439,808"]),
    ("derive --leading L=3 --ffn swiglu", ["P ≈ 12·L·d_model²"]),
    ("count gpt2 L=24 --tied", ["209,494,272", "L 12 → 24"]),
    ("models", ["llama-2-7b", "6,738,415,616"]),
    ("components", ["swiglu", "Shazeer"]),
    ("count --help", ["--bias", "KEY=VALUE"]),
    ("derive -h", ["--assume", "--leading"]),
    ("--help", ["derive", "count", "solve", "align", "models", "components"]),
    ("--version", ["symparam, version 0.1.0"]),
])
def test_a_session(cli: Cli, line: str, words: list[str]) -> None:
    out = done(cli(line))
    assert [word for word in words if word not in out] == []
    assert "\x1b" not in out
    assert out.endswith("\n")


def test_a_config_a_folder_and_a_description_are_models(cli: Cli, tmp_path: Path) -> None:
    config = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
              "vocab_size": 50257, "n_positions": 1024, "architectures": ["GPT2LMHeadModel"]}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.toml").write_text(
        '[dims]\nV = 10\nL = 2\nd_model = 8\nn_heads = 2\nd_ff = "8/3*d_model, up to 16"\n'
        '[[blocks]]\nattention = "mha"\nffn = "swiglu"\nnorm = "rmsnorm"\n')
    for place in (tmp_path, tmp_path / "config.json"):
        found = json.loads(done(cli("count --tensors --json", str(place))))
        assert found["total"] == 124_439_808
        assert sum(t["numel"] for t in found["tensors"]) == 124_439_808
    # 2·10·8 + 2·(4·64 + 3·8·32 + 16) + 8 by hand
    assert json.loads(done(cli("count --json", str(tmp_path / "own.toml"))))["total"] == 2248


def test_options_and_arguments_in_any_order(cli: Cli) -> None:
    parts = ["llama-2-70b", "L=3", "--bias=qkv", "--json"]
    found = {done(cli("count", *order)) for order in permutations(parts)}
    assert len(found) == 1
    first = done(cli("derive --leading L --json gpt2"))
    assert first == done(cli("derive gpt2 --json --leading L"))


@together("alias", ["V", "vocab_size", "vocab"])
@together("number", ["128k", "128000", "1.28e5", "128*1000", "2**7*1000", "128_000"])
def test_aliases_and_numbers(cli: Cli, alias: str, number: str) -> None:
    found = json.loads(done(cli(f"count gpt2 --json {alias}={number}")))
    assert found["dims"]["V"] == 128_000
    assert found["total"] == 124_439_808 + (128_000 - 50_257) * 768


@pytest.mark.parametrize("notation", ["paper", "hf", "megatron", "scaling-book", "palm"])
def test_every_notation_counts_alike(cli: Cli, notation: str) -> None:
    out = done(cli(f"derive gpt2 --notation {notation}"))
    assert ("hidden_size" in out) == (notation == "hf")
    assert "124,439,808" in out


# --- refusals -------------------------------------------------------------------------------

@together(("line", "words"), [
    ("count gpt2 d_modle=5", "did you mean d_model?"),
    ("count gpt2 hiden_size=5", "hidden_size"),
    ("derive gpt2 --leading d_modl", "d_model"),
    ("count gtp2", "gpt2"),
    ("count --ffn swigl", "swiglu"),
    ("count gpt2 --notation papre", "paper"),
    ("count gpt2 --norm layernrom", "layernorm"),
    ("count gpt2 h=3", "n_heads or d_model"),
    ("count --positions rope d_head=5 n_heads=4 V=10 L=2 d_model=20", "4 or 6 would do"),
    ("count llama-2-7b d_head=127", "126 or 128 would do"),
    ("count llama-2-70b n_kv=7", "n_kv = 1 or 2 or 4 or 8 would do"),
    ("count gpt2 d_model=100", "give a d_model that n_heads divides"),
    ("count gpt2 n_heads=7", "d_head=..."),
    ("count gpt2 L=0", "at least 1"), ("count gpt2 L=-3", "at least 1"),
    ("count gpt2 L=2.5", "whole number"), ("count gpt2 L=1/3", "whole number"),
    ("count gpt2 L=1e13", "10^12"), ("count gpt2 L=9**99", "64"),
    ("count gpt2 L=10**60", "40 digits"), ("count gpt2 L=1/0", "division by zero"),
    ("count gpt2 L=" + "9" * 100, "40 digits"), ("count gpt2 L=" + "(" * 300, "deep"),
    ("count gpt2 L=" + "1+" * 6000 + "1", "10000 characters"),
    ("count gpt2 L=3,4", "thousands are written without commas"),
    ("count gpt2 L=", "text ends"), ("count gpt2 =3", "name of a symbol"),
    ("count gpt2 L==3", "character 3"), ("count gpt2 L=3^4", "write ** for a power"),
    ("count gpt2 L=7b", "did you mean 7B?"), ("count gpt2 L=1:9:2", "ranges belong to sweep"),
    ("count gpt2 L=__import__('os').system('id')", "no meaning"),
    ("count gpt2 L=3 n_layer=4", "give L once"), ("count gpt2 L=3 L=3", "give L once"),
    ("count gpt2 P=3", "for solve"), ("count gpt2 L=?", "for solve"),
    ("derive gpt2 gpt2-xl", "one MODEL"), ("count", "V=..."),
    ("count gpt2 --ffn dense", "mlp, moe,"), ("count gpt2 --bias qvk", "qkv"),
    ("count bert-base --tied", "no head"), ("count gpt2 --as mlm", "base, causal"),
    ("count --as base", "needs a MODEL"),
    ("count gpt2 --keep-ratios", "--keep-ratios = no d_model: give the model's new d_model=..."),
    ("count gpt2 --wat", "No such option"), ("frobnicate", "known: align,"),
    ("conut gpt2", "unknown command 'conut'; did you mean count"), ("docs buidl", "mean build?"),
    ("cost gpt2 --quantity memory", "symparam derive MODEL --quantity NAME"),
    ("solve P=7e9 L=32 --align 128", "solve takes multiples by --multiple d_model=256"),
    ("plot flops", "flops is a quantity: 'symparam plot over MODEL s=START:STOP:STEP --quantity"),
    ("plot over flops llama-2-7b", "plot compare MODEL... --columns flops'"),
    ("plot flop", "unknown kind of picture 'flop'; did you mean flow or isoflop?"),
    ("plot cach gpt2", "unknown kind of picture 'cach'; did you mean cache?"),
    ("plot qq gpt2", "unknown kind of picture 'qq'; known: cache, compare, "),
    ("plot over gptx2", "unknown model 'gptx2'"),
    ("solve gpt2 w=? --target memory<=1e9", "w is the letter of window: write window"),
    ("solve gpt2 wat=? --target memory<=1e9", " s b s_encoder D"),
    ("sweep gpt2 L=6:48:0", "the step of L = 0: must be at least 1"),
    ("count gpt2 --bias", "requires an argument"), ("count gpt2 --norms-per-block 3", "'1'"),
    ("count gpt2 --json --latex", "one format"), ("count gpt2 --latex --format text", "one format"),
    ("count gpt2 --json --format markdown", "one format"),
    ("derive gpt2 --standalone --json", "--latex"),
    ("derive gpt2 --standalone --format markdown", "--latex"),
    ("derive gpt2 --standalone --format text", "--latex"),
    ("derive --assume none --leading", 'd_head = d_model/n_heads" --assume "d_ff = 4*d_model"'),
    ("derive gpt2 --assume d_ff=8*d_model", "6144"), ("derive gpt2 --assume x", "unknown symbol"),
    ("derive gpt2 --assume d_ff", "one '='"), ("derive gpt2 --leading n_heads", "n_heads"),
    ("derive gpt2 --assume P=3", "P"), ("derive gpt2 --assume d_ff=P", "P"),
    ("count /no/such/config.json", "/no/such/config.json"),
    ("count .", "a folder is read by the config.json in it, and this one has none"),
    ("models gpt2 llama", "unexpected extra argument"), ("models gptx2", "did you mean"),
])
def test_bad_input_is_one_line_that_says_what_would_be_right(
        cli: Cli, line: str, words: str) -> None:
    assert words in refused(cli(line))


@pytest.mark.parametrize("option", ["--bib", "--template", "--output", "--notation", "--part"])
def test_an_option_with_nothing_behind_it_is_refused(
        option: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["count", "gpt2", option, ""], ["count", option, "", "gpt2"],
                  ["count", "gpt2", f"{option}="]):
        assert run(words) == 2
        assert capsys.readouterr() == (
            "", f"symparam: {option} = nothing: give it a value, or leave it out\n")


def test_a_trace_of_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", ""]) == 2
    assert "TARGET = nothing: expected one: file.py:Model" in capsys.readouterr().err


def sections(text: str) -> dict[str, set[str]]:
    """The options that help shows under each of its headings."""
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if heading := re.fullmatch(r"(\S.*):", line):
            found[heading[1]] = set()
        elif option := re.match(r"  (?:-\w, )?(--[\w-]+)", line):
            found[list(found)[-1]].add(option[1])
    return found


def test_help_begins_with_what_is_the_commands_own_and_ends_with_what_all_share(cli: Cli) -> None:
    """An option of more than half of the commands stands under a heading that they share."""
    helped = {name: sections(done(cli(f"{name} --help"))) for name in COMMANDS if name != "docs"}
    shared = {option for option in set.union(*(o for s in helped.values() for o in s.values()))
              if 2 * sum(option in set.union(*s.values()) for s in helped.values()) > len(helped)}
    assert {"--json", "--help", "--attention", "--keep-ratios"} < shared
    for name, found in helped.items():
        assert list(found) == [heading for heading in (
            "Options", "Architecture", "What it is run with", "Output") if heading in found], name
        assert not shared & found.get("Options", set()), name
        rest = set.union(*(o for heading, o in found.items() if heading != "Options"))
        alone = {o for o in rest if sum(o in set.union(*s.values()) for s in helped.values()) == 1}
        assert not alone, name
        assert {"--json", "--output", "--quiet", "--help"} <= found["Output"]
    places = {(option, heading) for found in helped.values() for heading, options in found.items()
              for option in options}
    assert len(places) == len({option for option, _ in places}), "one option, two headings"


@together("name", ["", *COMMANDS, "docs build", "docs check"])
def test_help_fits_a_terminal(cli: Cli, name: str) -> None:
    out = done(cli(f"{name} --help"))
    assert max(map(len, out.splitlines())) <= 80
    assert "..." not in out.partition("Commands:")[2].partition("\n\n")[0]


def test_a_kind_is_listed_where_help_names_its_option(cli: Cli) -> None:
    told = " ".join(done(cli("count --help")).split()).replace("- ", "-")
    for slot in ("attention", "ffn", "norm", "positions"):
        assert f"--{slot} KIND" in told
        assert all(kind in told for kind in components.choices(slot))


def test_no_command_shows_help_and_fails(cli: Cli) -> None:
    ran = cli("")
    assert (ran.code, ran.out) == (2, "")
    assert "derive" in ran.err


def test_a_message_stays_short_however_long_the_input(cli: Cli) -> None:
    for line in (f"count {'x' * 9999}", f"count gpt2 {'d' * 9999}=3", f"count {'x' * 9999}.json",
                 f"derive gpt2 --leading {'y' * 9999}", f"derive gpt2 --assume {'z' * 300}=1",
                 f"count gpt2 --bias {'q' * 9999}", f"count gpt2 -o {'f' * 9999}",
                 f"count {' '.join(['gpt2'] * 500)}", f"{'c' * 9999}", f"count --{'o' * 9999}",
                 f"count gpt2 --ffn {'m' * 9999}"):
        assert len(refused(cli(line))) < 500, line[:40]


# --- remarks and quiet ----------------------------------------------------------------------

def test_remarks_go_to_stderr_and_quiet_leaves_them_out(cli: Cli) -> None:
    ran = cli("count llama-2-70b n_kv_groups=4 --json")
    assert ran.code == 0
    assert json.loads(ran.out)["dims"]["n_kv"] == 4
    assert ran.err == "note: n_kv_groups is taken as n_kv: a number of key-value heads\n"
    unused = cli("count llama-2-7b n_ctx=77")
    assert "n_ctx does not enter the count" in unused.err
    for line in ("count llama-2-70b n_kv_groups=4 --quiet", "count llama-2-7b n_ctx=77 -q"):
        assert done(cli(line))
    assert done(cli("count llama-2-70b n_kv_groups=4 --quiet --json")) == ran.out


# --- files ----------------------------------------------------------------------------------

def leftovers(folder: Path) -> list[str]:
    """Files in a folder, hidden ones too."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("form", "commands"), [
    ("text", ("count gpt2", "components")), ("markdown", ("count gpt2", "models")),
    ("latex", ("count gpt2", "derive gpt2")), ("json", ("derive gpt2", "components"))])
def test_a_file_holds_what_stdout_would_have(
        cli: Cli, tmp_path: Path, form: str, commands: tuple[str, ...]) -> None:
    path = tmp_path / "out"
    for command in commands:
        path.unlink(missing_ok=True)
        shown = done(cli(f"{command} --format {form}"))
        ran = cli(f"{command} --format {form} -o", str(path))
        assert (ran.code, ran.out, ran.err) == (0, "", f"wrote {path}\n")
        assert path.read_bytes().decode("utf-8") == shown
    assert done(cli("count gpt2 --force --quiet -o", str(path))) == ""
    assert leftovers(tmp_path) == ["out"]


def test_an_existing_file_is_kept_unless_forced(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    assert "--force" in refused(cli("count gpt2 -o", str(path)))
    assert path.read_text() == "old"
    assert cli("count gpt2 --force -o", str(path)).code == 0
    assert "124,439,808" in path.read_text()
    assert leftovers(tmp_path) == ["out"]


def test_a_new_file_may_be_read_as_any_other(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    cli("count gpt2 -o", str(tmp_path / "out"))
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "out")}
    assert len(modes) == 1


@together("place", [".", "missing/out", "file/out", "x" * 300, ""])
def test_a_place_that_cannot_be_written(cli: Cli, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("old")
    refused(cli("count gpt2 --force -o", f"{tmp_path}/{place}"))
    assert leftovers(tmp_path) == ["file"]


@pytest.mark.parametrize("broken", ["symparam.files.writing.temporary_beside", "os.fsync",
                                    "pathlib.Path.replace", "pathlib.Path.open"])
def test_a_write_that_fails_leaves_the_old_file(
        cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(broken, fail)
    ran = cli("count gpt2 --force -o", str(path))
    monkeypatch.undo()
    assert "No space left" in refused(ran)
    assert path.read_text() == "old"
    assert leftovers(tmp_path) == ["out"]


def test_force_replaces_files_and_nothing_else(cli: Cli, tmp_path: Path) -> None:
    """A pipe or a device that lost its place to a file would be a disaster (/dev/null)."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused(cli("count gpt2 --force -o", str(pipe)))
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_is_followed(cli: Cli, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    refused(cli("count gpt2 -o", str(link)))
    assert cli("count gpt2 --force -o", str(link)).code == 0
    assert link.is_symlink()
    assert "124,439,808" in real.read_text()


# --- the process: streams, terminals, completion --------------------------------------------

def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own."""
    return subprocess.run([*ENTRY, *arguments], env={**os.environ, **environment},
                          capture_output=True, timeout=60, check=False)


@pytest.mark.slow
def test_a_reader_that_stops_early_is_no_error() -> None:
    with subprocess.Popen([*ENTRY, "models", "--json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(1)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(30) == 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_output_that_lacks_characters_is_no_traceback(encoding: str) -> None:
    found = process("count", "gpt2", PYTHONIOENCODING=encoding)
    assert b"Traceback" not in found.stderr
    assert found.returncode == 0
    assert b"124,439,808" in found.stdout


def with_stdout(place: Path, words: str, before: str = "", unbuffered: str = ""
                ) -> subprocess.CompletedProcess[bytes]:
    """A command whose stdout is a file, after lines of Python that say what may be written there;
    as ``python -u`` runs it, where it is to be unbuffered."""
    with place.open("wb") as out:
        return subprocess.run([sys.executable, "-c", f"{before}\n{ENTRY[2]}", *words.split()],
                              env={**os.environ, "PYTHONUNBUFFERED": unbuffered}, stdout=out,
                              stderr=subprocess.PIPE, timeout=60, check=False)


def refused_in_a_line(found: subprocess.CompletedProcess[bytes]) -> bool:
    """Whether a command ended with one line that says that its output cannot be written."""
    return (found.returncode, found.stderr.count(b"\n")) == (2, 1) and found.stderr.startswith(
        b"symparam: the output cannot be written: ")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("target", [">/dev/full", ">&-"])
def test_an_output_that_cannot_be_written_is_one_line(target: str, unbuffered: str) -> None:
    line = " ".join(["exec", sys.executable, "-c", f"'{ENTRY[2]}'", "count gpt2", target])
    found = subprocess.run(["/bin/sh", "-c", line], capture_output=True, timeout=60, check=False,
                           env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    assert refused_in_a_line(found), found


@pytest.mark.thinned(4)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_has_room_for_a_part_is_no_success(unbuffered: str, tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))"
    found = with_stdout(tmp_path / "o.tex", "derive gpt2 --latex", limit, unbuffered)
    assert refused_in_a_line(found), found
    assert (tmp_path / "o.tex").stat().st_size == 4096


@pytest.mark.thinned(4)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_takes_a_part_and_does_not_wait_is_no_success(unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        found = with_stdout(Path(f"/dev/fd/{writing}"), "sweep gpt2 L=1:9000 --format csv",
                            "import os; os.set_blocking(1, False)", unbuffered)
    finally:
        os.close(reading)
        os.close(writing)
    assert refused_in_a_line(found), found


@pytest.mark.thinned(2)
@pytest.mark.parametrize("words", ["count nope", "count gpt2 --nope", "nope"])
def test_what_is_wrong_is_said_by_the_exit_code_where_nothing_can_be_said(words: str) -> None:
    line = " ".join(["exec", sys.executable, "-c", f"'{ENTRY[2]}'", words, "2>/dev/full"])
    found = subprocess.run(["/bin/sh", "-c", line], capture_output=True, timeout=60, check=False)
    assert found.returncode == 2


@pytest.mark.thinned(2)
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["derive gpt2 -o q.tex", "count gpt2 s=4 --json"])
def test_a_remark_that_nobody_can_read_is_no_failure(
        words: str, unbuffered: str, tmp_path: Path) -> None:
    line = " ".join(["exec", sys.executable, "-c", f"'{ENTRY[2]}'", words, "2>/dev/full"])
    found = subprocess.run(["/bin/sh", "-c", line], stdout=subprocess.PIPE, timeout=60, check=False,
                           cwd=tmp_path, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    assert found.returncode == 0
    assert b"124439808" in found.stdout or (tmp_path / "q.tex").stat().st_size > 5000


@pytest.mark.parametrize("words", [
    "count gpt2 --bib -", "derive gpt2 --certificate -", "bundle gpt2 -o -",
    "plot cache gpt2 --format svg --data -"])
def test_what_stands_beside_the_answer_does_not_go_where_it_goes(
        words: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "- is stdout, where the answer goes" in refused(cli(words))
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(("words", "given", "code", "said"), [
    ("count - --json", b'{"model_type": "gpt2"}', 0, b"124439808"),
    ("count - L=1", b'[dims]\nV=10\nL=2\nd_model=8\nn_heads=2\n[[blocks]]\nattention="mha"\n'
     b'ffn="mlp"\nnorm="none"\n', 0, b"936 parameters"),
    ("diff - gpt2", b'{"model_type": "gpt2"}', 0, b"the same 124,439,808 parameters"),
    ("check - --claim P=124439808", b'{"model_type": "gpt2"}', 0, b"1 exact"),
    ("count -", b"", 2, b"standard input: is empty"),
    ("count -", b"{", 2, b"standard input: "),
    ("count -", b"torchrun x.py --num-layers 2", 2, b"it may be TOML or JSON: a file of another"),
    ("count -", b"GGUF" + bytes(5_000_000), 2, b"it may be TOML or JSON: a file of another"),
    ("count -", b"\xff\xfe", 2, b"standard input: not a text in UTF-8"),
    pytest.param("count -", b"a" * 5_000_000, 2, b"standard input: larger than", id="larger")])
def test_a_description_may_come_from_standard_input(
        words: str, given: bytes, code: int, said: bytes, cli: Cli,
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    ran = cli(words)
    assert (ran.code, said in (ran.out + ran.err).encode()) == (code, True)
    assert "Traceback" not in ran.err


def test_a_link_that_leads_nowhere_is_no_unknown_model(
        cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, to, why in (("loop", "loop", "loop: cannot be read: Too many levels of symbolic"),
                          ("gone", "none", "gone: cannot be read: No such file")):
        Path(name).symlink_to(to)
        ran = cli(f"count {name}")
        assert (ran.code, why in ran.err) == (2, True)


def test_a_description_may_come_through_a_pipe() -> None:
    found = subprocess.run([*ENTRY, "count", "-", "--json"], input=b'{"model_type": "gpt2"}',
                           capture_output=True, timeout=60, check=True)
    assert b"124439808" in found.stdout


@together("words", [
    "count {}", "count {}/config.json", "check {}/t.csv", "check gpt2 {}/t.safetensors",
    "count gpt2 --notation {}/n.toml", "diff gpt2 {}/config.json", "docs check {}/x.md",
    "count gpt2 -o {}/x.md"])
def test_an_address_is_echoed_as_it_was_typed(words: str, cli: Cli) -> None:
    ran = cli(words.format("https://example.org/gpt2"))
    refused(ran)
    assert "https://example.org/gpt2" in ran.err
    assert "https:/h" not in ran.err


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_name_that_is_no_unicode_is_no_traceback(cli: Cli, tmp_path: Path, form: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"name": "\\ud800", "dims": {"V": 10, "L": 2, "d_model": 8, "n_heads": 2},'
                    '"blocks": [{"attention": "mha", "ffn": "mlp", "norm": "none"}]}')
    ran = cli(f"count {path} --format {form}")
    if ran.code:
        refused(ran)
    else:
        ran.out.encode("utf-8")


@pytest.mark.parametrize("asked", [{}, {"COMP_WORDS": "symparam"},
                                   {"COMP_WORDS": "symparam co", "COMP_CWORD": "zzz"}])
def test_a_completion_that_is_asked_for_wrongly_is_one_line(
        asked: dict[str, str], cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_SYMPARAM_COMPLETE": "bash_complete", **asked}.items():
        monkeypatch.setenv(name, value)
    assert "COMP_CWORD" in refused(cli(""))


def test_completion_knows_models_symbols_and_choices() -> None:
    def completed(words: str) -> set[str]:
        found = process(_SYMPARAM_COMPLETE="bash_complete", COMP_WORDS=words,
                        COMP_CWORD=str(len(words.split()) - 1))
        return {line.partition(",")[2] for line in found.stdout.decode().split()}

    assert completed("symparam count llama-2") == {n for n in names() if n.startswith("llama-2")}
    assert completed("symparam cost gpt2 --device a100") == {"a100-40gb", "a100-80gb"}
    assert {"swiglu", "swiglu-down-bias"} == completed("symparam derive --ffn sw")
    assert {"d_model=", "d_ff="} <= completed("symparam count gpt2 d_")


def on_terminal(*arguments: str, columns: int = 100,
                environment: Mapping[str, str] = MappingProxyType({})) -> str:
    """What a command writes to a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "COLUMNS", "LINES"}}
    with subprocess.Popen([*ENTRY, *arguments], stdout=slave, stdin=slave,
                          env={**kept, "TERM": "xterm-256color", **environment}) as running:
        os.close(slave)
        text = b"".join(_chunks(master))
        os.close(master)
    assert running.returncode == 0
    return text.decode("utf-8").replace("\r\n", "\n")


def _chunks(master: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the other end is closed
            return
        if not chunk:
            return
        yield chunk


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, frames and colour aside."""
    return sorted(re.findall(r"[\w·²/().,%$=<>*-]+", re.sub(r"\x1b\[[0-9;]*m", "", text)))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", ["count gpt2", "derive gpt2 --leading"])
def test_a_terminal_gets_colour_and_loses_nothing(cli: Cli, line: str) -> None:
    shown = on_terminal(*line.split())
    assert "\x1b[" in shown
    assert words_of(shown) == words_of(done(cli(line)))


@pytest.mark.parametrize("columns", [30, 60])
def test_a_narrow_terminal_loses_no_number(cli: Cli, columns: int) -> None:
    numbers = set(re.findall(r"\d[\d,]{6,}", done(cli("count gpt2"))))
    assert len(numbers) >= 8
    shown = on_terminal("count", "gpt2", columns=columns)
    assert not {n for n in numbers if n not in shown}
    assert "…" not in shown


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_escape_codes_where_they_are_not_wanted(
        cli: Cli, environment: dict[str, str]) -> None:
    shown = on_terminal("count", "gpt2", environment=environment)
    assert shown == done(cli("count gpt2"))


def test_other_formats_look_the_same_on_a_terminal(cli: Cli) -> None:
    assert on_terminal("count", "gpt2", "--json") == done(cli("count gpt2 --json"))
