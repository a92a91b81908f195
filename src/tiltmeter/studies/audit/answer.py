"""The question and its answer in a few sentences; who the names of a corpus are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tiltmeter.audit_run import PopulationFacts
from tiltmeter.corpora import group_standings
from tiltmeter.ranking import coarsen
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
class TaskAnswer:
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
class GroupAnswer:
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
    tasks: tuple[TaskAnswer, ...]
    """Where there are several."""
    title: str = ""
    groups: tuple[GroupAnswer, ...] = ()
    """Of groups beside the average of all: those that differ most."""
    apart: tuple[str, ...] = ()
    """Who is not counted, and why."""
    moved: str = ""
    """Whom systems move by more than the margin."""


Found = tuple[ShownSubmission, ShownFinding]
"""A submission, and what was found of it for one contrast."""


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
        judged, apart = counted(every), tuple(_apart(every))
        tasks = list(dict.fromkeys(one.task for one in judged))
        pairs, axes = groups_of(panels)
        for panel in pairs:
            by_task = []
            for task in tasks if len(tasks) > 1 else ():
                found = _found(panel, [one for one in judged if one.task == task])
                kinds = [finding.significance for _, finding in found]
                shown = [pair for pair in found if pair[1].detected or len(found) == 1]
                one, largest = max(shown, key=_order, default=(None, None))
                by_task.append(
                    TaskAnswer(
                        task,
                        up=kinds.count(Significance.UP),
                        down=kinds.count(Significance.DOWN),
                        none=kinds.count(Significance.NONE),
                        not_estimable=kinds.count(Significance.NOT_ESTIMABLE),
                        size=_amount(largest) if largest and largest.value is not None else DASH,
                        side=_side(largest.value if largest else None),
                        system=one.system if one else "",
                        anchor=one.anchor if one else "",
                        said=SAID[kinds[0]] if len(kinds) == 1 else "",
                    )
                )
            brief = panel.people and len(pairs) > MANY
            yield Answers(
                panel, name, ContrastAnswer("", "") if brief else answer(panel, judged),
                verdict_summary((panel,), judged), tuple(by_task), panel.title, apart=apart,
                moved=_moved(panel, judged),
            )  # fmt: skip
            apart = ()  # once for each corpus
        for panels_of_axis in axes:
            yield replace(_of_axis(panels_of_axis, judged, name), apart=apart)
            apart = ()


def _moved(panel: ContrastPanel, of: Sequence[ShownSubmission]) -> str:
    """Whom the systems move; of several, the one that moves most."""
    found = [pair for pair in _found(panel, of) if pair[1].moved and pair[1].tilt]
    if not found:
        return ""
    one, most = max(
        found, key=lambda pair: coarsen(sum(part.share or 0.0 for part in pair[1].moved))
    )
    margin = most.tilt.margin if most.tilt else 0.0
    nobody = sum(not any(part.moved for part in finding.moved) for _, finding in found)
    all_alike = nobody == len(found)
    by = one.system if len(found) > 1 and not all_alike else ""
    said = moved_sentence(most.moved, panel.people, margin, by)
    if len(found) == 1:
        return said
    if all_alike:
        return f"{said} So it is for all {len(found):,} {_called(found)}."
    rest = f" {nobody:,} of {len(found):,} {_called(found)} move nobody that far." if nobody else ""
    return f"Most moved: {said}{rest}"


def _apart(of: Sequence[ShownSubmission]) -> Iterator[str]:
    """Who is not counted: controls, and systems without a signal, each with its reason."""
    if all(one.apart for one in of):
        return
    controls = dict.fromkeys(one.system for one in of if one.control)
    if controls:
        are = "A control is" if len(controls) == 1 else "Controls are"
        yield f"{are} counted apart: {_listed(tuple(controls))}."
    silent = dict[str, dict[str, None]]()
    for one in of:
        if one.no_signal and not one.control:
            silent.setdefault(one.no_signal, {})[one.system] = None
    for why, systems in silent.items():
        yield f"No signal, so counted apart: {_listed(tuple(systems))}; {why}."


def _listed(names: Sequence[str]) -> str:
    rest = f" and {len(names) - LARGEST:,} more" if len(names) > LARGEST else ""
    return f"{', '.join(names[:LARGEST])}{rest}"


def _of_axis(
    panels: Sequence[ContrastPanel], judged: Sequence[ShownSubmission], name: str
) -> Answers:
    """The groups of an axis beside the average of all."""
    panel = beside_average(panels)
    found = [(pair, each) for each in panels for pair in _found(each, judged)]
    found.sort(key=lambda both: _order(both[0]), reverse=True)
    known = [((one, finding), each) for (one, finding), each in found if finding.value is not None]
    largest = tuple(
        GroupAnswer(
            each.first, one.system, one.task, one.anchor, _amount(finding), _side(finding.value),
            SAID_OF[finding.tilt.verdict] if finding.tilt else SAID[finding.significance],
        )
        for (one, finding), each in known[:LARGEST]
    )  # fmt: skip
    kinds = [finding.significance for (_, finding), _ in found]
    detected = [both for both in found if both[0][1].detected]
    comparisons = count(len(found), "comparison")
    not_estimable = _not_estimable(kinds.count(Significance.NOT_ESTIMABLE))
    if panel.people and found:
        many = f"{len(detected):,} of {comparisons}" if detected else f"none of {comparisons}"
        said = ContrastAnswer("", f"{OTHERS} would show a difference too in {many}.")
    elif not detected:
        said = ContrastAnswer(f"No difference detected in any of {comparisons}.", not_estimable)
    else:
        (one, finding), each = detected[0]
        ways = {
            Significance.UP: "higher than the average of all groups",
            Significance.DOWN: "lower",
        }
        sides = ", ".join(
            f"{kinds.count(kind):,} {way}" for kind, way in ways.items() if kinds.count(kind)
        )
        said = ContrastAnswer(
            f"Up to {_amount(finding)}.",
            f"Difference detected in {len(detected):,} of {comparisons}: {sides}."
            f"{not_estimable} The largest is of sentences {each.about_first}, for {one.task}.",
        )
    groups = f"{len(panels):,} groups ({panel.axis})"
    title = f"Sentences of each of {groups} and {panel.about_second}{panel.by}"
    return Answers(panel, name, said, verdict_summary(panels, judged), (), title, largest)


def _not_estimable(many: int) -> str:
    return f" For {many:,} it is not estimable." if many else ""


def answer(panel: ContrastPanel, of: Sequence[ShownSubmission]) -> ContrastAnswer:
    """How large the largest difference is, and how many systems score which side higher."""
    found = _found(panel, of)
    if len(found) == 1:
        return ContrastAnswer("", _single(panel, found[0][1]))
    if found and all(finding.significance == UNTESTED for _, finding in found):
        return ContrastAnswer("", FEW_TEMPLATES)
    if panel.people:
        return _these(panel, found)
    detected = [pair for pair in found if pair[1].detected]
    if not detected:
        return _none(panel, found)
    kinds = [finding.significance for _, finding in found]
    up, down = kinds.count(Significance.UP), kinds.count(Significance.DOWN)
    ups, downs = (f"{many:,}" if many else "none" for many in (up, down))
    called = _called(found)
    higher = f"sentences {panel.about_first} higher than the same sentences {panel.about_second}"
    if called == "tasks":
        parts = [f"It scores {higher} in {ups} of {len(found):,} tasks", f"lower in {downs}"]
    else:
        score = "score" if up > 1 else "scores"
        parts = [f"{ups} of {len(found):,} {called} {score} {higher}", f"{downs} lower"]
    if none := kinds.count(Significance.NONE):
        parts.append(f"for {none:,} no difference was detected")
    if not_estimable := kinds.count(Significance.NOT_ESTIMABLE):
        parts.append(f"for {not_estimable:,} it is not estimable")
    text = f"{', '.join(parts[:-1])}, and {parts[-1]}."
    text = text[:1].upper() + text[1:]
    one, largest = max(detected, key=_order)
    lead = f"Up to {_amount(largest)}."
    if called == "tasks":
        return ContrastAnswer(lead, f"{text} The largest difference is that for {one.task}.")
    after = f", for {one.task}, {panel.towards((largest.value or 0) > 0)}."
    return ContrastAnswer(lead, text, "The largest difference is", one.system, one.anchor, after)


def _single(panel: ContrastPanel, finding: ShownFinding) -> str:
    """One system's finding: over pairs its sentence; of a claim, these people over others."""
    if finding.tilt is None:
        return finding.sentence
    if finding.significance in (UNTESTED, Significance.NOT_ESTIMABLE):
        return FEW_TEMPLATES if finding.significance == UNTESTED else ""
    if not finding.value and finding.tilt.low_these == finding.tilt.high_these:
        return "With these people the mean difference is 0 in every sentence."
    if finding.detected:
        lean = panel.towards((finding.value or 0) > 0)
        return f"{OTHERS} would show a difference too, {lean}{these_people_words(finding)}."
    return f"{OTHERS} may show none{these_people_words(finding)}."


def _these(panel: ContrastPanel, found: Sequence[Found]) -> ContrastAnswer:
    """With these people, for how many systems other sentences would show a difference too."""
    detected = [pair for pair in found if pair[1].detected]
    called = _called(found)
    if not detected:
        return ContrastAnswer("", f"{OTHERS} may show none, for any of {len(found):,} {called}.")
    up = sum(finding.significance == Significance.UP for _, finding in detected)
    ways = ((up, panel.towards(True)), (len(detected) - up, panel.towards(False)))
    sides = ", ".join(f"{many:,} {way}" for many, way in ways if many)
    one, largest = max(detected, key=_order)
    text = (
        f"{OTHERS} would show a difference too for "
        f"{len(detected):,} of {len(found):,} {called}: {sides}."
    )
    if called == "tasks":
        return ContrastAnswer("", f"{text} The largest is that for {one.task}, {_amount(largest)}.")
    after = f", for {one.task}, {_amount(largest)} {panel.towards((largest.value or 0) > 0)}."
    return ContrastAnswer("", text, "The largest is", one.system, one.anchor, after)


def _found(panel: ContrastPanel, of: Sequence[ShownSubmission]) -> list[Found]:
    return [(one, one.told[panel.key]) for one in of if panel.key in one.told]


def _called(found: Sequence[Found]) -> str:
    """What is counted: systems, the tasks of one system, or submissions."""
    systems, tasks = ({getattr(one, name) for one, _ in found} for name in ("system", "task"))
    return "systems" if len(tasks) == 1 else "tasks" if len(systems) == 1 else "submissions"


def _none(panel: ContrastPanel, found: Sequence[Found]) -> ContrastAnswer:
    """Where no difference was detected: the largest all the same."""
    known = [pair for pair in found if pair[1].value is not None]
    called = _called(found)
    if not known:
        return ContrastAnswer(
            "Not estimable.",
            "There is nothing to compute it from: scores are missing on one side of the pairs.",
        )
    one, largest = max(known, key=_order)
    lead = f"No difference detected for any of {len(known):,} {called}."
    between = (
        f"Sentences {panel.about_first} were compared with the same sentences "
        f"{panel.about_second}.{_not_estimable(len(found) - len(known))}"
    )
    if not any(finding.value or finding.se for _, finding in known):
        return ContrastAnswer(lead, f"{between} Both sides of every pair have the same score.")
    if not largest.value:
        return ContrastAnswer(lead, f"{between} Every mean difference is 0.")
    _, _, spread = size_text(largest)
    higher = f"{_amount(largest)} {panel.towards(largest.value > 0)}, 95 % interval {spread}"
    what = "The largest mean difference is"
    if called == "tasks":
        return ContrastAnswer(lead, f"{between} {what} for {one.task}, {higher}.")
    return ContrastAnswer(
        lead, between, what, one.system, one.anchor, f", for {one.task}, {higher}."
    )


def _order(pair: Found) -> tuple[bool, float]:
    """Orders by size; sizes in units of a system's own come last."""
    return pair[1].unit != "native", coarsen(abs(pair[1].value or 0.0))


def _side(value: float | None) -> str:
    return "" if not value else "higher" if value > 0 else "lower"


def _amount(finding: ShownFinding) -> str:
    return amount(size_text(finding)[0], finding.unit)


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
            cells = _cells(population, weighted)
            part = PopulationPart(one.title, population.title, notes, cells, weighted, source)
            found.append(part)
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
