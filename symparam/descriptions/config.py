"""Reading a Hugging Face ``config.json``: every key is understood, harmless, or refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from symparam.descriptions.contract import hold
from symparam.descriptions.harmless import HARMLESS, LEARNED_ACTIVATIONS, QUANTISATION
from symparam.descriptions.lookup import family, to_trace
from symparam.descriptions.read_as import PLAIN, ReadAs
from symparam.descriptions.reading.source import DataTable, shown
from symparam.errors import BadValue, ConstraintViolated, SymparamError, nearest, short
from symparam.model import Asked, Model
from symparam.resolve import resolve, whole_number

#: More layers than any model has, and few enough to list their kinds.
MAX_LAYERS = 100_000

#: The default of a dim that a configuration has to say.
REQUIRED: Any = object()
#: What a count may be asked for as, whatever the configuration's class.
TASKS = ("base", "causal", "classifier", "ctc", "encoder", "mlm", "seq2seq")

#: Those that have no head.
HEADLESS = ("base", "encoder")


class Config(DataTable):
    """A configuration, read key by key under its family's names and defaults."""

    def __init__(self, where: str, data: Any, task: str | None = None, mtp: bool = False,
                 path: str = "", model_type: str | None = None,
                 ignored: Iterable[str] = (), text_alone: bool = False) -> None:
        super().__init__(where, data, path)
        self.model_type = self.text("model_type") if model_type is None else self.text(
            "model_type", model_type)
        self.asked, self.mtp, self.text_alone = task, mtp, text_alone
        self.counted_as = ""
        self.defaulted: list[str] = []
        self.left_out: list[str] = []
        self.asked_for: list[Asked] = []
        self.extra_layers: list[int] = []
        self.closed = False
        self.ignored = dict.fromkeys(ignored, False)
        self.keys: dict[str, str] = {}

    def part(self, key: str, model_type: str | None = None) -> Config:
        """A configuration inside this one: its text model's.

        Args:
            key: where it stands.
            model_type: what it is where it does not say so itself.
        """
        found = Config(self.where, self.raw(key), self.asked, self.mtp, self.below(key),
                       model_type)
        found.tell(self)
        return found

    def tell(self, outer: Config) -> None:
        """Note what is found in this part of a configuration where the whole one notes it."""
        self.defaulted, self.left_out = outer.defaulted, outer.left_out
        self.asked_for, self.taken = outer.asked_for, outer.taken
        self.extra_layers, self.ignored, self.keys = outer.extra_layers, outer.ignored, outer.keys

    def dims(self, keys: Mapping[str, tuple[Any, ...]], nullable: Iterable[str] = (),
             ) -> dict[str, int]:
        """Numbers of dims, from ``{dim: (key, another name of it ..., default)}``.

        A default of None means that the dim follows by a rule where the key is missing or null;
        one of REQUIRED, that there is none.

        Args:
            keys: where each dim stands, and the family's default.
            nullable: dims that have a default and follow by a rule where the key is null.

        Raises:
            SpecError: not a positive whole number, or null where the family has no rule.
        """
        found: dict[str, int] = {}
        for dim, (*names, default) in keys.items():
            default, needed = (None, True) if default is REQUIRED else (default, False)
            present = [name for name in names if name in self.data]
            null = bool(present) and all(self.raw(name) is None for name in present)
            if not needed and ((not present and default is None) or (
                    null and (default is None or dim in nullable))):
                self.read.update(names)
            else:
                found[dim] = self.count_of(*names, default=default)
                self.keys[dim] = self.below(next(iter(present), names[0]))
                if dim.startswith("L") and found[dim] > MAX_LAYERS:
                    raise self.error(next(iter(present), names[0]), f"{found[dim]} layers, more "
                                     f"than the {MAX_LAYERS} that any model has")
        return found

    def ask(self, dim: str, said: str, step: int = 1) -> None:
        """Note that a dim is left to something else.

        Args:
            dim: the dim.
            said: what is said while nobody gives it; empty where it has a number.
            step: what it is rounded up to a multiple of.
        """
        self.left_out += [said] if said else []
        self.asked_for.append(Asked(dim, said, step, self.model_type))

    def mtp_layers(self, key: str, default: int = 0) -> int:
        """How many multi-token-prediction layers to count: none unless they are asked for."""
        number = self.number(key, default)
        if self.mtp:
            if not number:
                raise self.error(key, "--mtp: the configuration has no multi-token-prediction "
                                 "layers")
            self.extra_layers.append(number)
            return number
        if number:
            self.left_out.append(f"{number} multi-token-prediction layer{'s' * (number > 1)} "
                                 f"({key} = {number}), which transformers leaves out; --mtp "
                                 "counts them")
        return 0

    def number(self, key: str, default: int) -> int:
        """A whole number that may be zero: how many layers are dense, which are skipped."""
        value = self.integer(key, default)
        if not 0 <= value <= MAX_LAYERS:
            raise self.error(key, f"expected a whole number from 0 to {MAX_LAYERS}, found "
                             f"{shown(value)}")
        return value

    def kinds(self, key: str, known: Mapping[str, str], depth: int,
              default: Callable[[int], str]) -> list[str]:
        """The kind of each layer, from a list of names, or by the family's rule where missing.

        Args:
            key: where the list stands.
            known: names that the family's code handles, each with the kind it means.
            depth: the number of layers.
            default: the name of a layer's kind by its number, where there is no list.
        """
        if depth > MAX_LAYERS:
            raise self.error("", f"{depth} layers, more than the {MAX_LAYERS} that are looked at "
                             "one by one")
        value = self.raw(key, None)
        names = [default(i) for i in range(depth)] if value is None else value
        if not isinstance(names, list) or len(names) != depth:
            raise self.error(key, f"expected a list of {depth} kinds of layer, one each, found "
                             + (f"{len(names)}" if isinstance(names, list) else shown(value)))
        for each in names:
            if not isinstance(each, str) or each not in known:
                raise self.error(key, f"{shown(each)} is not a kind of layer that is understood; "
                                 f"handled: {', '.join(known)}")
        return [known[each] for each in names]

    def count_of(self, *keys: str, default: int | None = None) -> int:
        """A positive whole number under one of several names.

        Null is not the same as missing: what it means is the family's to say (see :meth:`dims`).
        """
        named = [key for key in keys if key in self.data]
        self.read.update({*keys} - {*named})  # what was looked for is near to what is misspelt
        given = [(k, self.integer(k)) for k in named if self.data[k] is not None or len(named) == 1]
        if len({value for _, value in given}) > 1:
            names = ", ".join(f"{key} = {shown(value)}" for key, value in given)
            raise self.error(given[0][0], f"given twice, differently: {names}")
        if not given:
            if default is None:
                raise self.error("", f"{keys[0]} is missing")
            self.defaulted.append(f"{keys[0]} = {default}")
            return default
        key, value = given[0]
        try:
            return whole_number(key, value)
        except BadValue as error:
            raise self.error(key, f"{error.problem}, found {shown(value)}") from None

    def flag(self, key: str, default: bool) -> bool:
        """True or false; null is false, and refused where missing would mean true."""
        if self.raw(key, default) is None and not default:
            return False
        headed = key == "tie_word_embeddings" and self.asked not in HEADLESS
        if key not in self.data and (headed or (default and key != "tie_word_embeddings")):
            self.defaulted.append(f"{key} = {str(default).lower()}")
        return self.boolean(key, default)

    def optional_count(self, *keys: str) -> int | None:
        """As :meth:`count_of`; None where it is missing or null."""
        if all(self.raw(key, None) is None for key in keys):
            return None
        return self.count_of(*keys)

    def only(self, key: str, *allowed: Any) -> None:
        """Refuse a key that has a value which this family's code does not handle."""
        value = self.raw(key, allowed[0])
        if not any(type(value) is type(a) and value == a for a in allowed):
            raise self.error(key, f"{shown(value)} changes the weights of {self.model_type} in a "
                             "way that is not understood; handled: "
                             + " or ".join(map(shown, allowed)))

    def task(self, classes: Mapping[str, str], default: str) -> str:
        """What is counted: as asked for, as the configuration's class says, or the default."""
        self.counted_as = self._task(classes, default)
        return self.counted_as

    def _task(self, classes: Mapping[str, str], default: str) -> str:
        value = self.raw("architectures", None)
        known = sorted(set(classes.values()))
        if self.asked is not None:
            if self.asked not in known:
                raise self.error("", f"{self.model_type} cannot be counted as {self.asked}; "
                                 f"it can as {', '.join(known)}")
            return self.asked
        absent = value is None or value == []
        if absent and default in known:
            return default
        if not absent and (
                not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], str)):
            raise self.error("architectures", f"expected a list of one class, found {shown(value)}")
        if absent or value[0] not in classes:
            what = "missing" if absent else f"{value[0][:60]!r} is not understood"
            raise self.error("architectures", f"{what}; handled: "
                             f"{', '.join(classes)}; or say --as {'|'.join(known)}; "
                             f"{to_trace(self.where)}")
        return classes[value[0]]

    def close(self, harmless: Iterable[str] = ()) -> None:
        """Refuse every key that is neither read nor known to be harmless."""
        self.closed = True
        if self.raw("pruned_heads", {}) not in ({}, None):
            raise self.error("pruned_heads", "pruned heads change the weights")
        for key in {"is_encoder_decoder", "tie_encoder_decoder"} - self.read:
            self.only(key, False, None)
        stored = [key for key in QUANTISATION if self.raw(key, None) is not None]
        if stored:
            self.left_out.append(f"what quantisation adds ({', '.join(stored)}): the count is of "
                                 "the weights before it")
        self.read.update(key for key in ("architectures", "layer_types")
                         if self.data.get(key, 0) is None)  # as good as missing, in every family
        allowed = HARMLESS | set(harmless)
        for key in self.data:
            if key not in self.read and not self._is_ignored(str(key)):
                self._check_unread(str(key), allowed)

    def _is_ignored(self, key: str) -> bool:
        """Whether a key that is not understood was to be ignored; it is then noted."""
        for name in {key, self.below(key)} & self.ignored.keys():
            self.ignored[name] = True
            self.left_out.append(f"the key {short(self.below(key))} of the configuration, which "
                                 "is not understood: ignored as asked")
            return True
        return False

    def _check_unread(self, key: str, allowed: Collection[str]) -> None:
        """Raise SpecError for a key that nobody read, unless it is harmless."""
        value = self.data[key]
        if isinstance(value, str) and value in LEARNED_ACTIVATIONS:
            raise self.error(key, f"{value} is an activation with weights of its own, which "
                             f"are not understood in {self.model_type}")
        if key not in allowed:
            near = nearest(key, self.read, likeness=0.8)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise self.error(key[:60], f"a key that {self.model_type} is not known to have{hint}: "
                             "whether it changes the weights is not understood; --ignore-key "
                             f"{short(key)} leaves it aside")


def read_config(where: str, data: Mapping[str, Any], name: str, read_as: ReadAs = PLAIN) -> Model:
    """The model that a ``config.json`` describes.

    Args:
        where: the file or catalogue entry, for messages.
        data: what it holds.
        name: the model's name.
        read_as: what is asked besides; of a key that is passed over the model says so.

    Raises:
        SpecError: an unknown family, a key or value that is not understood, numbers that do not
            go together.
    """
    config = Config(where, data, read_as.task, read_as.mtp, ignored=read_as.ignored,
                    text_alone=read_as.text_alone)
    return built(config, family(config.model_type, where), name)


def built(config: Config, reader: ModuleType, name: str) -> Model:
    """The model that a family, or the format of a framework, makes of a configuration.

    Raises:
        SpecError: a key or value that is not understood, numbers that do not go together.
        ContractError: the family does not close its configuration, or names what is not there.
    """
    mtp = config.mtp
    model: Model = reader.build(config, name)
    hold(reader, model, config.closed)
    if mtp and not config.extra_layers:
        raise config.error("", f"--mtp: {config.model_type} has no multi-token-prediction layers "
                           "that are understood")
    for key, was_met in config.ignored.items():
        if not was_met:
            raise BadValue("--ignore-key", key, "is for a key of the configuration that is not "
                           "understood; this is none")
    try:
        resolve(model)
    except SymparamError as error:
        raise config.error(_keys_of(error, model, config.keys), str(error)) from None
    return replace(model, defaulted=tuple(dict.fromkeys((*config.taken, *config.defaulted))),
                   left_out=tuple(config.left_out), task=config.counted_as,
                   asked=tuple(config.asked_for))


def _keys_of(error: SymparamError, model: Model, keys: Mapping[str, str]) -> str:
    """The keys in which the numbers stand that an error is about."""
    names: list[str] = list(error.values) if isinstance(error, ConstraintViolated) else []
    if isinstance(error, BadValue):
        names = [error.name, *(name for eq in model.all_equations() if eq.dim == error.name
                               for name in eq.inputs)]
    return ", ".join(dict.fromkeys(keys[name] for name in names if name in keys))
