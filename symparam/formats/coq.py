"""A certificate for the proof assistant Coq; of a derivation or a difference."""

from typing import Any

from symparam.formats import OutputFormat


def _answer(view: Any) -> str:
    from symparam.certificate.coq import coq_of

    return coq_of(view.certificate())


FORMAT = OutputFormat(name="coq", writer=None, answer=_answer, endings=(".v",),
                      remark="a proof for Coq, of derive and diff", place=20)
