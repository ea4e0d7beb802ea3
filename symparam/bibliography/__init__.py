"""Sources as records: what a text cites, under which key, and BibTeX of it.

Components, quantities and the catalogue say in a line where they are from: ``Ainslie et al. 2023,
arXiv:2305.13245, section 2.2``. What it names by its arXiv number, by a DOI or by its title has a
record in ``records.json``, with authors, title and year; a page on a hub is its own record.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from symparam.dataclass import dataclass
from symparam.files.reading import read_text
from symparam.showable import tex

FOLDER = Path(__file__).resolve().parent

#: Words of a title that are no key.
_SMALL = frozenset("a an the of for on in to and with are is be deriving every".split())

#: What part of a source is meant, behind it.
_WHERE = (r"(?:,? ?(?P<where>(?:sections?|tables?|figures?|appendix|appendices|eq\.|models/)"
          r"[^,;()]*(?:, (?=\d)[^,;()]*)*))?")
#: Who and when, and perhaps a title, before what a record is known by.
_HEAD = r"(?:\b(?!(?:on|and|as|in) )[A-Za-z0-9][^;:()]*? \d{4}, (?:[^;()]*?,? )??)??"
#: A page of a model on a hub.
_REPO = r"(?P<repo>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*[\w])(?![\w/*-])"
_CARD = (r"(?:(?:(?P<who>[A-Z][^;:()]*?)(?: (?P<year>\d{4}))?, )?model card (?:and config\.json )?"
         rf"(?:of )?{_REPO}|^{_REPO.replace('repo', 'page')}(?=,? (?:model card )?on the Hugging))")


@dataclass(frozen=True)
class Record:
    """A publication.

    Attributes:
        authors: first names first; ``others`` for those who are not listed, in braces what is no
            person.
        title: as it is published.
        year: of its first version; 0 where it is not known.
        arxiv, doi, venue, url: where it is.
    """

    authors: tuple[str, ...]
    title: str
    year: int = 0
    arxiv: str = ""
    doi: str = ""
    venue: str = ""
    url: str = ""

    @property
    def surname(self) -> str:
        """What the first author is called, without braces.

        >>> Record(("Loubna {Ben Allal}", "others"), "").surname, Record(("{Meta}",), "").surname
        ('Ben Allal', 'Meta')
        """
        first = self.authors[0]
        return first.partition("{")[2].rstrip("}") if "{" in first else first.split()[-1]

    @property
    def key(self) -> str:
        """By which it is cited: surname, year and the first words of the title but the surname.

        >>> Record(("Hugo Touvron",), "Llama 2: Open Foundation", 2023).key
        'touvron2023llama2'
        >>> Record(("{NVIDIA}",), "NVIDIA Nemotron 3: Efficient", 2025).key
        'nvidia2025nemotron3'
        """
        if self.url.startswith("https://huggingface.co/"):
            return "hub:" + re.sub(r"[^A-Za-z0-9.]+", "-", self.url.partition(".co/")[2])
        short, colon, _ = self.title.partition(":")
        small = _SMALL | {_plain(self.surname)}
        words = [word for word in short.split() if _plain(word) not in small] or short.split()
        both = (len(words) == 2 and colon) or (words[1:] and words[1][0].isdigit())
        name = "".join(words[:2 if both else 1])
        return f"{_plain(self.surname)}{self.year or ''}{_plain(name)}"

    def bibtex(self) -> str:
        """Its entry."""
        kind = "article" if self.arxiv else "misc"
        fields = {"author": " and ".join(each if each.startswith("{") else tex_name(each)
                                         for each in self.authors),
                  "title": f"{{{tex(self.title)}}}", "year": str(self.year or ""),
                  "journal": f"arXiv preprint arXiv:{self.arxiv}" if self.arxiv else "",
                  "howpublished": "" if self.arxiv else tex(self.venue),
                  "doi": self.doi, "url": self.url, "eprint": self.arxiv}
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        return f"@{kind}{{{self.key},\n" + ",\n".join(lines) + "\n}\n"


def tex_name(name: str) -> str:
    r"""A name as BibTeX reads it: braces around what is one name stay.

    >>> tex_name("Loubna {Ben Allal}"), tex_name("AT&T")
    ('Loubna {Ben Allal}', 'AT\\&T')
    """
    parts = re.split(r"([{}])", name)
    return "".join(part if part in "{}" else tex(part) for part in parts)


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", letters.lower())


@cache
def records() -> dict[str, Record]:
    """Every record by what a text knows it by: ``arXiv:1706.03762``, a DOI, a title.

    >>> records()["arXiv:1706.03762"].key
    'vaswani2017attention'
    """
    data: dict[str, Any] = json.loads(read_text(FOLDER / "records.json", "the records", 2**20))
    return {mark: Record(**{**fields, "authors": tuple(fields["authors"]),
                            "arxiv": mark.removeprefix("arXiv:") if mark.startswith("arXiv:")
                            else ""}) for mark, fields in data.items()}


@dataclass(frozen=True)
class Citation:
    """A record, and what of it is meant."""

    record: Record
    where: str = ""


@cache
def _pattern() -> re.Pattern[str]:
    marks = "|".join(re.escape(mark) for mark in sorted(records(), key=len, reverse=True))
    return re.compile(
        rf"(?P<cited>{_HEAD}(?:github\.com/)?(?P<mark>{marks}){_WHERE})|{_CARD}", re.M)


def cited(text: str) -> Iterator[str | Citation]:
    """What a text cites, between the words that cite nothing.

    >>> [each.record.key if isinstance(each, Citation) else each for each in cited(
    ...     "tying: Press and Wolf 2016, arXiv:1608.05859, section 3; keys as printed")]
    ['tying: ', 'press2016using', '; keys as printed']
    >>> list(cited("Press and Wolf 2016, arXiv:1608.05859, section 3 (the head)"))[1:]
    [' (the head)']
    """
    end = 0
    for found in _pattern().finditer(text):
        if found.start() > end:
            yield text[end:found.start()]
        mark = found["mark"]
        yield Citation(records()[mark], (found["where"] or "").strip()) if mark else (
            Citation(_page(found["repo"] or found["page"], found["who"], found["year"])))
        end = found.end() - (len(found[0]) - len(found[0].rstrip()))
    if end < len(text):
        yield text[end:]


def _page(repository: str, who: str | None, year: str | None) -> Record:
    """The page of a model on a hub."""
    return Record((f"{{{who or repository.partition('/')[0]}}}",), f"Model card of {repository}",
                  int(year or 0), url=f"https://huggingface.co/{repository}")


def used(texts: Iterable[str]) -> list[Record]:
    """The records that texts cite, each once, in the order of their keys."""
    found = {each.record.key: each.record for text in texts for each in cited(text)
             if isinstance(each, Citation)}
    return [found[key] for key in sorted(found)]


#: What sets an address where no package does: styles of natbib take it as plain text.
_ADDRESS = r"""@preamble{"\providecommand{\url}[1]{\texttt{\detokenize{#1}}}"}
"""


def bibtex(found: Iterable[Record]) -> str:
    """Entries, one below the other; before those with an underscore in their address what sets it.
    """
    records = list(found)
    first = [_ADDRESS] if any("_" in record.url for record in records) else []
    return "\n".join([*first, *(record.bibtex() for record in records)])
