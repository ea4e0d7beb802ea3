"""Positions of the language model that pictures take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.ledger import Number
from symparam.quantities import flops, kv_cache
from symparam.quantities.quantity import Quantity, Share, Subject
from symparam.sight import SIZE


@dataclass(frozen=True)
class Pictures:
    """What pictures take of the language model.

    Attributes:
        number: how many pictures.
        takes: what fills the positions of one, and the factors of how many.
        tokens: positions of all.
        cache: bytes that a sequence of these alone keeps, times the batch.
        flops: a forward pass of such a batch.
    """

    number: Number
    takes: tuple[tuple[str, tuple[Number, ...]], ...]
    tokens: Number
    cache: Number
    flops: Number


def positions(subject: Subject) -> Iterator[Share]:
    """The positions of one picture, or of as many as are given.

    Raises:
        BadValue: the model takes no pictures, nobody knows how many positions one takes, or it
            is so thin that it takes none.
    """
    number = subject.setting.run.get("n_images")
    shares = [Share(each.path, (*(() if number is None else (number,)), *each.shape))
              for each in subject.ledger.at_work().pictured()]
    if shares and all(isinstance(each.value, int) and each.value == 0 for each in shares):
        size = " × ".join(str(subject.dims[name]) for name in SIZE[::-1] if name in subject.dims)
        raise BadValue("image_tokens", 0, f"no row or no column of positions is left of a picture"
                       f"{f' of {size} pixels' if size else ''}")
    yield from shares


IMAGE_TOKENS = Quantity(
    name="image_tokens", title="positions of a picture", unit="tokens", shares=positions,
    needs=("n_images",), symbol="n_picture",
    source="what stands between a tower and the language model, and how a picture is brought to "
    "the tower: transformers, models/<model type>, processing and image processing",
    convention="positions of the language model that one picture takes, or n_images of them: what "
    "the tower puts out, and the tokens that end its rows or part its tiles where there are any; "
    "not those that begin and end a picture")


def of_pictures(subject: Subject) -> Pictures:
    """What one picture takes, or as many as are given.

    Raises:
        BadValue: the model takes none, or nobody knows how many positions one takes.
    """
    tokens = IMAGE_TOKENS.value(subject)
    alone = replace(subject, setting=subject.setting.at(s=tokens))
    return Pictures(subject.setting.run.get("n_images", 1),
                    tuple((each.what, each.shape) for each in subject.ledger.pictured()), tokens,
                    kv_cache.KV_CACHE.value(alone), flops.FORWARD.value(alone))


GROUP = "Pictures"
QUANTITIES = (IMAGE_TOKENS,)
