"""What a model is held against: a checkpoint, a GGUF file, a hub's, a module that is built."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from symparam.checkpoints.checkpoint import looks_like_checkpoint, read_checkpoint
from symparam.checkpoints.gguf import Weight, held_against
from symparam.checkpoints.header import Shape
from symparam.checkpoints.vocabulary import disagreements, tokens_of_file, tokens_of_folder
from symparam.dataclass import dataclass
from symparam.descriptions.gguf.reader import Gguf
from symparam.descriptions.references import configuration, header_at, on_hub
from symparam.errors import BadValue, SpecError
from symparam.hub.names import Repository
from symparam.model import Model

#: What AGAINST is called when the module is built instead of read.
BUILT = "transformers"


@dataclass(frozen=True)
class Against:
    """Tensors that there are.

    Attributes:
        shapes: name to shape.
        named: a model with its tensors named as these are.
        weight: the size of a file, where it follows from the tensors.
        warnings: where the vocabularies of what belongs together are not the same.
    """

    shapes: dict[str, Shape]
    named: Callable[[Model], Model]
    weight: Weight | None = None
    warnings: tuple[str, ...] = ()


def find_against(reference: str, against: str, model: Model, asked: bool) -> Against:
    """The tensors that a text names.

    Args:
        reference: the MODEL, whose configuration a module is built from.
        against: a path, ``org/name`` of a hub, or the word ``transformers``.
        model: the model.
        asked: whether it was said what it is counted as.

    Raises:
        SpecError: it cannot be read. BadValue: it is none of these.
    """
    path = Path(against)
    if against == BUILT:
        return Against(_built(reference, model, asked), _same)
    repository = on_hub(against)
    if repository is not None:
        return _on_hub(model, repository)
    header = header_at(path, "*.safetensors*")
    if header is not None:
        return _gguf(model, header)
    if not looks_like_checkpoint(path):
        raise BadValue("AGAINST", against, "expected a .safetensors file, an .index.json, a folder "
                       f"that holds one, a .gguf file, org/name of a hub, or the word {BUILT}")
    found = read_checkpoint(path)
    tokens = tokens_of_folder(path if path.is_dir() else path.parent)
    return Against(found, _same, warnings=disagreements(model, found, tokens))


def _on_hub(model: Model, repository: Repository) -> Against:
    """Safetensors files of a repository; a GGUF file that is named, or that it has alone."""
    from symparam.checkpoints.repository import read_repository
    from symparam.hub.cache import snapshot

    if not repository.file:
        try:
            found = read_repository(repository)
            return Against(found, _same, warnings=disagreements(
                model, found, tokens_of_folder(snapshot(repository))))
        except SpecError as error:
            from symparam.descriptions.gguf.on_hub import only_one

            repository = only_one(repository, error)
    from symparam.descriptions.gguf.on_hub import header_of

    return _gguf(model, header_of(repository))


def _same(model: Model) -> Model:
    return model


def _gguf(model: Model, file: Gguf) -> Against:
    from symparam.descriptions.gguf.model import named_as

    _, found, weight = held_against(model, file)
    return Against(found, partial(named_as, file=file), weight,
                   disagreements(model, found, tokens_of_file(file)))


def _built(reference: str, model: Model, asked: bool) -> dict[str, Shape]:
    from symparam.checkpoints.module import build_module, module_tensors

    config = configuration(reference)
    if config is None:
        raise BadValue("AGAINST", BUILT, f"{reference} has no configuration that transformers "
                       "could build from")
    where, data = config
    return module_tensors(build_module(data, where, model.task, asked=asked))
