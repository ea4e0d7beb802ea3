"""The records of a trace: what was moved, what was found, on what it rests. Nothing here needs
torch: a trace is found once and read anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from symparam import expression as ex
from symparam.constraints import Check, Equation
from symparam.dataclass import dataclass
from symparam.ledger import Status

RowRole: TypeAlias = Literal["", "table", "token", "head"]

#: What is said of the numbers of layers that follow no rule.
NO_ORDER = "in no order that was found"

KeyKind: TypeAlias = Literal["size", "structure", "inert", "refused", "switch", "held"]
#: Kinds of key that are whole numbers; any other may be a share, a text, or what a target takes for
#: none (-1).
SIZES: frozenset[KeyKind] = frozenset({"size", "structure"})


@dataclass(frozen=True)
class Key:
    """A number that the target takes, under the name that it has as a dim.

    Attributes:
        name: the dim: a standard name where one is known (``d_model``), else the target's own.
        path: where the target takes it, outermost first (``("vision_config", "hidden_size")``).
        base: its value where the trace began.
        kind: ``size`` (shapes follow it), ``structure`` (which tensors there are follows it),
            ``inert`` (nothing does), ``refused`` (no other value was accepted), ``switch`` (not a
            number), ``held`` (kept by request).
        meaning: what it counts, in a few words.
        aliases: what else it is called, besides its path and the last word of that.
    """

    name: str
    path: tuple[str | int, ...]
    base: int | float | str | bool | None
    kind: KeyKind
    meaning: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class TracedRow:
    """A pattern of tensors of one shape.

    Attributes:
        pattern: the name in the state dict, numbers that differ between copies written ``*``.
        shape: each axis as an expression over dims.
        copies: how many there are: a factor for each ``*``, outermost first, or one expression
            for all of them together; empty where there is one.
        status: trainable, frozen or a buffer.
        tied_to: the pattern whose numbers it shares.
        module: the class of the module that owns it (``LlamaAttention``).
        numbers: which numbers the outermost ``*`` takes, where they are not 0, 1, 2 ...: a rule
            over dims that a person reads ("every 2nd from 1", "the first k_dense").
        role: ``table`` where the module looks numbers up in it (``torch.nn.Embedding``), ``token``
            and ``head`` where the target says that it is its input's or its output's; else empty.
    """

    pattern: str
    shape: tuple[ex.Expr, ...]
    copies: tuple[ex.Expr, ...] = ()
    status: Status = "trainable"
    tied_to: str | None = None
    module: str = ""
    numbers: str = ""
    role: RowRole = ""


@dataclass(frozen=True)
class Assumption:
    """What the rows are exact under and the probes could not show.

    Attributes:
        kind: ``pinned`` (could not be moved), ``tied`` (proportional at every point), ``number``
            (a dim left as a number), ``decided`` (a number that was looked up, or made a text),
            ``stays`` (a key that the target works out by no rule that was found), ``unread``
            (never read), ``switch`` (held), ``depth`` (kinds not seen at the base's depth),
            ``existence`` (a case that holds), ``asserted`` (what the target refuses to be
            without), ``held`` (a key that was not moved), ``copies`` (a count without a rule),
            ``range`` (what was built), ``disagrees`` (a held-out point that differs),
            ``unfinished`` (the search was stopped).
        keys: the dims that it is about.
        text: the sentence that every answer prints.
    """

    kind: str
    keys: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Evidence:
    """What was built to find the rows and to refute them.

    Attributes:
        fitted: points that the expressions were fitted to.
        held_out: fresh points of an independent generator at which all rows were right.
        moved: the dims that had other numbers at these points than where the trace began.
        builds: modules built in all.
        seed: of every drawing.
        versions: package to version (``torch``, ``transformers``), and the python.
        digest: SHA-256 of the rows as written.
    """

    fitted: int
    held_out: int
    builds: int
    seed: int
    versions: Mapping[str, str]
    digest: str = ""
    moved: tuple[str, ...] = ()


#: Of what was written down.
NOTHING_BUILT = Evidence(0, 0, 0, 0, {})

WorkKind: TypeAlias = Literal["weight", "product", "state"]


@dataclass(frozen=True)
class WorkRow:
    """What a forward pass multiplies, or keeps, under a pattern of names.

    Attributes:
        kind: ``weight`` (a product with a tensor), ``product`` (one of what the module computes
            itself), ``state`` (kept for later tokens).
        pattern: the tensor's name, or the module's with a word for what it makes or keeps.
        shape: the factors of a product's multiply-adds, or the axes of what is kept, over dims
            and over s, b and s_encoder.
        copies, numbers: as a :class:`TracedRow` has them; a product that is made several times
            has a factor for that.
    """

    kind: WorkKind
    pattern: str
    shape: tuple[ex.Expr, ...]
    copies: tuple[ex.Expr, ...] = ()
    numbers: str = ""


@dataclass(frozen=True)
class Work:
    """What a module multiplies and keeps, found by forward passes at points.

    Attributes:
        rows: products and states.
        used: patterns of tensors that go into something and multiply nothing.
        checks: where this holds.
        assumptions, evidence: as a :class:`Trace` has them, of the forward passes.
        unset: why it is not known; empty where it is.
    """

    rows: tuple[WorkRow, ...] = ()
    used: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    evidence: Evidence = NOTHING_BUILT
    unset: str = ""


@dataclass(frozen=True)
class Trace:
    """The ledger of a target, found by probing.

    Attributes:
        name: the model's name.
        target: what was traced, as a person gives it (``transformers:qwen3``).
        keys: every key of the target.
        equations: keys that follow others where they are not given (``d_head``).
        checks: what the constructor asserts.
        rows: the tensors.
        assumptions: what it rests on; empty after a clean audit.
        evidence: what was built.
        work: what it multiplies and keeps; None where nobody looked.
    """

    name: str
    target: str
    keys: tuple[Key, ...]
    equations: tuple[Equation, ...]
    checks: tuple[Check, ...]
    rows: tuple[TracedRow, ...]
    assumptions: tuple[Assumption, ...]
    evidence: Evidence
    work: Work | None = None
