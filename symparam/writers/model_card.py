"""Model cards as a hub reads them: YAML in front, then Markdown, then what is cited."""

from __future__ import annotations

import json

from symparam.bibliography import bibtex, used
from symparam.dataclass import dataclass
from symparam.writers.document import Document, clean, sources_of
from symparam.writers.markdown import MarkdownFormat


@dataclass(frozen=True)
class ModelCardFormat(MarkdownFormat):
    """Markdown between the metadata of a card and its citations.

    Metadata: https://huggingface.co/docs/hub/model-cards (model_name); numbers of parameters, and
    dims and other numbers, stand under keys of their own, which a hub keeps as they are.
    """

    def front(self, document: Document) -> list[str]:
        """The lines of YAML; every text in them is quoted, as JSON is, which YAML contains.

        >>> from symparam.writers.document import Named
        >>> ModelCardFormat().front(Document("", (), (Named("a: b", "total", 5, ""),
        ...                                           Named("a: b", "L", 2, "", counts=False))))
        ['model_name: "a: b"', 'parameters:', '  "total": 5', 'numbers:', '  "L": 2']
        """
        models = list(dict.fromkeys(each.of for each in document.numbers))
        lines = [f"model_name: {_quoted(', '.join(models))}"] if models else []
        for title, counts in (("parameters", True), ("numbers", False)):
            found = {f"{each.of}: {each.name}" if len(models) > 1 else each.name: each.value
                     for each in document.numbers if each.counts is counts
                     and type(each.value) is int and "." not in each.name
                     and not each.name.endswith(" each")}
            lines += [f"{title}:", *(f"  {_quoted(name)}: {value}"
                                     for name, value in found.items())] if found else []
        return lines

    def citations(self, document: Document) -> str:
        """BibTeX of what the document cites; empty where that is nothing."""
        return bibtex(used(sources_of(document)))


def _quoted(text: str) -> str:
    return json.dumps(clean(text), ensure_ascii=False)
