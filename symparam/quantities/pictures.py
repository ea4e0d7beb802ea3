"""Positions of the language model that pictures take."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.quantities.quantity import Quantity, Share, Subject


def positions(subject: Subject) -> Iterator[Share]:
    """The positions of one picture, or of as many as are given.

    Raises:
        BadValue: the model takes no pictures, or nobody knows how many positions one takes.
    """
    number = subject.setting.run.get("n_images")
    for each in subject.ledger.at_work().pictured():
        yield Share(each.path, (*(() if number is None else (number,)), *each.shape))


IMAGE_TOKENS = Quantity(
    name="image_tokens", title="positions of a picture", unit="tokens", shares=positions,
    needs=("n_images",), symbol="n_picture",
    source="what stands between a tower and the language model, and how a picture is brought to "
    "the tower: transformers, models/<model type>, processing and image processing",
    convention="positions of the language model that one picture takes, or n_images of them: what "
    "the tower puts out, and the tokens that end its rows or part its tiles where there are any; "
    "not those that begin and end a picture")

GROUP = "Pictures"
QUANTITIES = (IMAGE_TOKENS,)
