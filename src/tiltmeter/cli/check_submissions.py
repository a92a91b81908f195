"""`tiltmeter check-submissions`: files of scores looked through before they are handed in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import STDOUT, check_json_place, give_json, heading, line, paragraph, say

if TYPE_CHECKING:
    from tiltmeter.corpora import Corpus
    from tiltmeter.studies.audit.submission_check import SubmissionCheck
    from tiltmeter.systems import FileReport


# A file's name is never broken: it stands at the end of a line, or has one of its own.

FILES_IN_FULL = 12
"""How many files are shown with all their counts."""
NAMED = 3
"""How many files a note names before it only counts the rest."""
ASIDE = 30
"""How many files set aside are named for one reason."""
COUNTS = {
    "rows": "rows", "matched": "matched", "missing": "missing", "doubled": "duplicated",
    "outside": "out_of_range", "others": "other",
}  # fmt: skip


def show_set_aside(reports: Sequence[FileReport], corpus: str = "") -> None:
    """The files that could not be used, in one block, each with its reason."""
    aside = [report for report in reports if report.set_aside]
    if not aside:
        return
    many = f"{len(aside):,} of {len(reports):,} file{'s' * (len(reports) != 1)}"
    on = f" for {corpus}" if corpus else ""
    say(f"{many} {'is' if len(aside) == 1 else 'are'} set aside{on}:", style="bold")
    for reason, names in _by_reason((report.name, str(report.set_aside)) for report in aside):
        _show_names(names, ASIDE)
        paragraph(reason, indent=4)


def show_reports(reports: Sequence[FileReport], corpus: str = "") -> None:
    """What each of a few files held, what is odd about any, and a line for all of them."""
    if not reports:
        return
    used = [report for report in reports if report.used]
    if len(used) <= FILES_IN_FULL:
        show_files(used)
    _show_remarks(used)
    rows, matched, other = (
        sum(getattr(report, count) for report in used) for count in ("rows", "matched", "other")
    )
    ours = f"{matched:,} of them" if matched <= rows else f"{matched:,} scores in them"
    say(
        f"{len(used):,} of {len(reports):,} files used: {rows:,} rows, {ours} of "
        f"{corpus or 'the corpus'}, {other:,} others."
    )
    _show_left_out(reports)
    if len(used) > FILES_IN_FULL:
        say("tiltmeter check-submissions FOLDER lists what each file held.")


def show_files(reports: Sequence[FileReport]) -> None:
    """A row a file, its name last; dashes for what is set aside."""
    heads = [*COUNTS, "task"]
    rows = [_cells(report) for report in reports]
    widths = [max(len(row[nth]) for row in [heads, *rows]) for nth in range(len(heads))]
    cut = len(COUNTS)

    def laid_out(cells: Sequence[str]) -> str:
        numbers = [cell.rjust(width) for cell, width in zip(cells[:cut], widths[:cut], strict=True)]
        return "  ".join([*numbers, cells[cut].ljust(widths[cut])])

    if rows:
        line(f"{laid_out(heads)}  file", style="bold")
    for report, row in zip(reports, rows, strict=True):
        line(f"{laid_out(row)}  {report.name}")


def show_check(check: SubmissionCheck, title: str = "") -> None:
    """What is wrong with each file, what every file held, and a line for all of them."""
    reports = [one.report for one in check.files]
    if title:
        heading(title)
    if check.wrong:
        say("What is wrong:", style="bold")
    told = ((one.report.name, "\n".join(one.problems)) for one in check.wrong)
    for what, names in _by_reason(told):
        _show_names(names, len(names))
        for problem in what.splitlines():
            paragraph(problem, indent=4)
    if check.wrong:
        say()
    show_files([report for report in reports if not report.left_out])
    _show_remarks([report for report in reports if report.used], "notes")
    sentences = f"{check.sentences:,} sentences of {check.corpus} ({check.edition})"
    looked = sum(not report.left_out for report in reports)
    many = f"{looked:,} file{'s' * (looked != 1)}"
    found = f"Problems in {len(check.wrong):,} of" if check.wrong else "No problem found in"
    say(f"{found} {many}, held against the {sentences}.")
    _show_left_out(reports)


def _show_left_out(reports: Sequence[FileReport]) -> None:
    """How many sound files hold none of the tasks wanted, and which they hold."""
    out = [report for report in reports if report.left_out]
    tasks = ", ".join(dict.fromkeys(task for report in out for task in report.tasks))
    if out:
        many = "1 file holds" if len(out) == 1 else f"{len(out):,} files hold"
        were = "is" if len(out) == 1 else "are"
        paragraph(f"{many} no task named with --task, only {tasks}, and {were} left out.")


def _show_remarks(used: Sequence[FileReport], which: str = "remarks") -> None:
    """What is worth knowing of the files that are used, each thing once."""
    for note, names in _by_reason((one.name, note) for one in used for note in getattr(one, which)):
        paragraph(note)
        if len(names) == len(used) > NAMED:
            line(f"all {len(used):,} files", indent=2)
        else:
            _show_names(names, NAMED)


def _cells(report: FileReport) -> list[str]:
    if report.set_aside:
        return ["–"] * (len(COUNTS) + 1)
    counts = (f"{getattr(report, name):,}" for name in COUNTS.values())
    return [*counts, ", ".join(report.tasks)]


def _by_reason(told: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Each thing said once, with the files it is said of."""
    found: dict[str, dict[str, None]] = {}
    for name, what in told:
        found.setdefault(what, {})[name] = None
    return [(what, list(names)) for what, names in found.items()]


def _show_names(names: Sequence[str], most: int) -> None:
    for name in names[:most]:
        line(name, indent=2)
    if len(names) > most:
        line(f"and {len(names) - most:,} more", indent=2)


WRONG = 2
"""The exit code where any file has a problem."""


def check_submissions(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|FOLDER...", help="Files of scores, or folders of them."),
    ],
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="NAME|FILE", help="The sentences; may repeat."),
    ] = None,
    edition: opt.Edition = None,
    *,
    table: opt.TableOptions,
    task: opt.Task = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR", help="Labelled texts, which the files must hold scores of too."
        ),
    ] = None,
    scale: opt.GivenScale = None,
    systems_in: opt.SystemsIn = None,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write what was found; - prints."),
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Check files of scores before they are handed in or audited: what each holds, what is wrong.

    Reads them as `tiltmeter audit` would. No system is asked and nothing is written. Ends with 2
    where any file has a problem: it cannot be used, sentences without a score, scores that are all
    the same, outside --scale or upside down, and with --gold labelled texts without a score.

    Example: tiltmeter check-submissions EI-reg_en_anger_pred.txt

    Example: tiltmeter check-submissions submissions/ --gold gold/ --scale 0:1

    Example: tiltmeter check-submissions submissions/ --corpus Equity-Evaluation-Corpus.csv --json -
    """
    from tiltmeter.systems import check_task

    corpora = opt.corpora_named(corpus or ["eec"], edition, table)
    tasks = [name for name in map(check_task, task or ()) if name]
    opening = opt.SystemOptions(scale).opening(systems_in)
    said = {"tasks": tasks, "options": opening, "gold": gold}
    if not checked(files, corpora, said, json_to, quiet=quiet):
        raise typer.Exit(WRONG)


def checked(
    files: Sequence[Path],
    corpora: Sequence[Corpus],
    said: dict[str, Any],
    json_to: str | None = None,
    *,
    quiet: bool = False,
) -> bool:
    """Whether nothing is wrong with files of scores for any corpus; says what is."""
    from tiltmeter import api

    check_json_place(json_to)
    found = [api.check_submissions(files, corpus, **said) for corpus in corpora]
    facts = {"checks": [check.facts for check in found]}
    told = json.dumps(facts, ensure_ascii=False, indent=2) + "\n"
    give_json(json_to, told)
    for check in found if not quiet and json_to != STDOUT else ():
        show_check(check, check.corpus if len(found) > 1 else "")
    return not any(check.wrong for check in found)


def end_checked(
    systems: Sequence[str],
    corpora: Sequence[Corpus],
    common: dict[str, Any],
    gold: Path | None = None,
) -> None:
    """A dry run's look through the files of scores among the systems; what is wrong ends it."""
    from tiltmeter.cli.console import say
    from tiltmeter.systems import is_scores

    files = [Path(spec) for spec in dict.fromkeys(systems) if is_scores(spec)]
    if not files:
        return
    said = {"tasks": common["tasks"], "options": common["options"], "gold": gold}
    sound = checked(files, corpora, said)
    if len(files) == len(set(systems)):  # else the forecast has said so
        say("Nothing was scored: this was a dry run.")
    if not sound:
        raise typer.Exit(WRONG)
