"""A study of embeddings on one page: words, vectors, RNSB, WEAT, links, mitigation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.errors import ArgumentError, TiltmeterError, argument
from tiltmeter.files import without_folders
from tiltmeter.scoring import Progress, Settings
from tiltmeter.scoring.open_systems import Specs
from tiltmeter.scoring.provenance import environment
from tiltmeter.scoring.scoring_run import find_corpus, scoring_options
from tiltmeter.studies.embeddings.classifier import NEGATIVE, POSITIVE
from tiltmeter.studies.embeddings.link import (
    LINK_GAPS,
    LINK_NAMES,
    LINKS,
    Deviations,
    LinkStudy,
    deviations_of,
    link_embedding,
    names_in,
)
from tiltmeter.studies.embeddings.mitigation import MitigationStudy, mitigation_studies
from tiltmeter.studies.embeddings.mitigation_methods import METHODS
from tiltmeter.studies.embeddings.mitigation_metrics import MITIGATION
from tiltmeter.studies.embeddings.rnsb import (
    CORRECTED,
    COVERAGE,
    ENGLISH,
    PUBLISHED,
    RESAMPLES,
    RnsbConfig,
    RnsbStudy,
    compared_spaces,
    rnsb_study,
    with_corrected_p,
)
from tiltmeter.studies.embeddings.study import Embeddings
from tiltmeter.studies.embeddings.vocabulary import (
    EmbeddingVectors,
    Vocabulary,
    read_embeddings,
    vocabulary,
)
from tiltmeter.studies.embeddings.weat import WeatStudy, weat_study
from tiltmeter.systems import Options
from tiltmeter.vectors import reads_texts

MODES, POLARITIES, CASES = (CORRECTED, PUBLISHED), (NEGATIVE, POSITIVE), ("fallback", "exact")
FEWEST, MOST = 40, 10_000
"""Resamples: the fewest that give an interval, and the most that fit into memory."""
LISTS = ("national-origin", "religion", "gender", "race-names")
TESTS = ("weat",)
Stage = Callable[[str], object]
EMBEDDINGS = {
    **dict.fromkeys(("embedding", "spec", "kind", "format"), pl.String),
    "dimension": pl.Int64,
    **dict.fromkeys(("digest", "licence"), pl.String),
    **dict.fromkeys(("asked", "found", "respelled"), pl.Int64),
}


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
    named = [embeddings] if isinstance(embeddings, str | Path) else list(embeddings)
    if not named or not all(str(spec).strip() for spec in named):
        raise TiltmeterError("no embedding is named; name a file or one, as in: glove-6b-50d")
    specs, tell = list(dict.fromkeys(map(str, named))), stage or (lambda _: None)
    asked = systems is not None and not (isinstance(systems, Sized) and len(systems) == 0)
    for name, value, known in (
        ("mode", mode, MODES), ("polarity", polarity, POLARITIES), ("case", case, CASES)
    ):  # fmt: skip
        if value not in known:
            raise ArgumentError(name, f"is {value!r}; expected one of {', '.join(known)}")
    for method in mitigate:
        if method not in METHODS:
            expected = f"expected {', '.join(METHODS)}, several joined by commas"
            raise ArgumentError("mitigate", f"names {method!r}; {expected}")
    _check_with("mitigate", mitigate, directions=directions, similarities=similarities,
                analogies=analogies)  # fmt: skip
    _check_with("systems", asked, corpus=corpus, tasks=tuple(tasks) or None)
    along = ("gender",) if directions is None else tuple(directions)
    if mitigate and not along:
        what = f"needs a {argument('direction', '--direction')} to take out"
        raise ArgumentError("mitigate", f"{what}; none is named: gender, …")
    config = rnsb_config(mode, polarity, coverage, resamples, seed, ridge)
    spoken = find_corpus(corpus or "eec") if asked else None
    words = vocabulary(
        terms, lexicon, tests, mode,
        directions=along if mitigate else (), similarities=similarities, analogies=analogies,
        people=() if spoken is None else names_in(spoken),
        templates=any(map(reads_texts, specs)),
    )  # fmt: skip
    if not (words.lists or words.tests or spoken or mitigate):
        system = argument("system in systems", "--system")
        raise TiltmeterError(
            f"neither terms nor word tests are asked for; name some, or a {system}"
        )
    if in_sentences and not words.templates:
        what = "is for encoders of texts, and these are vectors of words"
        raise ArgumentError("in_sentences", f"{what}: leave it out")
    read = read_embeddings(
        specs, words, case=case, in_sentences=in_sentences,
        language=language or words.lexicon.language, stage=tell,
    )  # fmt: skip
    tilts = None
    if spoken is not None:
        tilts = deviations_of(
            systems, spoken, tasks, scoring_options(options, store, settings, progress)
        )
    rnsb: dict[str, RnsbStudy] = {}
    tested: list[WeatStudy] = []
    links: list[LinkStudy] = []
    mitigations: list[MitigationStudy] = []
    for one in read:
        space, found_as = one.space, one.reading.found_as
        tell(f"assessing {space.name}")
        study = rnsb_study(space, words.lists, words.lexicon, words.ordinary, config, found_as)
        rnsb[space.name] = study
        texts, sentences = space, None
        if one.in_sentences is not None:  # words in sentences, for encoders of texts
            texts, sentences = one.in_sentences, words.sentences(words.test_words)
        tested.append(
            weat_study(texts, words.tests, sentences, coverage=coverage, seed=seed, mode=mode)
        )
        if tilts is not None:
            links.append(link_embedding(study, space, tilts, seed))
        if mitigate:
            tell(f"mending {space.name}")
            mitigations += mitigation_studies(space, words, mitigate, config, found_as)

    def stacked(
        studies: Sequence[object], name: str, schema: Mapping[str, Any] | None = None
    ) -> pl.DataFrame:
        """Every embedding's rows, with p corrected over them where there is one."""
        empty = [] if schema is None else [pl.DataFrame(schema=schema)]
        frame = pl.concat([*empty, *(getattr(one, name) for one in studies)])
        return with_corrected_p(frame) if "p" in frame.columns else frame

    every = list(rnsb.values())
    facts = [
        (
            one.space.name, without_folders(one.reading.spec), one.reading.kind, one.reading.format,
            one.reading.dimension, one.reading.digest, one.reading.licence, one.asked,
            len(one.space.words), len(one.reading.found_as),
        )
        for one in read
    ]  # fmt: skip
    return Embeddings(
        embeddings=pl.DataFrame(facts, EMBEDDINGS, orient="row"),
        classifiers=stacked(every, "classifiers"),
        ridges=stacked(every, "ridges"),
        rnsb=stacked(every, "rnsb"),
        terms=stacked(every, "terms"),
        groups=stacked(every, "groups"),
        comparisons=compared_spaces(rnsb),
        correlations=stacked(every, "correlations"),
        plane=stacked(every, "plane"),
        weat=stacked(tested, "weat"),
        associations=stacked(tested, "associations"),
        others=stacked(tested, "others"),
        links=stacked(links, "links", LINKS),
        link_names=stacked(links, "names", LINK_NAMES),
        link_gaps=stacked(links, "gaps", LINK_GAPS),
        mitigation=stacked(mitigations, "frame", MITIGATION),
        run=_run_facts(config, words, read, tilts, mitigate, case, in_sentences),
        environment=environment(command),
        notes=tuple(dict.fromkeys([
            *_notes(words, read, published=mode == PUBLISHED),
            *(() if tilts is None else tilts.notes),
            *(note for one in mitigations for note in one.notes),
        ])),
        remarks={one.space.name: one.reading.remarks for one in read},
    )  # fmt: skip


OPTIONS = {
    "directions": "--direction",
    "similarities": "--similarity",
    "systems": "--system",
    "tasks": "--task",
}
"""Options that are not called like their argument."""


def _check_with(needed: str, given: object, **others: object) -> None:
    """Refuse options that would say nothing, since what they go with is not asked for."""
    for name, value in others.items():
        if value is not None and not given:
            own, other = (argument(each, OPTIONS.get(each, "")) for each in (name, needed))
            what = f"{own} goes with {other}, which is not given"
            raise TiltmeterError(f"{what}; give it, or leave {own} out")


def rnsb_config(
    mode: str, polarity: str, coverage: float, resamples: int, seed: int, ridge: float | None
) -> RnsbConfig:
    """How RNSB is to be made; numbers that make no sense are refused."""
    if not 0 < coverage <= 1:
        raise ArgumentError("coverage", f"is {coverage:g}; expected a share above 0 and up to 1")
    if resamples != 0 and resamples < FEWEST:
        what = f"is {resamples}; expected at least {FEWEST}, or 0 for no intervals"
        raise ArgumentError("resamples", what)
    if resamples > MOST:
        raise ArgumentError("resamples", f"is {resamples}; expected at most {MOST}")
    if seed < 0:
        raise ArgumentError("seed", f"is a whole number from 0 up; found {seed!r}")
    if seed >= 2**32 and mode == PUBLISHED:
        what = f"is {seed}; expected one below {2**32} with {argument('mode')} {PUBLISHED}"
        raise ArgumentError("seed", f"{what}, as scikit-learn's split takes no larger one")
    if ridge is not None and not 0 < ridge < float("inf"):
        raise ArgumentError("ridge", f"is {ridge:g}; expected a number above 0")
    if ridge is not None and mode == PUBLISHED:
        raise ArgumentError("ridge", f"goes with {argument('mode')} corrected; the paper's is 1")
    return RnsbConfig(mode, polarity, coverage, resamples, seed, ridge)


def _notes(
    words: Vocabulary, read: Sequence[EmbeddingVectors], *, published: bool
) -> Iterator[str]:
    """What a reader should know besides the numbers; what is odd in one file is its remark."""
    spoken = words.lexicon.language
    yield from (f"lexicon: {note}" for note in words.lexicon.notes)
    for one in words.lists:
        if one.language != spoken:
            what = f"the list {one.name} is in {one.language!r}, the lexicon in"
            yield f"{what} {spoken!r}: only vectors of both languages can tell"
    for each in read:
        made_for = each.reading.languages
        if made_for and spoken not in made_for:
            what = f"{each.space.name} was made for {', '.join(made_for)}"
            yield f"{what}; the lexicon is in {spoken!r}"
    if published:
        return
    foreign = [one.name for one in words.lists if one.language != ENGLISH or not words.ordinary]
    if foreign:
        yield f"not held against ordinary words, which are English: {', '.join(foreign)}"
    # the classifier must not learn what it is asked
    rated = {word.casefold() for word in (*words.lexicon.positive, *words.lexicon.negative)}
    both = {text for one in words.lists for text in one.texts if text.casefold() in rated}
    if both:
        named = ", ".join(sorted(both))
        yield f"identity terms left out of the lexicon, which rates them: {named}"


def _run_facts(
    config: RnsbConfig,
    words: Vocabulary,
    read: Sequence[EmbeddingVectors],
    tilts: Deviations | None,
    mitigate: Sequence[str],
    case: str,
    in_sentences: bool,
) -> dict[str, Any]:
    """What determines the numbers."""
    lexicon = words.lexicon
    facts = {
        **asdict(config),
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
    if tilts is not None:
        corpus = tilts.corpus
        facts["corpus"] = {
            "name": corpus.name, "edition": corpus.edition, "checksum": corpus.checksum
        }  # fmt: skip
        facts["systems"] = list(tilts.facts)
    return facts
