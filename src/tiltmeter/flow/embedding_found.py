"""What a study of embeddings found, embedding by embedding, as the report takes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from tiltmeter.files import without_folders
from tiltmeter.flow.embedding_links import Deviations, linked
from tiltmeter.flow.embedding_notes import notes_of_embeddings
from tiltmeter.flow.embedding_reading import Read
from tiltmeter.flow.embedding_words import Vocabulary
from tiltmeter.measures import (
    LINK_GAPS,
    LINK_NAMES,
    LINKS,
    MITIGATION,
    LinkStudy,
    MendingStudy,
    RnsbManner,
    RnsbStudy,
    WeatStudy,
    compared_spaces,
    rnsb_study,
    seat_study,
    weat_study,
    with_corrected_p,
)
from tiltmeter.report import EmbeddingMaterial

PUBLISHED = "published"
OF_RNSB = ("classifiers", "ridges", "rnsb", "terms", "groups", "correlations", "plane")
OF_TESTS = ("weat", "associations", "others")
EMBEDDINGS = {
    **dict.fromkeys(("embedding", "spec", "kind", "format"), pl.String),
    "dimension": pl.Int64,
    **dict.fromkeys(("digest", "licence"), pl.String),
    **dict.fromkeys(("asked", "found", "respelled"), pl.Int64),
}


@dataclass(slots=True)
class Found:
    """What is known so far, an embedding after the other."""

    studies: dict[str, RnsbStudy] = field(default_factory=dict)
    tested: list[WeatStudy] = field(default_factory=list)
    links: list[LinkStudy] = field(default_factory=list)
    mendings: list[MendingStudy] = field(default_factory=list)

    def take(
        self, one: Read, words: Vocabulary, manner: RnsbManner, seen: Deviations | None
    ) -> None:
        """Look at one embedding from every side but mending."""
        study = rnsb_study(
            one.space, words.identities, words.sentiment, words.ordinary, manner,
            one.reading.found_as,
        )  # fmt: skip
        self.studies[one.space.name] = study
        self.tested.append(_tested(one, words, manner))
        if seen is not None:
            self.links.append(linked(study, one.space, seen, manner.seed))

    def material(
        self,
        words: Vocabulary,
        read: Sequence[Read],
        facts: Mapping[str, Any],
        made: Mapping[str, Any],
        seen: Deviations | None,
    ) -> EmbeddingMaterial:
        """Everything as the report takes it."""
        studies = tuple(self.studies.values())
        published = facts["mode"] == PUBLISHED
        return EmbeddingMaterial(
            embeddings=_embeddings(read),
            **{name: _every(getattr(one, name) for one in studies) for name in OF_RNSB},
            comparisons=compared_spaces(self.studies),
            **{name: _every(getattr(one, name) for one in self.tested) for name in OF_TESTS},
            links=with_corrected_p(_frames([one.links for one in self.links], LINKS)),
            link_names=_frames([one.names for one in self.links], LINK_NAMES),
            link_gaps=_frames([one.gaps for one in self.links], LINK_GAPS),
            mitigation=_frames([one.frame for one in self.mendings], MITIGATION),
            run=facts,
            environment=made,
            notes=notes_of_embeddings(words, read, self.mendings, seen, published=published),
            remarks={one.space.name: one.reading.remarks for one in read},
        )


def _every(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """All embeddings' rows, with p corrected over them where there is one."""
    found = pl.concat(frames)
    return with_corrected_p(found) if "p" in found.columns else found


def _frames(found: Sequence[pl.DataFrame], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(schema=schema), *found])


def _tested(one: Read, words: Vocabulary, manner: RnsbManner) -> WeatStudy:
    """WEAT for word vectors; SEAT, its words in sentences, for encoders of texts."""
    sets, coverage, seed = words.word_sets, manner.coverage, manner.seed
    if one.in_sentences is None:
        return weat_study(one.space, sets, coverage=coverage, seed=seed, mode=manner.mode)
    placed = words.sentences(words.test_words)
    return seat_study(
        one.in_sentences, sets, placed, coverage=coverage, seed=seed, mode=manner.mode
    )


def _embeddings(read: Sequence[Read]) -> pl.DataFrame:
    """What was read of each embedding."""
    rows = [
        (
            one.space.name, without_folders(one.reading.spec), one.reading.kind, one.reading.format,
            one.reading.dimension, one.reading.digest, one.reading.licence, one.asked,
            len(one.space.words), len(one.reading.found_as),
        )
        for one in read
    ]  # fmt: skip
    return pl.DataFrame(rows, EMBEDDINGS, orient="row")


def facts_of_embeddings(
    manner: RnsbManner,
    words: Vocabulary,
    read: Sequence[Read],
    seen: Deviations | None,
    mitigate: Sequence[str],
    *,
    case: str,
    in_sentences: bool,
) -> dict[str, Any]:
    """What determines the numbers."""
    lexicon = words.lexicon
    told = {
        **asdict(manner),
        "case": case,
        "in_sentences": in_sentences,
        "lexicon": {
            "name": lexicon.name, "title": lexicon.title, "language": lexicon.language,
            "positive": len(lexicon.positive), "negative": len(lexicon.negative),
            "source": lexicon.provenance.source, "checksum": lexicon.checksum,
        },
        "lists": [
            {
                "name": one.name, "title": one.title, "edition": one.edition,
                "language": one.language, "terms": len(one.terms), "about": one.about,
                "source": one.provenance.source, "checksum": one.checksum,
            }
            for one in words.lists
        ],
        "tests": [test.name for test in words.tests],
        "ordinary": len(words.ordinary),
        "embeddings": [
            {
                "name": one.space.name, "spec": without_folders(one.reading.spec),
                "digest": one.reading.digest,
            }
            for one in read
        ],
        "mitigate": list(mitigate),
        "directions": [one.name for one in words.directions],
    }  # fmt: skip
    if seen is not None:
        corpus = seen.corpus
        told["corpus"] = {
            "name": corpus.name, "edition": corpus.edition, "checksum": corpus.checksum
        }  # fmt: skip
        told["systems"] = list(seen.facts)
    return told
