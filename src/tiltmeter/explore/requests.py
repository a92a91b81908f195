"""What the page may ask for: small records with bounds, read strictly, and what each answers."""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec

from tiltmeter.errors import TiltmeterError

LONGEST_TEXT = 5_000
"""Letters of a text that the page may send."""
MOST_TEXTS = 200
MOST_BYTES = 1_500_000
"""Of a request's body; read no further."""

T = TypeVar("T")
Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
Name = Annotated[str, msgspec.Meta(max_length=200)]
Systems = Annotated[list[Name], msgspec.Meta(max_length=50)]


class ReadRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Whom a text mentions."""

    text: Text
    decisions: dict[int, Name] = {}
    """Where a word begins → how the user reads it."""


class ScoreRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Scores of texts."""

    texts: Annotated[list[Text], msgspec.Meta(max_length=MOST_TEXTS)]
    systems: Systems = []
    """None named: all."""


class NamesRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A text about every name."""

    text: Text
    decisions: dict[int, Name] = {}
    systems: Systems = []
    agreed: Systems = []
    """Those to be asked whatever it costs; the others say what it would."""


class WhyRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Why a text has its score."""

    text: Text
    decisions: dict[int, Name] = {}
    systems: Systems = []
    agreed: Systems = []
    """As of every name."""


class CorpusSentence(msgspec.Struct, forbid_unknown_fields=True):
    """A sentence and whom it is about."""

    text: Text
    gender: Annotated[str, msgspec.Meta(pattern="^(female|male)$")]


class CorpusRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Sentences to add to the user's corpus, which differ only in whom they mention."""

    sentences: Annotated[list[CorpusSentence], msgspec.Meta(min_length=2, max_length=20)]


class EvidenceRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What the audits know of one name."""

    person: Name


def read_request(body: bytes, kind: type[T]) -> T:
    """A request's body as its record; an error that says what was found and expected."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise TiltmeterError(f"the request cannot be used: {error}") from None
