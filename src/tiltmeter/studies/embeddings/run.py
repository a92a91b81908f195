"""A study of embeddings on one page: words, vectors, RNSB, WEAT, links, mitigation, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import without_folders
from tiltmeter.scoring import Progress, Settings
from tiltmeter.scoring.open_systems import Specs
from tiltmeter.scoring.provenance import environment
from tiltmeter.scoring.scoring_run import corpus_given, manner_of
from tiltmeter.studies.embeddings.directions import MITIGATION
from tiltmeter.studies.embeddings.folder import write_embedding_folder
from tiltmeter.studies.embeddings.link import (
    LINK_GAPS,
    LINK_NAMES,
    LINKS,
    Deviations,
    LinkStudy,
    deviations_of,
    linked,
    names_in,
)
from tiltmeter.studies.embeddings.material import EmbeddingMaterial
from tiltmeter.studies.embeddings.mitigation import MendingStudy, mended
from tiltmeter.studies.embeddings.mitigation_methods import METHODS
from tiltmeter.studies.embeddings.rnsb import (
    RnsbConfig,
    RnsbStudy,
    compared_spaces,
    rnsb_study,
    with_corrected_p,
)
from tiltmeter.studies.embeddings.vocabulary import (
    ENGLISH,
    Looking,
    Read,
    Vocabulary,
    read_embeddings,
    vocabulary,
)
from tiltmeter.studies.embeddings.weat import WeatStudy, seat_study, weat_study
from tiltmeter.systems import Options
from tiltmeter.vectors import reads_texts

# ---- what a study of embeddings is asked for: whatever would say nothing or is wrong is refused


PUBLISHED = "published"
MODES, POLARITIES = ("corrected", PUBLISHED), ("negative", "positive")
CASES = ("fallback", "exact")
FEWEST, MOST = 40, 10_000
"""Resamples: the fewest that give an interval, and the most that fit into memory."""


def specs_given(given: str | Path | Sequence[str | Path]) -> list[str]:
    """The embeddings named, each once."""
    several = [given] if isinstance(given, str | Path) else list(given)
    if not several or not all(str(one).strip() for one in several):
        raise TiltmeterError("no embedding is named; name a file or one, as in: glove-6b-50d")
    return list(dict.fromkeys(map(str, several)))


def any_given(systems: Specs) -> bool:
    """Whether systems are given: nothing, or an empty list, are none."""
    return systems is not None and not (isinstance(systems, Sized) and len(systems) == 0)


def check_with(needed: str, given: object, **others: object) -> None:
    """Refuse options that would say nothing, since what they go with is not asked for."""
    for name, value in others.items():
        if value is not None and not given:
            what = f"--{name} goes with --{needed}, which is not given"
            raise TiltmeterError(f"{what}; give it, or leave --{name} out")


def check_words(mode: str, polarity: str, case: str, mitigate: Sequence[str]) -> None:
    """Raise where a word is none of those that an option knows."""
    for name, value, known in (
        ("mode", mode, MODES), ("polarity", polarity, POLARITIES), ("case", case, CASES)
    ):  # fmt: skip
        if value not in known:
            raise TiltmeterError(f"--{name} is {value!r}; expected one of {', '.join(known)}")
    for method in mitigate:
        if method not in METHODS:
            expected = f"expected {', '.join(METHODS)}, several joined by commas"
            raise TiltmeterError(f"--mitigate names {method!r}; {expected}")


def rnsb_manner(
    mode: str, polarity: str, coverage: float, resamples: int, seed: int, ridge: float | None
) -> RnsbConfig:
    """How RNSB is to be made; numbers that make no sense are refused."""
    if not 0 < coverage <= 1:
        raise TiltmeterError(f"--coverage is {coverage:g}; expected a share above 0 and up to 1")
    if resamples != 0 and resamples < FEWEST:
        what = f"--resamples is {resamples}; expected at least {FEWEST}, or 0 for no intervals"
        raise TiltmeterError(what)
    if resamples > MOST:
        raise TiltmeterError(f"--resamples is {resamples}; expected at most {MOST}")
    if seed < 0:
        raise TiltmeterError(f"--seed is a whole number from 0 up; found {seed!r}")
    if seed >= 2**32 and mode == PUBLISHED:
        what = f"--seed is {seed}; expected one below {2**32} with --mode {PUBLISHED}"
        raise TiltmeterError(f"{what}, as scikit-learn's split takes no larger one")
    if ridge is not None and not 0 < ridge < float("inf"):
        raise TiltmeterError(f"--ridge is {ridge:g}; expected a number above 0")
    if ridge is not None and mode == PUBLISHED:
        raise TiltmeterError("--ridge goes with --mode corrected; the paper's is 1")
    return RnsbConfig(mode, polarity, coverage, resamples, seed, ridge)


# ---- what a reader of a study of embeddings should know besides its numbers


def notes_of_embeddings(
    words: Vocabulary,
    read: Sequence[Read],
    mendings: Sequence[MendingStudy],
    seen: Deviations | None,
    *,
    published: bool,
) -> tuple[str, ...]:
    """Notes of the whole study; what is odd about one embedding stands with its reading."""
    return tuple(
        dict.fromkeys(
            [
                *(f"lexicon: {note}" for note in words.lexicon.notes),
                *_languages(words, read),
                *([] if published else _not_beside_ordinary(words)),
                *([] if published else _left_out(words)),
                *([] if seen is None else seen.notes),
                *(note for one in mendings for note in one.notes),
            ]
        )
    )


def _languages(words: Vocabulary, read: Sequence[Read]) -> Iterator[str]:
    """Lists and lexicon of another language than each other's or an embedding's."""
    for one in words.lists:
        if one.language != words.lexicon.language:
            what = f"the list {one.name} is in {one.language!r}, the lexicon in"
            yield f"{what} {words.lexicon.language!r}: only vectors of both languages can tell"
    for each in read:
        made_for = each.reading.languages
        if made_for and words.lexicon.language not in made_for:
            what = f"{each.space.name} was made for {', '.join(made_for)}"
            yield f"{what}; the lexicon is in {words.lexicon.language!r}"


def _not_beside_ordinary(words: Vocabulary) -> Iterator[str]:
    """Lists without a baseline, since ordinary words are English ones."""
    foreign = [one.name for one in words.lists if one.language != ENGLISH or not words.ordinary]
    if foreign:
        yield f"not held against ordinary words, which are English: {', '.join(foreign)}"


def _left_out(words: Vocabulary) -> Iterator[str]:
    """Terms that are sentiment words too: the classifier must not be told what it is asked."""
    rated = {word.casefold() for word in (*words.lexicon.positive, *words.lexicon.negative)}
    terms = dict.fromkeys(term.text for one in words.lists for term in one.terms)
    both = sorted(term for term in terms if term.casefold() in rated)
    if both:
        yield f"identity terms left out of the lexicon, which rates them: {', '.join(both)}"


def refusals(rnsb: pl.DataFrame) -> Iterator[str]:
    """Each list that has no number, and why."""
    for row in rnsb.filter(pl.col("reason").is_not_null()).iter_rows(named=True):
        yield f"{row['embedding']}, {row['list']}: no RNSB, {row['reason']}"


# ---- what a study of embeddings found, embedding by embedding, as the report takes it


OF_RNSB = ("classifiers", "ridges", "rnsb", "terms", "groups", "correlations", "plane")
OF_TESTS = ("weat", "associations", "others")
EMBEDDINGS = {
    **dict.fromkeys(("embedding", "spec", "kind", "format"), pl.String),
    "dimension": pl.Int64,
    **dict.fromkeys(("digest", "licence"), pl.String),
    **dict.fromkeys(("asked", "found", "respelled"), pl.Int64),
}


@dataclass(slots=True)
class EmbeddingResults:
    """What is known so far, an embedding after the other."""

    studies: dict[str, RnsbStudy] = field(default_factory=dict)
    tested: list[WeatStudy] = field(default_factory=list)
    links: list[LinkStudy] = field(default_factory=list)
    mendings: list[MendingStudy] = field(default_factory=list)

    def take(
        self, one: Read, words: Vocabulary, manner: RnsbConfig, seen: Deviations | None
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


def _tested(one: Read, words: Vocabulary, manner: RnsbConfig) -> WeatStudy:
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
    manner: RnsbConfig,
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


# ---- a study of embeddings on one page: words, vectors, RNSB, WEAT, links, mending, report


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
    found = EmbeddingResults()
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
