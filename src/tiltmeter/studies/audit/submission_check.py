"""Files of scores looked through before they are handed in or audited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import is_folder
from tiltmeter.scoring.open_systems import Subjects
from tiltmeter.scoring.scoring_run import COUNTS, find_corpus, scoring_options
from tiltmeter.studies.skill.gold import GoldAnswers, directions_by_gold, gold_given, skill_of
from tiltmeter.systems import FileReport, Options, is_scores, read_scores


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One file of scores, as an audit would read it."""

    report: FileReport
    problems: tuple[str, ...]
    """What is wrong with it: it cannot be used, or not all of it is there or right."""

    @property
    def facts(self) -> dict[str, object]:
        """What is known of it, for JSON."""
        return {
            "file": self.report.name,
            "system": self.report.system,
            "tasks": list(self.report.tasks),
            **{name: getattr(self.report, name) for name in COUNTS},
            "used": self.report.used,
            "left_out": self.report.left_out,
            "problems": list(self.problems),
            "notes": list(self.report.notes),
        }


@dataclass(frozen=True, slots=True)
class SubmissionCheck:
    """The files of a folder, or a single one, held against one corpus."""

    corpus: str
    edition: str
    sentences: int
    files: tuple[CheckedFile, ...]

    @property
    def wrong(self) -> tuple[CheckedFile, ...]:
        """The files with any problem."""
        return tuple(one for one in self.files if one.problems)

    @property
    def facts(self) -> dict[str, object]:
        """What was found, for JSON."""
        return {
            "corpus": self.corpus,
            "edition": self.edition,
            "sentences": self.sentences,
            "files": [one.facts for one in self.files],
            "problems": sum(len(one.problems) for one in self.files),
        }


def check_submissions(
    files: Path | str | Sequence[Path | str],
    corpus: Corpus | Path | str = "eec",
    *,
    edition: str | None = None,
    tasks: Sequence[str] = (),
    gold: object = None,
    options: Options | None = None,
) -> SubmissionCheck:
    """Look through files of scores, or folders of them, as an audit would read them.

    `tasks` and the scale in `options` are as in `audit`. With `gold` each file must hold scores of
    the labelled texts of its tasks too, and gold tells which way its scores run.
    """
    paths = [Path(files)] if isinstance(files, str | Path) else [Path(one) for one in files]
    if models := [path for path in paths if is_folder(path) and not is_scores(str(path))]:
        raise TiltmeterError(f"{models[0]} holds a trained model; expected files of scores")
    one = find_corpus(corpus, edition)
    truth = gold_given(gold, corpora=[one])
    manner = scoring_options(options, None, None, None)
    wanted = tuple(dict.fromkeys(tasks or filter(None, [manner.options.task])))
    subjects = Subjects((), tuple(paths), wanted)
    found = read_scores(
        subjects.scores, one.sentences(), tasks=wanted, options=manner.options, may_be_none=True
    )
    if found.ranges:
        manner.options.scales.check(found.ranges)
    every = [GoldAnswers(*key, source) for key, source in found.origins.items()]
    reports, lacking = found.reports, dict[Path, list[str]]()
    if truth is not None:
        study, notes = skill_of(truth, every, subjects, manner, rank_by="pearson", mode="corrected")
        reports = directions_by_gold(reports, every, study.skill)
        places = {
            (one.system, one.task): one.source[0] for one in every if isinstance(one.source, tuple)
        }
        for system, task, _, note in notes:
            lacking.setdefault(places[system, task], []).append(f"{task}: {note}")
    declared: dict[Path, dict[str, None]] = {}
    for key, card in found.cards.items():
        if card.scale:
            declared.setdefault(found.origins[key][0], {})[str(card.scale)] = None
    checked = (
        CheckedFile(
            each,
            (
                *_problems(each, ", ".join(declared.get(each.path, ()))),
                *lacking.get(each.path, ()),
            ),
        )
        for each in reports
    )
    return SubmissionCheck(one.name, one.edition, one.size, tuple(checked))


def _problems(report: FileReport, scale: str) -> Iterator[str]:
    """What is wrong with a file by itself, and beside the others."""
    if report.set_aside:
        yield f"cannot be used: {report.set_aside}"
    if report.missing:
        many = f"{report.missing:,} sentence{'s' * (report.missing != 1)}"
        yield f"{many} of the corpus without a score"
    if report.constant:
        yield "every score of a task is the same"
    if report.out_of_range:
        many = f"{report.out_of_range:,} score{'s' * (report.out_of_range != 1)}"
        yield f"{many} outside {scale}, the declared scale"
    yield from (one.note for one in report.directions if one.upside_down)
