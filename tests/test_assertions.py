"""What ``symparam.testing`` asserts of a family, a quantity and a format: all of the package's own
keep it, and each of many small mistakes does not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from symparam import formats, quantities
from symparam import run as run_dims
from symparam.checkpoints.expected import expected
from symparam.descriptions import lookup
from symparam.descriptions.families import gpt2
from symparam.dims import Dim
from symparam.errors import ContractError
from symparam.formats import OutputFormat
from symparam.layout import entry
from symparam.quantities.contract import held
from symparam.quantities.quantity import Quantity, Share, Subject
from symparam.run import Default, RunDim
from symparam.testing import assert_component, assert_family, assert_format, assert_quantity
from symparam.writers.document import Cell, Math, Rules, Settings, Span, clean
from symparam.writers.markdown import MarkdownFormat
from tests.differential.draw import Draw
from tests.differential.drawn import DRAWN, drawn
from tests.differential.families.towers import INSIDE, tower
from tests.helpers import registry_kept, together
from tests.strategies import SEED

#: What every day is looked at, others on every run.
DAILY = 8


def some_daily(names: list[str], each: int = DAILY) -> list[Any]:
    """All names, those of another day marked slow."""
    daily = set(random.Random(SEED).sample(names, each))
    return [name if name in daily else pytest.param(name, marks=pytest.mark.slow)
            for name in names]


FAMILIES = {module.__name__.rpartition(".")[2]: module
            for module in lookup._all_families().values()}


def configuration(model_type: str, seed: str) -> dict[str, Any]:
    """What is drawn for a type, be it one that stands inside others alone."""
    if model_type in INSIDE:
        return tower(Draw(f"{model_type} {seed}"), model_type)
    return drawn(model_type, seed)


@pytest.mark.parametrize("name", some_daily(sorted(FAMILIES), DAILY // 4))
def test_every_family_of_the_package_keeps_what_is_asked(name: str) -> None:
    types = [each for each in FAMILIES[name].MODEL_TYPES if each in DRAWN or each in INSIDE]
    each = max(6, 30 // len(types))
    assert_family(FAMILIES[name], *(configuration(model_type, str(i)) for model_type in types
                                    for i in range(each)))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", some_daily(list(quantities.everything())))
def test_every_quantity_of_the_package_keeps_what_is_asked(name: str) -> None:
    assert_quantity(quantities.find(name))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", list(formats.everything()))
def test_every_format_of_the_package_keeps_what_is_asked(name: str) -> None:
    assert_format(formats.everything()[name], whole=name != "macros")


CONFIGURATION = {"model_type": "gpt2", "n_layer": 2, "n_embd": 30, "n_head": 3}


def family(build: Callable[..., Any], types: Any = ("gpt2",)) -> ModuleType:
    """A family from outside."""
    found: Any = ModuleType("outside")
    found.MODEL_TYPES, found.build = types, build
    assert isinstance(found, ModuleType)
    return found


def with_entry(*words: str) -> Callable[..., Any]:
    """GPT-2 with one more entry."""
    def build(config: Any, name: str) -> Any:
        model = gpt2.build(config, name)
        entries = (*model.layout.entries, entry(*words))
        return replace(model, layout=replace(model.layout, entries=entries))
    return build


def unclosed(config: Any, name: str) -> Any:
    """GPT-2 that takes any key."""
    config.close = lambda *_: None
    return gpt2.build(config, name)


def open_handed(config: Any, name: str) -> Any:
    """GPT-2 to which every key is harmless."""
    closing = config.close
    config.close = lambda harmless=(): closing(config.data)
    return gpt2.build(config, name)


def one_name(config: Any, name: str) -> Any:
    """GPT-2 whose two norms have one name."""
    model = gpt2.build(config, name)
    entries = tuple(replace(e, tensor=e.tensor.replace(".c_proj.", ".c_fc."))
                    for e in model.layout.entries)
    return replace(model, layout=replace(model.layout, entries=entries))


@together(("module", "problem"), [
    (family(with_entry("*.attention", "W_Z", ".z.weight")),
     r"entry\('\*.attention', 'W_Z', ...\) is for nothing in gpt2: there are W_Q, "),
    (family(with_entry("*.atention", "W_Q", ".z.weight")),
     r"entry\('\*.atention', 'W_Q', ...\) is for nothing in gpt2: the places are "),
    (family(unclosed), "its build ends without config.close"),
    (family(open_handed), "a key that nobody knows is accepted"),
    (family(one_name), "some of its tensors have one name"),
    (family(gpt2.build, "gpt2"), "it has no MODEL_TYPES, a tuple of texts"),
    (family(gpt2.build, ("other",)), "model_type is to be one of other"),
    (family(3), "it has no build"),  # type: ignore[arg-type]
], ids=["matrix", "place", "unclosed", "open", "names", "text", "types", "build"])
def test_a_family_with_a_mistake_is_found(module: ModuleType, problem: str) -> None:
    assert_family(family(gpt2.build), CONFIGURATION)
    with pytest.raises(AssertionError, match=problem):
        assert_family(module, CONFIGURATION)


def test_a_family_is_tried_at_configurations() -> None:
    with pytest.raises(AssertionError, match="no configuration is given"):
        assert_family(gpt2)
    with pytest.raises(AssertionError, match=r"configuration 1: .*n_embd"):
        assert_family(gpt2, {**CONFIGURATION, "n_embd": -3})


def gains(subject: Subject) -> Iterator[Share]:
    """The numbers that multiply a vector one by one."""
    for m in subject.ledger.stored():
        if m.role == "gain":
            yield Share(m.path, (*(index.stored for index in m.indices), *m.shape))


GAINS = Quantity(name="gains", title="gains of norms", unit="numbers", source="nowhere",
                 convention="every stored one", shares=gains)


def each_share(change: Callable[[Subject, Share], Any]) -> Callable[[Subject], Iterator[Any]]:
    """The same shares, each changed."""
    return lambda subject: (change(subject, share) for share in gains(subject))


def differs(subject: Subject, share: Share) -> Share:
    """A share that is another over integers."""
    return Share(share.path, (*share.factors, 2 if isinstance(share.factors[0], int) else 3))


NARROW = Dim("r_narrow", "r", "a rank")


@pytest.mark.parametrize(("changes", "problem"), [
    ({"needs": ("s",)}, "needs s, which it reads at none of the models"),
    ({"needs": ("rank",)}, "unknown need 'rank'"),
    ({"needs": "s"}, "needs is to be a tuple of names"),
    ({"source": ""}, "source is not set"),
    ({"run": (RunDim(Dim("w_own", "w", "a width"), (Default(2, "a usual one"),)),),
      "needs": ("w_own",)}, r"the letter of w_own, which it brings, is that of window \("),
    ({"run": (RunDim(Dim("h_own", "h", "a width"), (Default(2, "a usual one"),)),),
      "needs": ("h_own",)}, "are both written h in the notation megatron"),
    ({"run": (RunDim(NARROW, (Default(2, "a usual one"),)),)}, "brings r_narrow, which its needs"),
    ({"shares": each_share(lambda subject, share: Share(
        share.path, (*share.factors, subject.setting["b"])))}, "its shares read b, which its"),
    ({"shares": each_share(lambda subject, share: Share(
        share.path, (*share.factors, subject.setting.weights.bits)))}, "its shares read weights"),
    ({"shares": each_share(differs)}, "its shares add up to .*, its formula gives "),
    ({"shares": each_share(lambda _, share: Share("one", share.factors)), "kind": "literal"},
     "two of its shares have the path one"),
    ({"shares": each_share(lambda _, share: Share(share.path, (*share.factors, 0.5)))},
     "0.5 for a factor, which is no exact number"),
    ({"shares": each_share(lambda _, share: Share(f"{share.path}[a.b]", share.factors))},
     "is of letters, digits"),
    ({"shares": each_share(lambda _, share: Share(f"{share.path}[]", share.factors))},
     "is of letters, digits"),
    ({"dims": ("d_nowhere",), "kind": "literal"}, "no model has what it counts: .*d_nowhere"),
    ({"shares": lambda _: 3}, "its shares fail with TypeError"),
], ids=lambda value: "" if isinstance(value, str) else ",".join(value))
def test_a_quantity_with_a_mistake_is_found(changes: dict[str, Any], problem: str) -> None:
    assert_quantity(GAINS, "gpt2")
    with registry_kept(), pytest.raises(AssertionError, match=problem):
        assert_quantity(replace(GAINS, **changes), "gpt2")
    assert NARROW.name not in run_dims.RUN


@pytest.mark.parametrize("unit", ["bytes", "GB", ""])
def test_a_quantity_in_a_unit_that_there_is_not_is_refused_when_it_is_made(unit: Any) -> None:
    with pytest.raises(ContractError, match=f"quantity gains: unit '{unit}' is none of B, FLOP, "):
        replace(GAINS, unit=unit)


def test_a_quantity_that_was_taken_is_held_to_the_same() -> None:
    """One that is found by its name is guarded, which is to hide nothing of what it reads."""
    reads = replace(GAINS, needs=("b",), shares=each_share(
        lambda subject, share: Share(share.path, (*share.factors, subject.setting["b"]))))
    assert_quantity(held(reads), "gpt2")
    with pytest.raises(AssertionError, match="needs s, which it reads at none"):
        assert_quantity(held(replace(reads, needs=("b", "s"))), "gpt2")


class Loses(MarkdownFormat):
    """Markdown without the words that stand out."""

    def strong(self, text: str) -> str:
        return ""


class Turns(MarkdownFormat):
    """Markdown with running text from its end."""

    def spans(self, parts: Iterable[Span]) -> str:
        return super().spans(tuple(parts)[::-1])


class Counts(MarkdownFormat):
    """Markdown that is another each time."""

    times: ClassVar[int] = 0

    def text(self, text: str) -> str:
        Counts.times += 1
        return f"{super().text(text)}{Counts.times}"


class Raw(MarkdownFormat):
    """Markdown with words as they come."""

    def text(self, text: str) -> str:
        return text


class Bare(MarkdownFormat):
    """Markdown with words as they come, but for what is for no reader."""

    def text(self, text: str) -> str:
        return clean(text)


class Broken(MarkdownFormat):
    """Markdown whose cells are not escaped."""

    def cell(self, cell: Cell) -> str:
        return clean(str(cell))


class Fails(MarkdownFormat):
    """Markdown that knows no formulas."""

    def formula(self, math: Math) -> str:
        raise KeyError(math.relation)


class Uncited(MarkdownFormat):
    """Markdown that does not know where something is from."""

    def source(self, text: str) -> str:
        return ""


class Unset(MarkdownFormat):
    """Markdown without dims that are given."""

    def settings(self, given: Settings) -> str:
        return ""


class Unruled(MarkdownFormat):
    """Markdown without equations that are given."""

    def rules(self, given: Rules) -> str:
        return ""


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("changes", "problem"), [
    ({"writer": Uncited}, "sourceHere[0-9]+ is lost"),
    ({"writer": Unset}, "733 is lost"),
    ({"writer": Unruled}, "734 is lost"),
    ({"writer": Loses}, "standingHere3 is lost"),
    ({"writer": Turns}, "is lost, or out of its order"),
    ({"writer": Counts}, "written twice, it is not the same"),
    ({"writer": Raw}, "control characters come through"),
    ({"writer": Bare}, r"\|: its markup, and written bare by its text"),
    ({"writer": Broken}, r"\|: its markup, and written bare by its cell"),
    ({"writer": Fails}, "notation paper: KeyError: "),
    ({"endings": ("md",)}, "'md' is no ending, which begins with a point"),
    ({"endings": ".md"}, "give a tuple"),
], ids=lambda value: "" if isinstance(value, str) else str(next(iter(value.values()))))
def test_a_format_with_a_mistake_is_found(changes: dict[str, Any], problem: str) -> None:
    own: OutputFormat = formats.find("markdown")
    assert_format(own)
    with pytest.raises(AssertionError, match=problem):
        assert_format(replace(own, **changes))


def guide(name: str, old: str = "", new: str = "") -> dict[str, Any]:
    """What the first example of a guide defines, with something else in it."""
    text = (Path(__file__).parent.parent / "docs" / f"{name}.md").read_text(encoding="utf-8")
    found: dict[str, Any] = {"__name__": "the_guide"}
    block = text.split("```python\n")[1].split("```")[0]
    assert old in block
    block = block.replace(old, new) if old else block
    exec(compile(block, name, "exec", dont_inherit=True), found)
    return found


def test_the_component_of_the_guide_keeps_what_is_asked() -> None:
    with registry_kept():
        assert_component(guide("new-component")["Bottleneck"])


def test_the_quantity_of_the_guide_keeps_what_is_asked() -> None:
    with registry_kept():
        assert_quantity(guide("new-quantity")["LORA"], "llama-2-7b", "t5-base")


def test_the_format_of_the_guide_keeps_what_is_asked() -> None:
    assert_format(guide("new-format")["FORMAT"])
    titled = guide("new-format", "[column.title for", "[self.text(column.title) for")["FORMAT"]
    with pytest.raises(AssertionError, match="notation paper: AttributeError: 'tuple' object"):
        assert_format(titled)


def test_the_family_of_the_guide_keeps_what_is_asked() -> None:
    from symparam.descriptions.config import Config, built

    names = guide("new-family")
    own = family(names["build"], names["MODEL_TYPES"])
    small = {"model_type": "example", "num_hidden_layers": 12, "sliding_window": 16}
    assert_family(own, small, {**small, "architectures": ["ExampleModel"], "head_dim": 64},
                  {**small, "tie_word_embeddings": True, "num_key_value_heads": 4})
    model = built(Config("", small), own, "example")
    assert {window.size for _, slot in model.slots() if (window := slot.window)} == {"window"}
    assert "model.last_norm.weight" in expected(model)[0].tensors
    assert expected(model)[0].tensors["model.layers.11.self_attn.qkv_proj.weight"] == (
        3 * 4096, 4096)


def test_the_drawing_of_the_guide_draws_what_its_family_reads() -> None:
    text = (Path(__file__).parent.parent / "docs" / "new-family.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(text.split("```python\n")[2].split("```")[0], names)
    whole = guide("new-family")
    found = [{"model_type": "example", **names["DRAWN"]["example"](Draw(f"example {i}"))}
             for i in range(12)]
    assert len({tuple(each["architectures"]) for each in found}) == 2
    assert_family(family(whole["build"], whole["MODEL_TYPES"]), *found)


def test_a_family_from_outside_is_refused_when_it_makes_a_model() -> None:
    from symparam.descriptions.config import Config, built

    for build, problem in ((unclosed, "without config.close"),
                           (with_entry("*.attention", "W_Z", ".z"), "is for nothing in gpt2")):
        with pytest.raises(ContractError, match=problem):
            built(Config("", dict(CONFIGURATION)), family(build), "gpt2")
