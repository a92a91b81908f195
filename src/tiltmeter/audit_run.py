"""What determines an audit's findings: the record that run.json and findings.json hold.

The same for the same scores and options, to the byte. `tiltmeter verify` finds the findings again
from this, the sentences and the answers alone. Every key is written but those of an `AuditRun` that
have nothing to say; `missing_keys` names those that a file lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType, field
from msgspec.structs import fields

from tiltmeter.records import Record, RuleError
from tiltmeter.shell import paste_word

LONGEST = 10_000
"""Letters of a name, a title or a finding."""
Words = Annotated[str, Meta(max_length=LONGEST, description=f"text of at most {LONGEST:,} letters")]
Count = Annotated[int, Meta(ge=0, description="a whole number from 0 on")]
Number = Annotated[float, Meta(gt=-1e300, lt=1e300, description="a number")]
Part = Annotated[float, Meta(gt=0, lt=1, description="a number between 0 and 1")]
"""A part of a whole, such as a level or a margin."""
ControlKind = Annotated[
    str, Meta(pattern=r"^(no tilt|planted)\Z", description="'no tilt' or 'planted'")
]
DEFAULT = "default"
"""The margin of whatever has none of its own."""


class RunRecord(Record):
    """A part of run.json."""


class AuditedAxis(RunRecord):
    """An axis, its groups, and how their sentences are spoken of."""

    name: Words
    groups: tuple[Words, ...]
    phrases: dict[str, Words]

    def __post_init__(self) -> None:
        if len(self.groups) < 2 or len(set(self.groups)) < len(self.groups):
            raise RuleError({"groups": f"groups are {[*self.groups]}; expected two or more, once"})


class SentenceKind(RunRecord):
    """What a sentence is about: its emotion, and the axes known of its person."""

    emotion: Words | None
    axes: tuple[Words, ...]


class PairCount(RunRecord):
    """How many pairs of sentences a contrast compares."""

    axis: Words
    contrast: Words
    pairs: Count


class PopulationCell(RunRecord):
    """One combination of groups: who is in the population, and who of them was drawn."""

    groups: dict[str, Words]
    names: Count
    bearers: Count | None
    effective: Number
    """How many names of equal weight would be as uneven: (Σw)²/Σw², w what a name counts."""
    drawn: Count
    certain: Count
    """How many were certain to be drawn, whatever the seed."""
    words: Count | None
    """How many of the names are also words; None: the table does not say."""
    word_examples: tuple[Words, ...]
    """The most common of those."""

    @property
    def label(self) -> str:
        """The groups in one phrase, as in `female, Black`."""
        return ", ".join(self.groups.values())


class PopulationFacts(RunRecord):
    """The population a corpus draws from, and how it was drawn."""

    title: Words
    source: Words
    licence: Words
    note: Words
    rule: Words
    weights: Words
    people: Count | Words
    frames: Count | Words
    all_frames: Count
    frames_met: tuple[Number, Number, Number]
    """How many frames a drawn name meets: the least, the mean and the most."""
    seed: Count
    listed: Count
    """Names in the table, in the population or not."""
    listed_bearers: Count | None
    cells: tuple[PopulationCell, ...]

    @property
    def names(self) -> int:
        """Names in the population."""
        return sum(cell.names for cell in self.cells)

    @property
    def drawn(self) -> int:
        """Names drawn."""
        return sum(cell.drawn for cell in self.cells)

    @property
    def census(self) -> bool:
        """Whether every name of the population is in the corpus."""
        return self.drawn == self.names


class AuditedCorpus(RunRecord):
    """A corpus, and what was asked of it."""

    name: Words
    title: Words = ""
    edition: Words = "corrected"
    language: Words = ""
    sentences: Count = 0
    checksum: Words = ""
    axes: tuple[AuditedAxis, ...] = ()
    sample: Words = ""
    """How a sample was drawn; empty: all sentences were asked."""
    population: PopulationFacts | None = None
    drawn_from: tuple[SentenceKind, ...] | None = None
    """What kinds of sentences a sample was drawn from."""
    in_parts: bool = False
    pairs: tuple[PairCount, ...] = ()

    def __post_init__(self) -> None:
        if len({axis.name for axis in self.axes}) < len(self.axes):
            raise RuleError({"axes": "an axis is named twice; expected each once"})


class AuditedSystem(RunRecord):
    """What a system is, and how its scores of one corpus came about."""

    system: Words
    task: Words
    corpus: Words
    version: Words = ""
    licence: Words = ""
    fingerprint: Words = ""
    scale: Words | None = None
    scale_ends: tuple[Number, Number] | None = None
    scale_known: Words = "declared"
    repeats: Annotated[int, Meta(ge=1, description="a whole number from 1 on")] = 1
    missing: Count = 0
    outside: Count = 0
    noise: Number | None = None
    notes: tuple[str, ...] = ()
    languages: tuple[Words, ...] = ()
    control: ControlKind | None = None

    def __post_init__(self) -> None:
        if self.scale_ends and not self.scale_ends[0] < self.scale_ends[1]:
            found = f"scale_ends is {[*self.scale_ends]}"
            raise RuleError({"scale_ends": f"{found}; expected the lower end first"})


class AuditStatistics(RunRecord):
    """How an audit measured and judged."""

    mode: Words = "corrected"
    subset: Words = "all"
    test: Words = "paired t-test, two-sided"
    correction: Words = "bonferroni"
    level: Part = 0.05
    family: Count = 0
    family_given: bool = False
    reference: dict[str, Words] = field(default_factory=dict)
    all_pairs: bool = True
    """Whether every two groups were compared, however many there were."""
    apart: bool = True
    """Whether controls and systems without a signal were judged apart."""
    seed: Count = 0
    measures: tuple[Words, ...] = ("pairs",)
    formula: Words | None = None
    everywhere: bool = False
    flips: Count | None = None
    margins: dict[str, Part] = field(default_factory=lambda: {DEFAULT: 0.01})
    thresholds: tuple[Number, ...] = (0.5,)

    def __post_init__(self) -> None:
        if DEFAULT not in self.margins:
            raise RuleError({"margins": f"margins has no {DEFAULT!r}; expected one"})


class RegressionSettings(RunRecord):
    """What a regression was fitted on, and how."""

    subset: Words | None = None
    formula: dict[str, Words] = field(default_factory=dict)
    """By corpus."""
    errors: Words = "crossed"
    precision: Words | None = None
    reference: dict[str, Words] = field(default_factory=dict)
    no_reference: bool = False


class GoldSource(RunRecord):
    """Where gold scores came from, and what systems are ranked by."""

    name: Words = ""
    files: tuple[dict[str, Any], ...] = ()
    rows: Count = 0
    tasks: tuple[Words, ...] = ()
    rank_by: Words = "pearson"
    notes: tuple[str, ...] = ()
    choice: Words | UnsetType = UNSET
    """How one was chosen of several, where there was a choice."""


class MetadataSource(RunRecord):
    """Where more is known of systems from, and of which."""

    name: Words
    sha256: Words
    systems: Count
    not_audited: tuple[str, ...]
    not_described: tuple[str, ...]
    notes: tuple[str, ...]


class UnavailableSystem(RunRecord):
    """A system that was named and could not be scored."""

    system: Words
    why: Words
    """What follows its name: `cannot be reached: no connection after 5 tries`."""
    corpora: tuple[Words, ...] = ()
    """The corpora it has no scores of; none: of any."""


class LargerDraw(RunRecord):
    """A corpus to ask next for one that left claims undecided, and what it costs a system."""

    corpus: Words
    """The corpus that was audited."""
    axes: tuple[Words, ...]
    """The axes that the other one has too."""
    ask: Words
    """The corpus to ask for; the same one where more people are to be drawn."""
    people: Count | Words | None
    """How many of a cell to draw, or all; None: as its file says."""
    sentences: Count

    @property
    def options(self) -> str:
        """As the command line takes it."""
        drawn = "" if self.people is None else f" --people {paste_word(str(self.people))}"
        return f"--corpus {paste_word(self.ask)}{drawn}"

    def __hash__(self) -> int:
        return hash((self.corpus, self.axes, self.ask, self.people, self.sentences))


class AuditRun(RunRecord, omit_defaults=True):
    """What determines the findings: corpora, systems, statistics, and what is said besides."""

    corpora: tuple[AuditedCorpus, ...] = ()
    systems: tuple[AuditedSystem, ...] = ()
    statistics: AuditStatistics = field(default_factory=AuditStatistics)
    regression: RegressionSettings | None = None
    gold: GoldSource | None = None
    meta: MetadataSource | None = None
    unavailable: tuple[UnavailableSystem, ...] = ()
    larger: tuple[LargerDraw, ...] = ()
    scores_from_files: tuple[Words, ...] | None = None
    """Systems whose scores were read from files: nobody here can ask them for more."""

    def system(self, system: str, task: str, corpus: str) -> AuditedSystem | None:
        """What is said of a system's scores of a corpus."""
        key = (system, task, corpus)
        return next((it for it in self.systems if (it.system, it.task, it.corpus) == key), None)

    @property
    def populations(self) -> dict[str, PopulationFacts]:
        """By corpus, the populations that people were drawn from."""
        return {one.name: one.population for one in self.corpora if one.population}


def missing_keys(values: object, record: object, path: str = "") -> Iterator[str]:
    """The keys of a record that a file does not state, but for those of an `AuditRun` itself.

    >>> system = AuditedSystem(system="a", task="joy", corpus="eec")
    >>> list(missing_keys({"system": "a", "task": "joy", "repeats": 1}, system))[:3]
    ['corpus', 'version', 'licence']
    """
    if isinstance(record, RunRecord) and isinstance(values, Mapping):
        for each in fields(record):
            name = f"{path}.{each.name}" if path else each.name
            if each.name in values:
                yield from missing_keys(values[each.name], getattr(record, each.name), name)
            elif not isinstance(record, AuditRun) and getattr(record, each.name) is not UNSET:
                yield name
    elif isinstance(record, tuple) and isinstance(values, Sequence):
        for nth, (value, part) in enumerate(zip(values, record, strict=False)):
            yield from missing_keys(value, part, f"{path}[{nth}]")
