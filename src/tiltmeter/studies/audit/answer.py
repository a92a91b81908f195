"""The question and its answer in a few sentences; who the names of a corpus are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tiltmeter.audit_run import PopulationFacts
from tiltmeter.corpora import group_standings
from tiltmeter.report.numbers import DASH, count
from tiltmeter.report.table import Column, Table
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.strip import size_text
from tiltmeter.studies.paired.submissions import (
    UNTESTED,
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    beside_average,
    counted,
    groups_of,
)
from tiltmeter.studies.paired.verdict_section import (
    VerdictSummary,
    these_people_words,
    verdict_summary,
)
from tiltmeter.studies.paired.verdict_wording import SAID_OF, moved_sentence
from tiltmeter.studies.paired.wording import SAID, amount

OTHERS = "With these people, other sentences"
FEW_TEMPLATES = "Fewer than four templates say nothing of other sentences."
MANY = 4
"""Claims of a corpus past which the answer keeps to verdicts and people moved."""
LARGEST = 10
"""Groups beside the average of all that the answer lists."""


@dataclass(frozen=True, slots=True)
class ContrastAnswer:
    """What was found for one contrast."""

    lead: str
    """How much."""
    text: str
    before: str = ""
    """What leads up to the system with the largest difference, and what follows it."""
    system: str = ""
    anchor: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class OfTask:
    """What was found for one contrast and one of several tasks."""

    task: str
    up: int
    down: int
    none: int
    not_estimable: int
    size: str
    """The largest difference detected."""
    side: str
    """Whether the first group is scored higher or lower there."""
    system: str
    anchor: str
    said: str
    """The finding itself, where there is only one system."""


@dataclass(frozen=True, slots=True)
class OfGroup:
    """What was found for one group beside the average of all."""

    group: str
    system: str
    task: str
    anchor: str
    size: str
    side: str
    """Whether it is scored higher or lower."""
    said: str


@dataclass(frozen=True, slots=True)
class Answers:
    """What was found for one contrast of one corpus."""

    panel: ContrastPanel
    corpus: str
    """Named where there are several."""
    answer: ContrastAnswer
    held: VerdictSummary | None
    """The verdicts, where differences are held to a margin."""
    tasks: tuple[OfTask, ...]
    """Where there are several."""
    title: str = ""
    groups: tuple[OfGroup, ...] = ()
    """Of groups beside the average of all: those that differ most."""
    apart: tuple[str, ...] = ()
    """Who is not counted, and why."""
    moved: str = ""
    """Whom systems move by more than the margin."""


def question(of: Sequence[ShownSubmission]) -> str:
    """What the page asks."""
    systems = {one.system for one in counted(of)}
    if len(systems) == 1:
        return f"Does {next(iter(systems))} score the same sentence alike, whoever it mentions?"
    return f"Do these {len(systems):,} systems score the same sentence alike, whoever it mentions?"


def answers(
    audit: AuditResults,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
) -> Iterator[Answers]:
    """One answer for each corpus and contrast, and one for each of several tasks."""
    for corpus, panels in enumerate(by_corpus):
        name = audit.compared[corpus].title if len(by_corpus) > 1 else ""
        every = [one for one in of if one.corpus == corpus]
        mine, beside = counted(every), tuple(_apart(every))
        tasks = list(dict.fromkeys(one.task for one in mine))
        pairs, axes = groups_of(panels)
        for panel in pairs:
            by_task = [
                _of_task(panel, task, [one for one in mine if one.task == task])
                for task in (tasks if len(tasks) > 1 else ())
            ]
            by_margin = verdict_summary((panel,), mine)
            brief = panel.people and len(pairs) > MANY
            said = ContrastAnswer("", "") if brief else answer(panel, mine)
            yield Answers(
                panel, name, said, by_margin, tuple(by_task), panel.title, apart=beside,
                moved=_moved(panel, mine),
            )  # fmt: skip
            beside = ()  # once for each corpus
        for panels_of_axis in axes:
            yield replace(_of_axis(panels_of_axis, mine, name), apart=beside)
            beside = ()


def _moved(panel: ContrastPanel, of: Sequence[ShownSubmission]) -> str:
    """Whom the systems move; of several, the one that moves most."""
    told = [(one, some) for one, some in _told(panel, of) if some.moved and some.tilt]
    if not told:
        return ""
    one, most = max(told, key=lambda found: sum(part.share or 0.0 for part in found[1].moved))
    margin = most.tilt.margin if most.tilt else 0.0
    some = [found for found in told if any(part.moved for part in found[1].moved)]
    if len(told) > 1 and not some:
        said = moved_sentence(most.moved, panel.people, margin)
        return f"{said} So it is for all {len(told):,} {_called(told)}."
    by = one.system if len(told) > 1 else ""
    said = moved_sentence(most.moved, panel.people, margin, by)
    if len(told) == 1:
        return said
    nobody = len(told) - len(some)
    rest = f" {nobody:,} of {len(told):,} {_called(told)} move nobody that far." if nobody else ""
    return f"Most moved: {said}{rest}"


def _apart(of: Sequence[ShownSubmission]) -> Iterator[str]:
    """Who is not counted: controls, and systems without a signal, each with its reason."""
    if all(one.apart for one in of):
        return
    controls = dict.fromkeys(one.system for one in of if one.control)
    if controls:
        told = "A control is" if len(controls) == 1 else "Controls are"
        yield f"{told} counted apart: {_listed(tuple(controls))}."
    silent = dict[str, dict[str, None]]()
    for one in of:
        if one.no_signal and not one.control:
            silent.setdefault(one.no_signal, {})[one.system] = None
    for why, systems in silent.items():
        yield f"No signal, so counted apart: {_listed(tuple(systems))}; {why}."


def _listed(names: Sequence[str]) -> str:
    rest = f" and {len(names) - LARGEST:,} more" if len(names) > LARGEST else ""
    return f"{', '.join(names[:LARGEST])}{rest}"


def _of_axis(every: Sequence[ContrastPanel], mine: Sequence[ShownSubmission], name: str) -> Answers:
    """The groups of an axis beside the average of all."""
    panel = beside_average(every)
    told = [(one, some, each) for each in every for one, some in _told(each, mine)]
    told.sort(key=lambda found: _order(found[:2]), reverse=True)
    largest = tuple(
        OfGroup(
            each.first, one.system, one.task, one.anchor, _amount(some),
            "" if not some.value else "higher" if some.value > 0 else "lower",
            SAID_OF[some.tilt.verdict] if some.tilt else SAID[some.significance],
        )
        for one, some, each in [found for found in told if found[1].value is not None][:LARGEST]
    )  # fmt: skip
    kinds = [some.significance for _, some, _ in told]
    detected = [found for found in told if found[1].detected]
    comparisons = count(len(told), "comparison")
    if panel.people and told:
        many = f"{len(detected):,} of {comparisons}" if detected else f"none of {comparisons}"
        said = ContrastAnswer("", f"{OTHERS} would show a difference too in {many}.")
    elif not detected:
        lead = f"No difference detected in any of {comparisons}."
        said = ContrastAnswer(lead, _not_estimable(kinds))
    else:
        one, some, each = detected[0]
        ways = {
            Significance.UP: "higher than the average of all groups",
            Significance.DOWN: "lower",
        }
        sides = ", ".join(
            f"{kinds.count(kind):,} {way}" for kind, way in ways.items() if kinds.count(kind)
        )
        said = ContrastAnswer(
            f"Up to {_amount(some)}.",
            f"Difference detected in {len(detected):,} of {comparisons}: {sides}."
            f"{_not_estimable(kinds)} The largest is of sentences {each.about_first}, for "
            f"{one.task}.",
        )
    groups = f"{len(every):,} groups ({panel.axis})"
    title = f"Sentences of each of {groups} and {panel.about_second}{panel.by}"
    return Answers(panel, name, said, verdict_summary(every, mine), (), title, largest)


def _not_estimable(kinds: Sequence[str]) -> str:
    many = kinds.count(Significance.NOT_ESTIMABLE)
    return f" For {many:,} it is not estimable." if many else ""


def answer(panel: ContrastPanel, of: Sequence[ShownSubmission]) -> ContrastAnswer:
    """How large the largest difference is, and how many systems score which side higher."""
    told = _told(panel, of)
    if len(told) == 1:
        return ContrastAnswer("", _alone(panel, told[0][1]))
    if told and all(some.significance == UNTESTED for _, some in told):
        return ContrastAnswer("", FEW_TEMPLATES)
    if panel.people:
        return _these(panel, told)
    detected = [(one, some) for one, some in told if some.detected]
    if not detected:
        return _none(panel, told)
    one, largest = max(detected, key=_order)
    lead, text = f"Up to {_amount(largest)}.", _counts(panel, told)
    if _called(told) == "tasks":
        return ContrastAnswer(lead, f"{text} The largest difference is that for {one.task}.")
    return ContrastAnswer(
        lead,
        text,
        before="The largest difference is",
        system=one.system,
        anchor=one.anchor,
        after=f", for {one.task}, {panel.towards((largest.value or 0) > 0)}.",
    )


def _these(
    panel: ContrastPanel, told: Sequence[tuple[ShownSubmission, ShownFinding]]
) -> ContrastAnswer:
    """With these people, for how many systems other sentences would show a difference too."""
    detected = [(one, some) for one, some in told if some.detected]
    called = _called(told)
    if not detected:
        return ContrastAnswer(
            "",
            f"{OTHERS} may show none, for any of {len(told):,} {called}.",
        )
    up = sum(some.significance == Significance.UP for _, some in detected)
    ways = ((up, panel.towards(True)), (len(detected) - up, panel.towards(False)))
    sides = ", ".join(f"{many:,} {said}" for many, said in ways if many)
    one, largest = max(detected, key=_order)
    text = (
        f"{OTHERS} would show a difference too for "
        f"{len(detected):,} of {len(told):,} {called}: {sides}."
    )
    if called == "tasks":
        return ContrastAnswer("", f"{text} The largest is that for {one.task}, {_amount(largest)}.")
    after = f", for {one.task}, {_amount(largest)} {panel.towards((largest.value or 0) > 0)}."
    return ContrastAnswer("", text, "The largest is", one.system, one.anchor, after)


def _alone(panel: ContrastPanel, told: ShownFinding) -> str:
    """One system's finding: over pairs its sentence; of a claim, these people over others."""
    if told.tilt is None:
        return told.sentence
    if told.significance in (UNTESTED, Significance.NOT_ESTIMABLE):
        return FEW_TEMPLATES if told.significance == UNTESTED else ""
    if not told.value and told.tilt.low_these == told.tilt.high_these:
        return "With these people the mean difference is 0 in every sentence."
    if told.detected:
        lean = panel.towards((told.value or 0) > 0)
        return f"{OTHERS} would show a difference too, {lean}{these_people_words(told)}."
    return f"{OTHERS} may show none{these_people_words(told)}."


def _told(
    panel: ContrastPanel, of: Sequence[ShownSubmission]
) -> list[tuple[ShownSubmission, ShownFinding]]:
    return [(one, one.told[panel.key]) for one in of if panel.key in one.told]


def _of_task(panel: ContrastPanel, task: str, of: Sequence[ShownSubmission]) -> OfTask:
    told = _told(panel, of)
    kinds = [some.significance for _, some in told]
    shown = [(one, some) for one, some in told if some.detected or len(told) == 1]
    one, largest = max(shown, key=_order, default=(None, None))
    value = largest.value if largest else None
    return OfTask(
        task,
        up=kinds.count(Significance.UP),
        down=kinds.count(Significance.DOWN),
        none=kinds.count(Significance.NONE),
        not_estimable=kinds.count(Significance.NOT_ESTIMABLE),
        size=_amount(largest) if largest and value is not None else DASH,
        side="higher" if value and value > 0 else "lower" if value else "",
        system=one.system if one else "",
        anchor=one.anchor if one else "",
        said=SAID[kinds[0]] if len(kinds) == 1 else "",
    )


def _called(told: Sequence[tuple[ShownSubmission, ShownFinding]]) -> str:
    """What is counted: systems, the tasks of one system, or submissions."""
    systems, tasks = ({getattr(one, name) for one, _ in told} for name in ("system", "task"))
    return "systems" if len(tasks) == 1 else "tasks" if len(systems) == 1 else "submissions"


def _counts(panel: ContrastPanel, told: Sequence[tuple[ShownSubmission, ShownFinding]]) -> str:
    kinds = [some.significance for _, some in told]
    up, down, none, not_estimable = (
        kinds.count(kind)
        for kind in (
            Significance.UP,
            Significance.DOWN,
            Significance.NONE,
            Significance.NOT_ESTIMABLE,
        )
    )
    called = _called(told)
    higher = f"sentences {panel.about_first} higher than the same sentences {panel.about_second}"
    ups, downs = (f"{many:,}" if many else "none" for many in (up, down))
    if called == "tasks":
        parts = [f"it scores {higher} in {ups} of {len(told):,} tasks", f"lower in {downs}"]
    else:
        score = "score" if up > 1 else "scores"
        parts = [f"{ups} of {len(told):,} {called} {score} {higher}", f"{downs} lower"]
    if none:
        parts.append(f"for {none:,} no difference was detected")
    if not_estimable:
        parts.append(f"for {not_estimable:,} it is not estimable")
    said = f"{', '.join(parts[:-1])}, and {parts[-1]}."
    return said[:1].upper() + said[1:]


def _none(
    panel: ContrastPanel, told: Sequence[tuple[ShownSubmission, ShownFinding]]
) -> ContrastAnswer:
    known = [(one, some) for one, some in told if some.value is not None]
    called = _called(told)
    if not known:
        return ContrastAnswer(
            "Not estimable.",
            "There is nothing to compute it from: scores are missing on one side of the pairs.",
        )
    one, largest = max(known, key=_order)
    missing = len(told) - len(known)
    rest = f" For {missing:,} it is not estimable." if missing else ""
    lead = f"No difference detected for any of {len(known):,} {called}."
    between = (
        f"Sentences {panel.about_first} were compared with the same sentences "
        f"{panel.about_second}.{rest}"
    )
    if not any(some.value or some.se for _, some in known):
        return ContrastAnswer(lead, f"{between} Both sides of every pair have the same score.")
    if not largest.value:
        return ContrastAnswer(lead, f"{between} Every mean difference is 0.")
    _, _, spread = size_text(largest)
    higher = f"{_amount(largest)} {panel.towards(largest.value > 0)}, 95 % interval {spread}"
    if called == "tasks":
        return ContrastAnswer(
            lead, f"{between} The largest mean difference is for {one.task}, {higher}."
        )
    return ContrastAnswer(
        lead,
        between,
        "The largest mean difference is",
        one.system,
        one.anchor,
        f", for {one.task}, {higher}.",
    )


def _order(pair: tuple[ShownSubmission, ShownFinding]) -> tuple[bool, float]:
    """Orders by size; sizes in units of a system's own come last."""
    _, told = pair
    return told.unit != "native", abs(told.value or 0.0)


def _amount(told: ShownFinding) -> str:
    return amount(size_text(told)[0], told.unit)


WORDS = 3
"""Names that are also words, named of each cell."""


@dataclass(frozen=True, slots=True)
class PopulationPart:
    """What the page says of one corpus' names."""

    corpus: str
    title: str
    sentences: tuple[str, ...]
    cells: Table | None = None
    """Every combination of groups: how many names, how many people bear them, who was drawn."""
    weighted: bool = False
    source: str = ""


def population_parts(audit: AuditResults) -> list[PopulationPart]:
    """Who the names of each corpus are: its population, or how a list stands in the US Census."""
    found = []
    for one in audit.compared:
        population, corpus = audit.run.populations.get(one.name), one.corpus
        if corpus.population is not None:
            notes = tuple(corpus.population.described)
        else:
            standings = group_standings(corpus.design) if corpus.design else ()
            notes = (LISTED_NAMES, *map(str, standings)) if standings else ()
        if population:
            source = f"{population.source}; licence: {population.licence}"
            weighted = population.weights == "bearers"
            found.append(PopulationPart(
                one.title, population.title, notes, _cells(population, weighted), weighted, source
            ))  # fmt: skip
        elif notes:
            found.append(PopulationPart(one.title, "", notes))
    return found


LISTED_NAMES = (
    "These names are a list that the corpus’ authors chose. How they stand in the US Census 2020, "
    "by the people who bear them:"
)


def _cells(population: PopulationFacts, weighted: bool) -> Table:
    rows = []
    for cell in population.cells:
        certain = f" ({cell.certain:,} certain)" if cell.certain else ""
        named = ", ".join(cell.word_examples[:WORDS])
        words = DASH if cell.words is None else f"{cell.words:,}"
        rows.append({
            "cell": cell.label,
            "names": cell.names,
            "bearers": cell.bearers,
            "effective": cell.effective,
            "drawn": "all" if cell.drawn == cell.names else f"{cell.drawn:,}{certain}",
            "words": f"{words} ({named})" if named else words,
        })  # fmt: skip
    worth = Column("effective", "Worth, in names alike", "{:,.0f}".format)
    return Table(
        "population",
        pl.DataFrame(rows),
        (
            Column("cell", "Cell"),
            Column("names", "Names"),
            Column("bearers", "Bearers", align="right"),
            *([worth] if weighted else ()),
            Column("drawn", "Drawn", align="right"),
            Column("words", "Also words"),
        ),
        "The population’s cells, and who was drawn",
    )
