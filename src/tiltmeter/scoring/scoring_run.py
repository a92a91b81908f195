"""Sentences scored: corpora give them, systems are asked, answers are stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from numbers import Integral
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import Corpus, draw_options, load_corpus
from tiltmeter.errors import ArgumentError, TiltmeterError, argument
from tiltmeter.scoring import (
    Progress,
    ScaleSource,
    Scored,
    Settings,
    Store,
    Tally,
    Texts,
    blocks_of,
    count_asks,
    default_store,
    frames_drawn,
    one_scale_each,
    score_in_memory,
    score_system,
    stored_form,
    texts_of,
)
from tiltmeter.scoring.matrix import ScoreMatrix, score_matrix, stack_matrices
from tiltmeter.scoring.open_systems import NamedSystem, Subjects
from tiltmeter.scoring.provenance import FAILURES, Unavailable, none_left, unavailable
from tiltmeter.systems import (
    FileReport,
    Options,
    Origin,
    Scale,
    ScoreFiles,
    answers_in,
    columns_given,
    read_scores,
    resolve_form,
)

AT_ONCE = 32
"""Systems whose tables of scores are put together at a time."""
Source = int | Origin
"""Where a submission comes from: the place of a system among those asked, or a file."""

COUNTS = (
    *("rows", "matched", "missing", "duplicated", "other", "out_of_range", "constant"),
    "upside_down",
)
"""What is told of a file of scores in numbers."""
DRAW = ("people", "frames", "weights")
"""What only a corpus with a population takes."""
UNKNOWN = "und"
"""The language of a corpus that does not say its own."""


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """How systems are asked, and where their answers are kept."""

    options: Options
    store: Store
    settings: Settings
    progress: Progress | None = None

    def ask(
        self,
        asked: NamedSystem,
        texts: Texts,
        name: str | None = None,
        scale: Scale | None = None,
    ) -> Scored:
        """A system's scores under the name it bears here; stored they are under the system's own.

        `scale` is for a system whose scale nobody declares.
        """
        name = name or asked.label
        scales = self.options.scales
        scored = score_system(
            asked.system, texts, self.store, self.settings, self.progress,
            scales.named_for(name), scales.rest or scale,
        )  # fmt: skip
        scored = scored if name == scored.card.name else rename_system(name, scored)
        return noting_scale(scored, self.options)

    def try_functions(self, subjects: Subjects, texts: Texts) -> None:
        """Try what must be asked for its form, so that one that fails costs nobody's requests.

        Only where it is to be asked for scores, and no service: that is asked in its own turn.
        """
        for system in (one.system for one in subjects.systems):
            if system.find_form and not system.costs:
                card = stored_form(system, self.store).card
                if count_asks(card, blocks_of(texts), self.store, self.settings)[0]:
                    resolve_form(system)


@dataclass(frozen=True)
class ScoreRun:
    """Several systems' scores of one corpus."""

    corpus: Corpus
    sentences: pl.DataFrame
    scored: tuple[Scored, ...]
    reports: tuple[FileReport, ...] = ()
    """What was found in each file of scores made elsewhere."""
    sample: str = ""
    """What was drawn, where only a part of the corpus was scored."""
    sources: tuple[Source, ...] = ()
    """Where each of `scored` comes from."""
    unavailable: tuple[Unavailable, ...] = ()
    """Who was to be scored too, and why it was not."""
    in_parts: bool = False
    """Whether an earlier audit went through it in parts: then without what needs all at once."""

    @property
    def size(self) -> int:
        """How many sentences were scored."""
        return self.sentences.height

    def lazy_scores(self) -> pl.LazyFrame:
        """The `scores` table, for writing."""
        return pl.concat(scored.scores.lazy() for scored in self.scored)

    def lazy_sentences(self) -> pl.LazyFrame:
        """The `sentences` table, for writing."""
        return self.sentences.lazy()

    @property
    def about(self) -> dict[str, str]:
        """What the scores are of, to go along with them."""
        known = {"corpus": self.corpus.name, "edition": self.corpus.edition, "sample": self.sample}
        return {f"tiltmeter.{name}": value for name, value in known.items() if value}

    @property
    def files(self) -> pl.DataFrame:
        """What was found in each file of scores made elsewhere, a row a file."""
        rows = [
            {
                # As it was named; below a folder named by an absolute path, its place in the folder
                "path": report.name if report.path.is_absolute() else str(report.path),
                "system": report.system, "tasks": ", ".join(report.tasks),
                **{name: getattr(report, name) for name in COUNTS}, "set_aside": report.set_aside,
                "left_out": report.left_out, "notes": "; ".join(report.remarks),
            }
            for report in self.reports
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def scores(self) -> pl.DataFrame:
        """All scores, as the `scores` table."""
        return pl.concat(scored.scores for scored in self.scored)

    @cached_property
    def matrix(self) -> ScoreMatrix:
        """All scores, repeats averaged, as measures take them."""
        # Some systems' tables at a time: all of them together would be most of the memory.
        tables = [one.scores for one in self.scored]
        some = (pl.concat(tables[at : at + AT_ONCE]) for at in range(0, len(tables), AT_ONCE))
        return stack_matrices([score_matrix(each, self.sentences) for each in some])


def find_corpus(
    given: object,
    edition: str | None = None,
    reading: Mapping[str, Any] | None = None,
    draw: Mapping[str, Any] | None = None,
) -> Corpus:
    """A corpus in hand, by name or by path, in the edition asked for.

    `reading` says how one that is a table is read, and `draw` how people are drawn from a
    population, as in `load_corpus`.
    """
    if isinstance(given, str | Path):
        drawn = draw_options([given], **draw).get(str(given), {}) if draw else {}
        return load_corpus(given, edition, **(reading or {}), **drawn)
    if not isinstance(given, Corpus):
        found = f"found {type(given).__name__} for the corpus"
        raise TiltmeterError(f"{found}; expected a name such as 'eec', a path, or a Corpus")
    if edition not in (None, given.edition):
        what = f"the corpus {given.name!r} is in the edition {given.edition!r}, not {edition!r}"
        raise TiltmeterError(f"{what}; load it in that one, or name it")
    if said := [name for name, value in (reading or {}).items() if value]:
        what = f"{' and '.join(said)} say how a table is read, and {given.name!r} is loaded already"
        raise TiltmeterError(f"{what}; give them to load_corpus")
    if said := [name for name in DRAW if (draw or {}).get(name) is not None]:
        what = f"{' and '.join(said)} say who is drawn, and {given.name!r} is loaded already"
        raise TiltmeterError(f"{what}; give them to load_corpus")
    return given


def scoring_options(
    options: Options | None,
    store: Path | str | None,
    settings: Settings | None,
    progress: Progress | None,
    systems_in: Sequence[str] | str = (),
    check: int | None = None,
) -> ScoringOptions:
    """What was said of how to ask, and the usual where nothing was."""
    how = settings or Settings()
    if check is not None:
        how = replace(how, check=check)
    kept = Store(Path(store) if store else default_store())
    said = options or Options()
    if systems_in:
        said = replace(said, systems_in=columns_given(systems_in))
    return ScoringOptions(said, kept, how, progress)


def score_subjects(
    subjects: Subjects,
    corpus: Corpus,
    manner: ScoringOptions,
    sample: int | None = None,
    seed: int = 0,
) -> ScoreRun:
    """Score a corpus with what is opened already."""
    texts = texts_of(sentences_of(corpus, sample, seed))
    # First the files: one that cannot be read should cost no request.
    every = corpus.sentences() if subjects.scores else texts.sentences
    files = ScoreFiles()
    if subjects.scores:
        files = read_scores(subjects.scores, every, tasks=subjects.tasks, options=manner.options)
    names = system_names(subjects, files.cards)
    manner.options.scales.check([*names, *(one.system for one in subjects.unavailable)])
    many = len(subjects.systems)
    manner.try_functions(subjects, texts)
    asked, failed = dict[int, Scored](), list(subjects.unavailable)
    for nth, (one, name) in enumerate(zip(subjects.systems, names, strict=False)):
        try:
            asked[nth] = manner.ask(one, texts, name)
        except FAILURES as error:
            failed.append(unavailable(name, error, corpus.name))
    if failed and not asked and not files.cards:
        raise none_left(failed)
    joined = _join_files(files, names[many:], every, texts, manner.options)
    every_one = one_scale_each([*asked.values(), *joined])
    scored = [in_language(one, corpus.language) for one in every_one]
    sources: tuple[Source, ...] = (*asked, *files.origins.values())
    whole = texts.sentences.height == corpus.size
    drawn = "" if sample is None or whole else _describe_sample(corpus, texts.sentences, seed)
    return ScoreRun(
        corpus, texts.sentences, tuple(scored), files.reports, drawn, sources, tuple(failed)
    )


def sentences_of(corpus: Corpus, sample: int | None, seed: int) -> pl.DataFrame:
    """All sentences of a corpus, or those of some of its frames."""
    if sample is not None and not _whole(sample, least=1):
        raise ArgumentError("sample", f"needs at least one frame; found {sample!r}")
    if not _whole(seed, least=0):
        raise ArgumentError("seed", f"is a whole number from 0 up; found {seed!r}")
    if sample is not None and corpus.population:
        what = f"{corpus.name} draws people by lot, each for frames of their own"
        smaller = f"{argument('people')} and {argument('frames')} make it smaller"
        raise TiltmeterError(f"{what}; {smaller}, not {argument('sample')}")
    if sample is None:
        return corpus.sentences()
    # Whole frames are drawn batch by batch: the corpus need not be held for it.
    of_a_frame = ["template", "frame", "emotion"]
    every = [batch.select(of_a_frame).unique(maintain_order=True) for batch in corpus.batches()]
    drawn = frames_drawn(pl.concat(every).unique(maintain_order=True), sample, seed)
    chosen = pl.Series("frame", drawn, pl.String).to_frame()
    return pl.concat(
        batch.join(chosen, on="frame", how="semi", maintain_order="left")
        for batch in corpus.batches()
    )


def _whole(given: object, least: int) -> bool:
    return isinstance(given, Integral) and int(given) >= least


def _describe_sample(corpus: Corpus, sentences: pl.DataFrame, seed: int) -> str:
    frames, size = sentences["frame"].n_unique(), sentences.height
    many = f"{frames:,} frame{'s' * (frames != 1)}"
    told = f"{many}, {size:,} of {corpus.size:,} sentences, seed {seed}"
    templates = [batch.select("template").unique() for batch in corpus.batches()]
    every = pl.concat(templates)["template"].n_unique()
    kept = sentences["template"].n_unique()
    if kept == every:
        return told
    return f"{told}; {kept:,} of {every:,} templates, --sample {every} keeps one frame of each"


def in_language(scored: Scored, language: str) -> Scored:
    """The scores, with a word of warning where the system was made for another language."""
    made_for = scored.card.languages
    if not made_for or language.split("-")[0] in (*made_for, UNKNOWN):
        return scored
    note = f"made for {', '.join(made_for)}; this corpus is in {language}"
    return replace(scored, notes=(*scored.notes, note))


def noting_scale(scored: Scored, options: Options) -> Scored:
    """The scores, with a note where a scale without a system's name is not theirs."""
    resolved = scored.resolved_scale
    own = resolved.scale if resolved.known is ScaleSource.DECLARED else None
    note = options.scales.unused_note(scored.card.name, own)
    return replace(scored, notes=(*scored.notes, note)) if note else scored


def _join_files(
    files: ScoreFiles, names: Sequence[str], every: pl.DataFrame, texts: Texts, options: Options
) -> Iterator[Scored]:
    """The scores of files under these names, put to the sentences of a sample."""
    sample = None
    if every.height != texts.sentences.height:
        place = every.select("id").with_row_index("place")
        sample = texts.sentences.select("id").join(place, on="id", maintain_order="left")["place"]
    for (key, card), block, name in zip(files.cards.items(), files.blocks, names, strict=True):
        answers = answers_in(block) if sample is None else answers_in(block)[sample]
        scale = options.scale_of(name)
        one = score_in_memory(replace(card, name=name), texts, [answers], scale, Tally())
        low, high = files.ranges.get(key[0], (one.resolved_scale.low, one.resolved_scale.high))
        yield replace(one, resolved_scale=replace(one.resolved_scale, low=low, high=high))


def system_names(subjects: Subjects, files: Iterable[tuple[str, str]] = ()) -> list[str]:
    """What everything is called, those asked first, then those in files (system and task)."""
    asked = [(one.label, one.system.card.task) for one in subjects.systems]
    return distinct_names([*asked, *files])


def distinct_names(submissions: Sequence[tuple[str, str]]) -> list[str]:
    """Names (by name and task) told apart by a number that no other bears already.

    >>> distinct_names([("vader", "joy"), ("vader", "fear"), ("vader", "joy")])
    ['vader', 'vader', 'vader (2)']
    """
    taken, found = set(submissions), list[str]()
    seen: set[tuple[str, str]] = set()
    for name, task in submissions:
        called = name
        if (name, task) in seen:
            numbered = (f"{name} ({nth})" for nth in count(2))
            called = next(other for other in numbered if (other, task) not in taken)
            taken.add((called, task))
        seen.add((called, task))
        found.append(called)
    return found


def rename_system(name: str, one: Scored) -> Scored:
    """The scores under another name."""
    scores = one.scores.with_columns(system=pl.lit(name))
    return replace(one, card=replace(one.card, name=name), scores=scores)
