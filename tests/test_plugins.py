"""Packages outside: what they add works, and what of it cannot be taken breaks nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import symparam as sp
from symparam import components, dims, errors, plugins, quantities
from symparam import run as run_dims
from symparam.cli.main import run
from symparam.component import Component
from symparam.descriptions import lookup
from symparam.descriptions.config import read_config
from symparam.dims import D_FF, D_MODEL, Dim
from symparam.errors import ContractError, SpecError, UnknownName
from symparam.ledger import Matrix
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.strict import AskedTooMuch, Strict
from symparam.testing import assert_component
from tests.helpers import message, registry_kept, together

Install = Callable[..., Path]

COMPONENT = """
    from symparam.component import Component
    from symparam.dims import D_MODEL, Dim
    from symparam.ledger import Matrix

    class Narrow(Component):
        '''Down to d_narrow and back.'''
        name, slot, title, source = {name!r}, {slot!r}, "narrow", "nowhere, section 1"
        dims = (D_MODEL, {dim})
        example = {{"d_model": 5, {dim_name!r}: 3}}
        names = {{"W": "down.weight", "U": "up.weight"}}

        def matrices(self, d):
            '''Two matrices.'''
            yield Matrix("W", (d.{dim_name}, d.d_model), "down")
            yield Matrix("U", (d.d_model, d.{dim_name}), "up")
"""


def component(name: str = "narrow", slot: str = "ffn", dim_name: str = "d_narrow",
              dim: str = "") -> str:
    """The source of a component."""
    own = dim or f"Dim({dim_name!r}, 'n', 'a width')"
    return COMPONENT.format(name=name, slot=slot, dim=own, dim_name=dim_name)


def package(folder: Path, name: str, source: str, group: str, entry: str) -> None:
    """A distribution, as an installer leaves it: a module and what it says of itself."""
    (folder / f"{name}.py").write_text(dedent(source), encoding="utf-8")
    info = folder / f"{name}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[symparam.{group}]\n{entry}\n")


def forget() -> None:
    """Ask anew which packages there are, next time."""
    components._with_plugins.cache_clear()
    quantities.everything.cache_clear()
    lookup._all_families.cache_clear()
    plugins._left_out.clear()
    errors.REMARKS.clear()
    dims._outside[:] = [sp._declare_outside]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install packages for one test; what they registered is forgotten afterwards."""
    names: list[str] = []

    def added(name: str, source: str, group: str, entry: str) -> Path:
        package(tmp_path, name, source, group, entry)
        names.append(name)
        forget()
        return tmp_path

    with registry_kept():
        monkeypatch.syspath_prepend(str(tmp_path))
        yield added
    for name in names:
        sys.modules.pop(name, None)
    monkeypatch.undo()
    forget()


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The exit code of a command, and what it says."""
    capsys.readouterr()
    code = run(list(words))
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


def test_a_component_from_outside_is_a_choice_like_any_other(
        install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("narrow_ffn", component(), "components", "narrow = narrow_ffn:Narrow")
    cls = components.find("ffn", "narrow")
    assert_component(cls)
    code, out, _ = said(capsys, "derive", "llama-2-7b", "--ffn", "narrow", "d_narrow=64")
    assert code == 0
    assert "d_narrow" in out
    assert sp.load("llama-2-7b", ffn="narrow", d_narrow=64).count() == (
        sp.load("llama-2-7b").count() - 32 * 4096 * (3 * 11008 - 2 * 64))
    assert not plugins.left_out()


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "source", "problem"), [
    ("gone", "import a_module_that_is_nowhere\n", "ModuleNotFoundError: No module named"),
    ("raises", "raise KeyError('r')\n", "KeyError: 'r'"),
    ("nothing", "Narrow = 3\n", "is no class of a component"),
    ("taken", component("swiglu"), "ffn swiglu is the package's own"),
    ("width", component(dim_name="d_ff", dim="Dim('d_ff', 'n', 'another width')"),
     "contradicts the known dim d_ff (inner width of the feed-forward network)"),
    ("alias", component(dim="Dim('d_narrow', 'n', 'a width', ('hidden_size',))"),
     "of the known dim d_model (width of the residual stream)"),
    ("special", component(dim_name="d_state", dim="Dim('d_state', 'n', 'a width')"),
     "contradicts the known"),
], ids=lambda value: value if len(value) < 9 else "")
def test_what_cannot_be_taken_is_named_with_its_package_and_breaks_nothing(
        install: Install, capsys: pytest.CaptureFixture[str], name: str, source: str,
        problem: str) -> None:
    package_name = f"{name}_ffn"
    install(package_name, source, "components", f"narrow = {package_name}:Narrow")
    for words in (("derive", "llama-2-7b"), ("count", "falcon-mamba-7b"),
                  ("count", "llama-2-7b", "hidden_size=2048"), ("cost", "gpt2")):
        code, _, err = said(capsys, *words)
        assert (code, err) == (0, ""), words
    with pytest.raises(UnknownName) as caught:
        components.find("ffn", "narow")
    text = message(caught.value)
    assert f"component narrow of {package_name} 1.2 is left out: " in text
    assert problem in text
    code, _, err = said(capsys, "count", "llama-2-7b", "--ffn", "narow")
    assert (code, package_name in err) == (2, True)
    code, out, err = said(capsys, "components")
    assert code == 0
    assert f"{package_name} 1.2 is left out" in err
    assert "narrow" not in out


def test_a_message_that_no_package_could_change_does_not_name_them(install: Install) -> None:
    install("gone_ffn", "raise KeyError\n", "components", "narrow = gone_ffn:Narrow")
    components.everything()
    assert "gone_ffn" not in str(UnknownName("device", "a101", ["a100"]))
    assert "gone_ffn" in str(UnknownName("symbol", "d_narrow", ["d_model"]))


def test_of_several_that_are_left_out_the_one_that_is_asked_for_is_said_first(
        install: Install) -> None:
    for entry in ("first", "second", "third"):
        install(f"{entry}_pack", "raise KeyError('r')\n", "components", f"{entry} = {entry}_pack:C")
    for entry in ("first", "second", "third"):
        with pytest.raises(UnknownName, match="; component ") as caught:
            components.find("ffn", entry)
        _, *left = message(caught.value).split("; component ")
        assert [each.partition(" ")[0] for each in left] == [
            entry, *(other for other in ("first", "second", "third") if other != entry)]


def test_the_reason_of_the_one_that_is_asked_for_stands_before_what_there_is(
        install: Install) -> None:
    install("lr2_pack", "raise KeyError('r')\n", "components", "lr2 = lr2_pack:C")
    with pytest.raises(UnknownName) as caught:
        components.find("attention", "lr2")
    assert message(caught.value).startswith(
        "unknown attention kind 'lr2'; component lr2 of lr2_pack 1.2 is left out: KeyError: 'r'; ")
    with pytest.raises(UnknownName) as caught:
        components.find("attention", "zq")
    assert message(caught.value).endswith("is left out: KeyError: 'r'")


def test_of_two_packages_that_clash_the_second_is_left_out(install: Install) -> None:
    install("b_ffn", component("second", dim="Dim('d_narrow', 'n', 'other')"), "components",
            "second = b_ffn:Narrow")
    install("a_ffn", component("first"), "components", "first = a_ffn:Narrow")
    assert components.find("ffn", "first").__module__ == "a_ffn"
    assert [each.package for each in plugins.left_out()] == ["b_ffn 1.2"]
    with pytest.raises(UnknownName, match=r"second of b_ffn 1\.2 is left out"):
        components.find("ffn", "second")


CLASHING = """
import symparam.component
from symparam.errors import Contradiction
try:
    import special_ffn
except Contradiction as error:
    print(error)
import symparam as sp
print(sp.load("falcon-mamba-7b").count())
"""


def test_a_clash_is_the_outside_class_s_even_where_it_is_imported_first(tmp_path: Path) -> None:
    """Whichever is made first, a built-in component keeps its dims and its models are whole."""
    special = component(dim_name="d_state", dim="Dim('d_state', 'n', 'another state')")
    package(tmp_path, "special_ffn", special, "components", "narrow = special_ffn:Narrow")
    done = subprocess.run([sys.executable, "-c", CLASHING], capture_output=True, text=True,
                          check=True, env={"PYTHONPATH": f"{tmp_path}:{Path.cwd()}"})
    first, second = done.stdout.splitlines()
    assert first.startswith("dim d_state (another state) contradicts the known")
    assert int(second) == sp.load("falcon-mamba-7b").count()


FAMILY = """
    from dataclasses import replace
    from symparam.descriptions.families import llama

    MODEL_TYPES = {types}

    def build(config, name):
        '''As LLaMA.'''
        return replace(llama.build(config, name), name="outside")
"""
LLAMA = {"vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
         "intermediate_size": 12}


def test_a_family_from_outside_reads_its_model_type(install: Install) -> None:
    install("two_families", FAMILY.format(types=("outside",)), "families", "two = two_families")
    assert read_config("", {"model_type": "outside", **LLAMA}, "mine").name == "outside"
    assert not plugins.left_out()


@pytest.mark.parametrize(("source", "problem"), [
    (FAMILY.format(types=("llama", "outside")),
     "family two_families: llama is read by symparam.descriptions.families.llama"),
    (FAMILY.format(types="'outside'"), "MODEL_TYPES, a tuple of texts"),
    ("MODEL_TYPES = ('outside',)\n", "MODEL_TYPES, a tuple of texts, and build"),
    ("1/0\n", "ZeroDivisionError"),
], ids=["taken", "text", "no-build", "raises"])
def test_a_family_that_cannot_be_taken_is_named_and_the_others_read(
        install: Install, source: str, problem: str) -> None:
    install("two_families", source, "families", "two = two_families")
    assert "outside" not in lookup.known_model_types()
    assert read_config("", {"model_type": "llama", **LLAMA}, "mine").name == "mine"
    with pytest.raises(SpecError) as caught:
        read_config("", {"model_type": "outside", **LLAMA}, "mine")
    assert "family two of two_families 1.2 is left out: " in message(caught.value)
    assert problem in message(caught.value)


QUANTITY = """
    from symparam.quantities.quantity import Quantity, Share

    def gains(subject):
        '''The numbers that multiply a vector one by one.'''
        for m in subject.ledger.stored():
            if m.role == "gain":
                yield Share(m.path, (m.copies(), m.numel()))

    GAINS = Quantity(name={name!r}, title="gains of norms", unit="numbers", source="nowhere",
                     convention="every stored one", shares=gains)
"""


def test_a_quantity_from_outside_answers(
        install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("gains_of", QUANTITY.format(name="gains"), "quantities", "gains = gains_of:GAINS")
    assert quantities.find("gains").title == "gains of norms"
    assert sp.load("llama-2-7b").quantity("gains") == (2 * 32 + 1) * 4096
    for words in (("derive", "llama-2-7b", "--quantity", "gains"),
                  ("sensitivity", "llama-2-7b", "--quantity", "gains"),
                  ("sweep", "llama-2-7b", "L=16,32", "--quantity", "gains", "--format", "csv"),
                  ("check", "llama-2-7b", "--claim", "gains=266240")):
        code, out, err = said(capsys, *words)
        assert code == 0, err
        assert "266,240" in out or "266240" in out, words
    code, out, err = said(capsys, "solve", "llama-2-7b", "--target", "gains<=266240", "L=?")
    assert code == 0, err


LORA = """
    from symparam.dims import Dim
    from symparam.quantities.quantity import Quantity, Share
    from symparam.run import Default, RunDim

    RANK = RunDim(Dim({name!r}, "r", "rank of the adapters", ("lora_rank",)),
                  (Default(16, "the usual one"),))

    def shares(subject):
        '''Two thin matrices beside each matrix of an attention.'''
        for m in subject.ledger.stored():
            if m.part == "attention" and m.role == "matmul":
                rows, columns = m.shape
                yield Share(m.path + "[in]", (*(i.stored for i in m.indices),
                                              subject.setting[{name!r}], rows))
                yield Share(m.path + "[out]", (*(i.stored for i in m.indices),
                                               subject.setting[{name!r}], columns))

    LORA = Quantity(name="lora", title="adapters of low rank", unit="parameters",
                    convention="beside every matrix of the attention", shares=shares,
                    source="Hu et al. 2021, arXiv:2106.09685", needs=({name!r},), run=(RANK,),
                    symbol="P_lora")
"""


def adapters(layers: int, rank: int = 16) -> int:
    """Adapters of LLaMA 2 7B with so many layers: two matrices of 4096 beside each of four."""
    return layers * 4 * 2 * 4096 * rank


@pytest.fixture
def lora(install: Install) -> None:
    """A quantity from outside with a row of its own in what a model is run with."""
    install("lora_of", LORA.format(name="r"), "quantities", "lora = lora_of:LORA")


TAKEN = "r = 16 (the usual one)"


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("words", "wanted", "taken"), [
    ("derive llama-2-7b --quantity lora", adapters(32), TAKEN),
    ("derive llama-2-7b --quantity lora r=8", adapters(32, 8), ""),
    ("derive llama-2-7b --quantity lora lora_rank=8 L=4", adapters(4, 8), ""),
    ("sensitivity llama-2-7b --quantity lora --wrt r", adapters(32), TAKEN),
    ("sweep llama-2-7b L=4,32 --quantity lora", adapters(4), TAKEN),
    ("sweep llama-2-7b r=1:8 --quantity lora", adapters(32, 8), ""),
    ("sweep llama-2-7b r=8 L=4,5 --quantity lora --format csv", adapters(5, 8), ""),
    ("check llama-2-7b --claim lora=16777216", adapters(32), TAKEN),
    ("diff llama-2-7b --quantity lora L=4", adapters(4), TAKEN),
    ("diff llama-2-7b --quantity lora r=8", adapters(32, 8), TAKEN),
    ("plot depth llama-2-7b L=4,32 d_model=4096 --quantity lora --format json", adapters(4), TAKEN),
    ("solve llama-2-7b --target lora<=1e7 L=?", adapters(19), "r = 16: the usual one"),
    ("solve llama-2-7b --target lora<=1e7 r=?", adapters(32, 9), ""),
    ("solve llama-2-7b --target lora=8388608 r=8 L=?", adapters(32, 8), ""),
], ids=lambda value: value if isinstance(value, str) and " " in value else "")
@pytest.mark.usefixtures("lora")
def test_a_quantity_with_a_run_dim_of_its_own_works_in_every_verb(
        capsys: pytest.CaptureFixture[str], words: str, wanted: int, taken: str) -> None:
    code, out, err = said(capsys, *words.split())
    assert code == 0, err
    text = " ".join(out.split())
    assert f"{wanted:,}" in text or str(wanted) in text
    assert taken in text
    if not taken:
        assert "the usual one" not in text + err


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("words", "taken"), [
    ("cost t5-base", ("s = 4096 (nobody said)", "b = 1 (one sequence)", "s_encoder = 4096 (as many "
                      "as s)", "n_devices = 1 (one device)", "t = 1 (one device)")),
    ("cost gpt2", ("s = 1024 (as many as there are positions)",)),
    ("cost whisper-tiny", ("s = 448 (as many as the decoder has positions)", "s_encoder = 1500")),
    ("derive gpt2 --quantity kv_cache", ("s = 1024 (as many as there are positions)", "b = 1")),
    ("derive gpt2 --quantity training_memory_zero_1", ("n_devices = 1 (one device)",)),
    ("sensitivity gpt2 --quantity activations_tensor", ("s = 1024", "b = 1", "t = 1 (one device)")),
    ("sweep gpt2 L=6,12 --quantity kv_cache", ("s = n_ctx (as many as", "b = 1 (one sequence)")),
    ("sweep gpt2 L=6,12 --quantity training_memory_zero_1", ("n_devices = 1 (one device)",)),
    ("check gpt2 --claim kv_cache=1GB", ("s = 1024 (as many as", "b = 1 (one sequence)")),
    ("solve gpt2 --target kv_cache<=1e9 L=?", ("s = 1024: as many as", "b = 1: one sequence")),
    ("solve t5-base --target kv_cache<=1e9 s=?", ("s_encoder = s: as many as s", "b = 1")),
    ("plot cache gpt2 --format json", ("b = 1 (one sequence)",)),
], ids=lambda value: value if isinstance(value, str) else "")
def test_every_verb_says_what_was_taken_and_nobody_gave(
        capsys: pytest.CaptureFixture[str], words: str, taken: tuple[str, ...]) -> None:
    _, out, err = said(capsys, *words.split())
    text = " ".join((out + err).split())
    for each in taken:
        assert each in text, text[-1500:]


@pytest.mark.usefixtures("lora")
def test_a_run_dim_from_outside_works_from_python() -> None:
    model = sp.load("llama-2-7b")
    assert model.quantity("lora") == adapters(32)
    assert model.quantity("lora", r=4) == adapters(32, 4)
    assert sp.load("llama-2-7b", r=4).quantity("lora") == adapters(32, 4)
    assert model.count(r=4) == model.count()


@pytest.mark.usefixtures("lora")
def test_a_run_dim_from_outside_is_said_to_do_nothing_where_it_does(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert "r does not enter the cost of llama-2-7b" in said(capsys, "cost", "llama-2-7b", "r=8")[2]
    assert "enter" not in said(capsys, "derive", "llama-2-7b", "--quantity", "lora", "r=8")[2]


def test_the_quantity_of_the_guide_is_one(install: Install) -> None:
    guide = (Path(__file__).parent.parent / "docs" / "new-quantity.md").read_text(encoding="utf-8")
    install("my_package", guide.split("```python\n")[1].split("```")[0], "quantities",
            "lora = my_package:LORA")
    assert sp.load("llama-2-7b").quantity("lora") == adapters(32)


def test_the_states_of_the_guide_are_the_cache() -> None:
    guide = (Path(__file__).parent.parent / "docs" / "new-quantity.md").read_text(encoding="utf-8")
    first, ending, cached = (block.split("```")[0] for block in guide.split("```python\n")[1:])
    names: dict[str, Any] = {}
    exec(first + ending + cached, names)
    assert names["QUANTITIES"] == (names["LORA"],)
    model = sp.load("gemma-3-1b")
    subject = Subject.of(model, Setting(run={"s": 8192, "b": 1}))
    kept = sum(share.value for share in names["cached"](subject))
    assert model.quantity("kv_cache", s=8192) == 2 * kept


@pytest.mark.parametrize("words", [
    "derive llama-2-7b --quantity gains", "sensitivity llama-2-7b --quantity gains",
    "sweep llama-2-7b L=4,8 --quantity gains", "solve llama-2-7b --target gains<=1e7 L=?",
    "check llama-2-7b --claim gains=3"])
def test_a_quantity_that_fails_is_named_with_its_module_in_one_line(
        install: Install, capsys: pytest.CaptureFixture[str], words: str) -> None:
    source = QUANTITY.format(name="gains").replace("m.numel()", "subject.dims['nowhere']")
    install("gains_of", source, "quantities", "gains = gains_of:GAINS")
    code, out, err = said(capsys, *words.split())
    assert code
    assert "its shares fail with KeyError: 'nowhere' (gains_of)" in " ".join((out + err).split())
    assert said(capsys, "cost", "llama-2-7b")[0] == 0


R = "subject.setting['r']"
PAIR = "yield Share(m.path + \"[out]\""


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("old", "new", "problem"), [
    (R, R + "//2", "r is asked for a division; exact quotients are symparam.arithmetic.over"),
    (R, R + "*0.5", "r meets float 0.5, which is no exact number"),
    (R, "0.5", "its share layers.attention.W_Q[in] has 0.5 for a factor, which is no exact number"),
    (R, "(3 if m.shape[0] > 2 else 4)", "is asked for a comparison"),
    (R, 'subject.setting["rank"]', "its shares fail with KeyError: 'rank'"),
    (R, "subject.setting.rank", "its shares fail with AttributeError"),
    (R, 'subject.dims["n_exp"]', "its shares fail with KeyError: 'n_exp'"),
    (R, 'subject.setting["b"]', "its shares read b, which its needs do not name"),
    (R, "subject.setting.weights.bits", "its shares read weights, which its needs do not name"),
    (R, "subject.setting.training_bytes", "its shares read training_bytes, which its needs"),
    (PAIR, 'yield (m.path + "[out]"', "its shares have tuple ('layers.attention.W_Q[out]'"),
    (PAIR, 'yield Share(m.path + "[in]"', "two of its shares have the path"),
    (PAIR, 'yield Share("here[out]"', "its share here[out] is of nothing that the model lists"),
    ("def shares(subject)", "def shares()", "its shares fail with TypeError: shares() takes 0"),
], ids=lambda value: value if isinstance(value, str) and " " not in value else "")
@pytest.mark.parametrize("words", [
    "derive llama-2-7b --quantity lora", "sweep llama-2-7b L=4,8 --quantity lora",
    "solve llama-2-7b --target lora<=1e7 L=?"], ids=lambda words: words.split()[0])
def test_a_mistake_in_the_shares_of_a_quantity_is_one_line_that_names_it(
        install: Install, capsys: pytest.CaptureFixture[str], old: str, new: str, problem: str,
        words: str) -> None:
    source = LORA.format(name="r")
    assert old in source
    install("lora_of", source.replace(old, new), "quantities", "lora = lora_of:LORA")
    code, out, err = said(capsys, *words.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("symparam: quantity lora: ")
    assert problem in err
    assert err.endswith("(lora_of)\n")


@pytest.mark.parametrize(("needs", "problem"), [
    ("('r', 'rank')", "unknown need 'rank'; a quantity needs what a model is run with"),
    ("('r', 'weight')", "unknown need 'weight'; did you mean weights?"),
    ("()", "brings r, which its needs do not name"), ("'r'", "needs is to be a tuple of names")])
def test_a_quantity_whose_needs_nobody_knows_is_left_out(
        install: Install, needs: str, problem: str) -> None:
    source = LORA.format(name="r").replace("needs=('r',)", f"needs={needs}")
    install("lora_of", source, "quantities", "lora = lora_of:LORA")
    with pytest.raises(UnknownName) as caught:
        quantities.find("lora")
    assert "quantity lora of lora_of 1.2 is left out: " in message(caught.value)
    assert problem in message(caught.value)
    assert "r" not in run_dims.RUN


def test_a_row_that_clashes_is_left_out_with_its_quantity(install: Install) -> None:
    quantities.everything()
    known = set(run_dims.RUN)
    install("lora_of", LORA.format(name="L"), "quantities", "lora = lora_of:LORA")
    with pytest.raises(UnknownName) as caught:
        quantities.find("lora")
    assert "lora of lora_of 1.2 is left out: dim L (rank of the adapters) contradicts" in (
        message(caught.value))
    assert run_dims.RUN.keys() == known


@pytest.mark.parametrize(("name", "problem"), [
    ("kv_cache", "a known quantity has this name"), ("L", "a dim has this name"),
    ("hidden_size", "a dim has this name"), ("total", "a dim has this name"),
    (3, "is no Quantity")])
def test_a_quantity_that_cannot_be_taken_is_named(
        install: Install, name: Any, problem: str) -> None:
    source = QUANTITY.format(name=name) if name != 3 else "GAINS = 3\n"
    install("gains_of", source, "quantities", "gains = gains_of:GAINS")
    assert sp.load("llama-2-7b").quantity("kv_per_token") == 524288
    with pytest.raises(UnknownName) as caught:
        quantities.find("gains")
    assert "quantity gains of gains_of 1.2 is left out" in message(caught.value)
    assert problem in message(caught.value)


@together("listing", ["matrices", "state", "products"])
@together(("size", "asked"), [
    ("3 if d.d_model > 2 else 2", "d_model is asked for a comparison"),
    ("min(d.d_model, 4)", "d_model is asked for a comparison"),
    ("max(2*d.d_model + 1, 3)", "d_model*2 + 1 is asked for a comparison"),
    ("d.d_model or 3", "d_model is asked for a truth value"),
    ("d.d_model - 1", "d_model is asked for a subtraction"),
    ("d.d_model // 2", "d_model is asked for a division"),
    ("d.d_model % 4 + 1", "d_model is asked for a remainder"),
    ("d.d_model ** 2", "d_model is asked for a power"),
    ("len(range(d.d_model))", "d_model is asked for a Python number"),
    ("int(d.d_model)", "d_model is asked for a Python number"),
    ("{3: 4}.get(d.d_model, 5)", "d_model is asked for a place in a set or a mapping"),
    ("d.d_model * 1.5", "d_model meets float 1.5, which is no whole number"),
    ("d.d_model if isinstance(d.d_model, int) else 2", "which kind of number a dim is"),
])
def test_a_component_that_asks_a_dim_for_more_is_refused_when_its_class_is_made(
        listing: str, size: str, asked: str) -> None:
    lists = {"matrices": f"yield Matrix('W', ({size},), 'x')",
             "state": f"yield State('K', ({size},), 'x')",
             "products": f"yield Product('S', ({size},), 'x')"}
    other = "" if listing == "matrices" else (
        f"def {listing}(self, d):\n  {lists[listing]}\n")
    source = dedent(f"""
        from symparam.component import Component
        from symparam.dims import D_MODEL
        from symparam.ledger import Matrix, Product, State
        class Bad(Component):
         '''A vector.'''
         name, slot, title, source = "bad", "ffn", "bad", "nowhere"
         dims, example, names = (D_MODEL,), {{"d_model": 3}}, {{"W": "weight"}}
         def matrices(self, d):
          {lists[listing] if listing == "matrices" else "yield Matrix('W', (d.d_model,), 'x')"}
    """) + "".join(f" {line}\n" for line in other.splitlines())
    with registry_kept(), pytest.raises(ContractError) as caught:
        exec(source, {"__name__": "outside"})
    text = message(caught.value)
    assert text.startswith(f"component Bad: its {listing} ")
    assert asked in text


def test_a_number_that_is_added_and_multiplied_keeps_its_value() -> None:
    a, b = Strict(3, "a"), Strict(5, "b")
    assert (2 * (a + 1) * b + a * (b + 4)).value == 2 * 4 * 5 + 3 * 9
    assert ((a + 1) * b).text == "(a + 1)*b"
    with pytest.raises(AskedTooMuch):
        hash(a)


def bad(**body: Any) -> type[Component]:
    """A component that its class is accepted for and the assertion is not."""
    good: dict[str, Any] = {
        "__doc__": "A square matrix.", "name": "square", "slot": "ffn", "title": "square",
        "source": "nowhere", "dims": (D_MODEL,), "example": {"d_model": 3},
        "names": {"W": "w"}, "__module__": __name__,
        "matrices": lambda _, d: [Matrix("W", (d.d_model, d.d_model), "square")]}
    cls: type[Component] = type("Square", (Component,), good | body)
    return cls


def test_assert_component_finds_what_a_class_is_not_refused_for() -> None:
    def compares(self: Any, d: Any) -> Iterator[Matrix]:
        wide = self.one and self.two and not self.three and d.d_model > 2
        yield Matrix("W", (d.d_model, d.d_model), "wide" if wide else "square")
        yield from vectors(self, d)

    def vectors(self: Any, d: Any) -> Iterator[Matrix]:
        yield from (Matrix(name, (d.d_model,), "x") for name in names if getattr(self, name))

    # (of more switches than these, a class is looked at with none, each alone, and all)
    names = ("one", "two", "three", *(f"o{i}" for i in range(4)))
    own = {name: name for name in ("W", *names)}
    three = {**dict.fromkeys(names, False), "__annotations__": dict.fromkeys(names, "bool")}
    one = {"one": False, "__annotations__": {"one": "bool"}}
    with registry_kept():
        assert_component(bad())
        for cls, problem in (
                (bad(matrices=compares, names=own, **three), "asked for a comparison"),
                (bad(**one), "an option changes nothing"),
                (bad(matrices=vectors, names={n: n for n in (*names, "V")}, **three),
                 "names has V, a matrix that no option of it lists"),
                (bad(dims=(D_MODEL, Dim("h_own", "h", "a width")),
                     example={"d_model": 3, "h_own": 5},
                     matrices=lambda _, d: [Matrix("W", (d.d_model, d.h_own), "wide")]),
                 "are both written h in the notation megatron"),
                (bad(dims=(D_MODEL, D_FF), example={"d_model": 3, "d_ff": 5}),
                 "dim d_ff is declared and never used"),
                (bad(names={"W": "w", "U": "w"}, matrices=lambda _, d: [
                    Matrix("W", (d.d_model,), "x"), Matrix("U", (d.d_model,), "y")]),
                 "two tensors of its checkpoint have the name layers.*.w")):
            with pytest.raises(AssertionError, match=problem):
                assert_component(cls)


@pytest.mark.thinned(6)
@pytest.mark.parametrize("cls", components.everything(), ids=lambda c: f"{c.slot} {c.name}")
def test_every_component_of_the_package_keeps_the_whole_contract(cls: type[Component]) -> None:
    assert_component(cls)


def test_a_component_that_names_a_matrix_that_there_is_not_is_refused() -> None:
    # (of up to six switches every combination is looked at)
    six = {f"o{i}": False for i in range(6)}
    for more in ({}, {**six, "__annotations__": dict.fromkeys(six, "bool")}):
        with registry_kept(), pytest.raises(ContractError, match="names has V, a matrix that no"):
            bad(names={"W": "w", "V": "v"}, **more)


def test_dims_of_the_package_are_known_before_an_outside_class_is_made() -> None:
    dims.declare_own()
    assert "d_state" in {dim.name for dim in dims.known_dims()}


def test_modules_of_a_package_are_found_as_source_and_compiled(tmp_path: Path) -> None:
    for name in ("__init__.py", "a.py", "b.pyc", "c.json", "d.pyi"):
        (tmp_path / name).touch()
    (tmp_path / "__pycache__").mkdir()
    assert plugins.modules_in([str(tmp_path)]) == {"a", "b"}
