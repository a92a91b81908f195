"""`tiltmeter audit`, from systems to a report; `card`, `pack`, `verify`: an audit handed over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import gate as to
from tiltmeter.cli import options as opt
from tiltmeter.cli.console import (
    STDOUT,
    check_places,
    command_line,
    end_incomplete,
    give_json,
    print_results,
    say,
    visible,
)

if TYPE_CHECKING:
    from tiltmeter.claims.gate import Gate
    from tiltmeter.corpora import Corpus
    from tiltmeter.errors import CorpusError
    from tiltmeter.studies.audit.verify import Check


def audit(
    systems: opt.MaybeSystems = None,
    scores: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Scores made elsewhere, as if named among the systems; may repeat.",
        ),
    ] = None,
    systems_in: opt.SystemsIn = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            metavar="NAME|FILE",
            help="The sentences; may repeat. By default eec, or with --systems-in those of the "
            "table itself.",
        ),
    ] = None,
    edition: opt.Edition = None,
    *,
    table: opt.TableOptions,
    people: opt.DrawOptions,
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Labelled texts (ID or text, score): shows each system's skill beside its tilt.",
        ),
    ] = None,
    rank_by: Annotated[
        str | None,
        typer.Option(metavar="R", help="pearson (default) or spearman: what ranks systems."),
    ] = None,
    meta: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What is known of each system (team, algorithm, features): tilt by family.",
        ),
    ] = None,
    subset: Annotated[
        str | None,
        typer.Option(
            metavar="S",
            help="What the report puts first (all pairs by default) and a regression is fitted on "
            "(each task's own sentences by default): all, neutral, emotion, own-emotion, "
            "emotion:NAME or template:NAME.",
        ),
    ] = None,
    family: Annotated[
        int | None,
        typer.Option(metavar="N", help="Correct for N comparisons; 438 reproduces the paper."),
    ] = None,
    correction: Annotated[
        str, typer.Option(metavar="HOW", help="bonferroni, holm or bh (Benjamini–Hochberg).")
    ] = "bonferroni",
    level: Annotated[
        float, typer.Option(metavar="P", help="The level that corrected p-values are held to.")
    ] = 0.05,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="M|AXIS=M",
            help="How large a difference matters, as a part of the scale: 0.01 by default; for one "
            "axis, race=0.02. May repeat.",
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="T[,T]",
            help="Where a score is read as positive, from 0 to 1: 0.5 by default; 0.4,0.6 makes "
            "three classes.",
        ),
    ] = None,
    gate: to.GateText = None,
    undecided: to.Undecided = None,
    mode: Annotated[
        str, typer.Option(metavar="MODE", help="Statistics: corrected or published.")
    ] = "corrected",
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AXIS=GROUP",
            help="Compare each group of an axis with this one only; may repeat.",
        ),
    ] = None,
    all_pairs: Annotated[
        bool,
        typer.Option(
            "--all-pairs",
            help="Compare every two groups, also of an axis with five or more; without it each of "
            "so many is compared with the average of all.",
        ),
    ] = False,
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="M", help="pairs, regression or both; all that apply by default."),
    ] = None,
    formula: Annotated[
        str | None,
        typer.Option(
            metavar="F",
            help="What a regression explains scores by, as in "
            "'gender * race + template'; all axes and their products by default.",
        ),
    ] = None,
    no_reference: Annotated[
        bool,
        typer.Option(
            "--no-reference", help="In a regression, tell each group beside the average of all."
        ),
    ] = False,
    errors: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="A regression's errors: crossed (over names and templates), mixed or naive.",
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(metavar="F", help="Let the spread of scores differ too, as in 'gender'."),
    ] = None,
    output: opt.ReportFolder = Path("tiltmeter-out"),
    force: opt.Force = False,
    individual: Annotated[
        bool,
        typer.Option("--individual", help="Also write a page per system, to send to its team."),
    ] = False,
    figures: Annotated[
        bool,
        typer.Option("--figures", help="Also draw the paper's figures as SVG and PNG files."),
    ] = False,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the findings here; - prints."),
    ] = None,
    junit: to.Junit = None,
    summary: to.Summary = None,
    pack: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.zip",
            help="Also pack the results as evidence that `tiltmeter verify` checks.",
        ),
    ] = None,
    open_it: opt.OpenIt = False,
    sample: opt.Sample = None,
    seed: Annotated[
        int,
        typer.Option(metavar="S", help="The seed of people, of the sample and of the sign flips."),
    ] = 0,
    dry_run: opt.DryRun = False,
    time: opt.Time = False,
    stream: opt.Stream = None,
    cluster: opt.ClusterOptions,
    asking: opt.AskingOptions,
    quiet: opt.Quiet = False,
) -> None:
    """Audit systems: whether they score the same sentence alike, whoever it mentions.

    Asks each system for every sentence of the corpus (or reads its scores), compares matched
    sentences, and writes a report with the findings, their sizes and how sure they are.

    Example: tiltmeter audit vader textblob my_model:score -o out

    Example: tiltmeter audit submissions/ --gold gold/ --individual -o out

    Example: tiltmeter audit models/es --corpus eec-es --measure regression -o out

    Example: tiltmeter audit vader --corpus names-us --people 600 -o out

    Example: tiltmeter audit --scores wide.csv --systems-in "vader,textblob" -o out

    Example: tiltmeter audit my_model:score --gate "gender<=0.01, race<=0.01" -o out
    """
    from tiltmeter import api
    from tiltmeter.cli.audit_page import show_audit
    from tiltmeter.cli.options import margins_said, with_gate
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.files import check_place
    from tiltmeter.report.phrases import unavailable_said
    from tiltmeter.studies.audit.findings import findings_json

    check_places(output, force, json_to)
    held_to = _gate(gate, undecided, junit, summary)
    margins, thresholds = margins_said(margin or []), api.thresholds_from(threshold)
    if pack is not None:
        check_place(pack)
    if figures:
        from tiltmeter.report.charts import check_drawing

        check_drawing()
    common = asking.how(
        systems_in=systems_in, cluster=cluster, for_gate=held_to is not None, sample=sample,
        seed=seed,
    )  # fmt: skip
    named = [*(systems or ()), *map(str, scores or ())]
    if not named:
        raise TiltmeterError(
            "there is no system to audit; name one, as in: vader, or --scores FILE"
        )
    draw = people.draw(seed)
    own, not_own = (
        _own_sentences(named, edition, table, draw) if systems_in and not corpus else (None, None)
    )
    corpora = [own] if own else opt.corpora_named(corpus or ["eec"], edition, table, draw)
    references = _references(reference or [])
    if held_to:
        api.check_gate(
            held_to, corpora, references, mode=mode, measures=measure or (), all_pairs=all_pairs
        )
    if dry_run:
        _forecast(named, corpora, common, gold, timed=time)
        return
    with _telling_of(not_own):
        done = api.audit(
            list(dict.fromkeys(named)), corpora, **common, gold=gold, rank_by=rank_by, meta=meta,
            subset=subset, correction=correction, family=family, level=level, mode=mode,
            margin=with_gate(margins, held_to, corpora), threshold=thresholds, reference=references,
            all_pairs=all_pairs,
            measures=measure or (), formula=formula,
            no_reference=no_reference, errors=errors, precision=precision, stream=stream,
            progress=progress_for(quiet),
            command=command_line(),
        )  # fmt: skip
    with stages(quiet) as stage:
        page = done.report(output, force=force, individual=individual, figures=figures, stage=stage)
        if pack is not None:
            stage("packing the evidence")
            api.pack(output, pack)
    decision = api.gate_of(done, held_to) if held_to else None
    if decision is not None:
        to.write_gate(decision, junit, summary)
    print_results(
        page, json_to, quiet, lambda: show_audit(done), lambda: findings_json(done),
        unavailable=unavailable_said(done.run.unavailable), open_it=open_it,
    )  # fmt: skip
    if pack is not None:
        show_packed(pack, quiet or json_to == STDOUT)
    if decision is not None:
        to.tell_gate(decision, quiet=quiet, to_errors=json_to == STDOUT)
        to.end(decision)
    end_incomplete(done.unavailable)


def _own_sentences(
    named: list[str], edition: str | None, table: opt.TableOptions, draw: dict[str, Any]
) -> tuple[Corpus | None, CorpusError | None]:
    """The one table of scores as a corpus, where it says too whom each sentence is about; or not.

    A table may hold no more than IDs and scores.
    """
    from tiltmeter.errors import CorpusError
    from tiltmeter.systems import is_scores

    tables = [one for one in named if is_scores(one) and not Path(one).is_dir()]
    if len(tables) != 1:
        return None, None
    try:
        return opt.corpora_named(tables, edition, table, draw)[0], None
    except CorpusError as error:
        if any(table.reading.values()):  # the user says that it holds sentences
            raise
        return None, error


@contextmanager
def _telling_of(not_own: CorpusError | None) -> Iterator[None]:
    """Where scores are of other sentences, also say why their table is no corpus of its own."""
    from tiltmeter.errors import OtherSentencesError

    try:
        yield
    except OtherSentencesError as error:
        if not_own is None:
            raise
        raise OtherSentencesError(error.subject, [*error.problems, *not_own.problems]) from error


def _gate(
    text: str | None, undecided: str | None, junit: Path | None, summary: Path | None
) -> Gate | None:
    """The gate, if any; what only a gate can use is refused without one."""
    from tiltmeter.claims.gate import gate_given
    from tiltmeter.errors import TiltmeterError

    if text is not None:
        to.check_gate_places(junit, summary)
        return gate_given(text, undecided)
    for name, given in (("--undecided", undecided), ("--junit", junit), ("--summary", summary)):
        if given is not None:
            raise TiltmeterError(f"{name} is about a gate: give one, as in --gate 'gender<=0.01'")
    return None


def _forecast(
    systems: list[str],
    corpora: list[Corpus],
    common: dict[str, Any],
    gold: Path | None,
    *,
    timed: bool,
) -> None:
    """What would be asked for each corpus; labelled texts are asked once, with the first.

    Files of scores are looked through, and what is wrong with any ends the command with 2.
    """
    from tiltmeter import api
    from tiltmeter.cli.check_submissions import end_checked
    from tiltmeter.cli.console import heading
    from tiltmeter.cli.score import show_forecast
    from tiltmeter.systems import is_scores

    truth = api.gold_given(gold, corpora=corpora)
    besides = truth.frame.drop_nulls("text") if truth else None
    asked = any(not is_scores(spec) for spec in systems)
    for corpus in corpora if asked else ():
        if len(corpora) > 1:
            heading(corpus.name)
        found = api.forecast(systems, corpus, **common, besides=besides, timed=timed)
        show_forecast(found, common["sample"])
        besides = None
    end_checked(systems, corpora, common, gold)


def _references(given: list[str]) -> dict[str, str]:
    """The reference group of each axis, from AXIS=GROUP."""
    from tiltmeter.errors import TiltmeterError

    pairs = [entry.partition("=") for entry in dict.fromkeys(given)]
    for axis, equals, group in pairs:
        if not axis or not group:
            entry = f"{axis}{equals}{group}"
            raise TiltmeterError(f"--reference is {entry!r}; expected AXIS=GROUP, as in race=Anglo")
    found = {axis: group for axis, _, group in pairs}
    if len(found) < len(pairs):
        named = " and ".join(f"{axis}={group}" for axis, _, group in pairs)
        raise TiltmeterError(f"--reference is given as {named}; expected one group for an axis")
    return found


def card(
    path: Annotated[
        Path, typer.Argument(metavar="DIR|FILE", help="An audit's output folder, or its pack.")
    ],
    system: Annotated[
        str | None, typer.Option(metavar="NAME", help="This system only; all by default.")
    ] = None,
    yaml: Annotated[
        bool,
        typer.Option("--yaml", help="The metadata for Hugging Face instead of the section."),
    ] = False,
) -> None:
    """Print what a system's model card may say of an audit: verdicts, limits, how to repeat it.

    Markdown to paste into a model card, or with --yaml the `model-index` for its head. Findings are
    recomputed from the answers first, as `verify` does. The audit's folder holds both for every
    system, under model-cards.

    Example: tiltmeter card tiltmeter-out --system vader
    """
    from tiltmeter import api

    cards = api.model_cards(path, system)
    typer.echo("\n".join(one.yaml if yaml else one.markdown for one in cards), nl=False)


def pack(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The output folder of an audit, as it was left.")
    ],
    to: Annotated[Path, typer.Argument(metavar="FILE", help="The zip to write, as in audit.zip.")],
    quiet: opt.Quiet = False,
) -> None:
    """Pack an audit's output folder: answers, sentences, findings, report and a hashed manifest.

    The same folder gives the same zip. Its fingerprint is one number over all files: note it down
    elsewhere, and nobody can pass off another pack as this one.

    Example: tiltmeter pack tiltmeter-out audit.zip
    """
    from tiltmeter import api

    show_packed(api.pack(folder, to), quiet)


def show_packed(written: Path, quiet: bool = False) -> None:
    """Say what was packed, and the fingerprint to note down."""
    from tiltmeter import api

    if quiet:
        return
    say(visible(f"Packed into {written} ({written.stat().st_size / 1e6:,.1f} MB)."))
    say(f"fingerprint {api.fingerprint_of(written)}")
    say(visible(f"Note it down elsewhere. To verify: tiltmeter verify {written}"))


WIDTH = 14
"""Columns of what was looked at; a fingerprint of 64 letters fits beside it."""


def verify(
    path: Annotated[
        Path, typer.Argument(metavar="FILE|DIR", help="A pack, or the output folder of an audit.")
    ],
    fingerprint: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="What the pack's fingerprint was when it was made."),
    ] = None,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write what was checked; - prints."),
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Verify a pack: every file is what was packed, and the findings follow from the answers.

    Recomputes every score from its answer and every finding from the scores, and compares them with
    those stored. Says what it could not check, as the sentences of another version. Exit 0:
    verified; 2: altered or damaged; 4: too many answers to recompute.

    Example: tiltmeter verify audit.zip
    """
    from tiltmeter import api

    silent = quiet or json_to == STDOUT
    found = api.verify(path, fingerprint=fingerprint, told=(lambda _: None) if silent else _show)
    give_json(json_to, found.json)
    if silent:
        return
    say()
    say(visible(f"Verified: {found.findings:,} findings follow from the answers in {found.path}."))
    if found.unchecked_words:
        say(visible(f"Not verified: {' and '.join(found.unchecked_words)}, of another version."))
    say(
        "This does not show that the answers came from the systems named, nor that what is said of "
        "them (version, licence, notes) is so."
    )


def _show(check: Check) -> None:
    from rich.table import Table

    line = Table.grid(padding=(0, 1))
    line.add_column(style="dim", width=WIDTH)
    line.add_column(overflow="fold")
    line.add_row(visible(check.what), visible(check.seen))
    say(line)
