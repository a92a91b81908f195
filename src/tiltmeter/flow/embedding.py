"""A study of embeddings on one page: words, vectors, RNSB, WEAT, links, mending, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.asking import corpus_given, manner_of
from tiltmeter.flow.embedding_asked import (
    any_given,
    check_with,
    check_words,
    rnsb_manner,
    specs_given,
)
from tiltmeter.flow.embedding_found import Found, facts_of_embeddings
from tiltmeter.flow.embedding_links import deviations_of, names_in
from tiltmeter.flow.embedding_mending import mended
from tiltmeter.flow.embedding_reading import Looking, read_embeddings
from tiltmeter.flow.embedding_words import vocabulary
from tiltmeter.flow.environment import environment
from tiltmeter.flow.subjects import Specs
from tiltmeter.report import EmbeddingMaterial, write_embedding_folder
from tiltmeter.scoring import Progress, Settings
from tiltmeter.systems import Options
from tiltmeter.vectors import reads_texts

LISTS = ("national-origin", "religion", "gender", "race-names")
TESTS = ("weat",)
COVERAGE, RESAMPLES = 0.7, 500
"""The share of a list that must be there; how often the lexicon is drawn again."""
Stage = Callable[[str], object]


@dataclass(frozen=True, eq=False, repr=False)
class Embeddings:
    """What a study of embeddings found, as tables, and how to write its report."""

    material: EmbeddingMaterial

    @property
    def rnsb(self) -> pl.DataFrame:
        """How unevenly negative sentiment falls on each list, in each embedding."""
        return self.material.rnsb

    @property
    def terms(self) -> pl.DataFrame:
        """Every term's probability and share."""
        return self.material.terms

    @property
    def weat(self) -> pl.DataFrame:
        """Every word test's effect size and p-value."""
        return self.material.weat

    @property
    def links(self) -> pl.DataFrame:
        """How far systems' tilts between names go with the vectors."""
        return self.material.links

    @property
    def mitigation(self) -> pl.DataFrame:
        """Every number before and after an identity direction is removed."""
        return self.material.mitigation

    @property
    def refused(self) -> bool:
        """Whether lists were asked for and none of them has a number."""
        return bool(self.rnsb.height) and self.rnsb["rnsb"].null_count() == self.rnsb.height

    def report(
        self,
        folder: Path | str = "tiltmeter-out",
        *,
        force: bool = False,
        stage: Stage | None = None,
    ) -> Path:
        """Write the page, figures, tables and `embeddings.json`; returns the page's path."""
        told = {} if stage is None else {"stage": stage}
        return write_embedding_folder(self.material, Path(folder), force=force, **told)

    def __repr__(self) -> str:
        many = self.material.embeddings.height
        known = self.rnsb["rnsb"].count()
        return f"<Embeddings: {many} assessed, {known} of {self.rnsb.height} RNSB>"


def assess_embeddings(
    embeddings: str | Path | Sequence[str | Path],
    *,
    terms: Sequence[str | Path] = LISTS,
    lexicon: Sequence[str | Path] = (),
    polarity: str = "negative",
    mode: str = "corrected",
    tests: Sequence[str | Path] = TESTS,
    systems: Specs = (),
    corpus: Corpus | Path | str | None = None,
    tasks: Sequence[str] = (),
    mitigate: Sequence[str] = (),
    directions: Sequence[str | Path] | None = None,
    similarities: Path | str | None = None,
    analogies: Path | str | None = None,
    case: str = "fallback",
    in_sentences: bool = False,
    language: str | None = None,
    coverage: float = COVERAGE,
    resamples: int = RESAMPLES,
    ridge: float | None = None,
    seed: int = 0,
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
    stage: Stage | None = None,
    command: str = "",
) -> Embeddings:
    """Assess how unevenly negative sentiment falls on words for people in embeddings.

    `embeddings` are files of word vectors, names, or encoders of texts. `terms` are lists by name
    or .toml files, `lexicon` a name or files of positive and negative words, `tests` word tests
    such as weat. `systems` are asked for the `corpus`, to see how far their tilt between names was
    already in the vectors. `mitigate` names what to try along `directions`: hard, soft, inlp.
    `case` is fallback or exact; `in_sentences` puts words into sentences for encoders of texts.
    `coverage` is the share of a list's terms that must be there.
    """
    specs, tell = specs_given(embeddings), stage or (lambda _: None)
    check_words(mode, polarity, case, mitigate)
    check_with("mitigate", mitigate, direction=directions, similarity=similarities,
                analogies=analogies)  # fmt: skip
    check_with("system", any_given(systems), corpus=corpus, task=tuple(tasks) or None)
    along = ("gender",) if directions is None else tuple(directions)
    if mitigate and not along:
        raise TiltmeterError("--mitigate needs a --direction to take out; none is named: gender, …")
    manner = rnsb_manner(mode, polarity, coverage, resamples, seed, ridge)
    spoken = corpus_given(corpus or "eec") if any_given(systems) else None
    words = vocabulary(
        terms, lexicon, tests, mode,
        directions=along if mitigate else (), similarities=similarities, analogies=analogies,
        people=() if spoken is None else names_in(spoken),
        templates=any(map(reads_texts, specs)),
    )  # fmt: skip
    if not (words.lists or words.tests or spoken or mitigate):
        raise TiltmeterError("neither terms nor word tests are asked for; name some, or a --system")
    if in_sentences and not words.templates:
        what = "--in-sentences is for encoders of texts, and these are vectors of words"
        raise TiltmeterError(f"{what}: leave it out")
    spoken_in = language or words.lexicon.language
    read = read_embeddings(specs, words, Looking(case, in_sentences, spoken_in, tell))
    seen = None
    if spoken is not None:
        seen = deviations_of(systems, spoken, tasks, manner_of(options, store, settings, progress))
    found = Found()
    for one in read:
        tell(f"assessing {one.space.name}")
        found.take(one, words, manner, seen)
        if mitigate:
            tell(f"mending {one.space.name}")
            found.mendings += mended(one.space, words, mitigate, manner, one.reading.found_as)
    facts = facts_of_embeddings(
        manner, words, read, seen, mitigate, case=case, in_sentences=in_sentences
    )
    return Embeddings(found.material(words, read, facts, environment(command), seen))
