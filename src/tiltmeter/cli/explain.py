"""`tiltmeter explain`: who carries a tilt, in which words, and why a name moves a score."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import (
    check_json_place,
    check_places,
    command_line,
    facts,
    heading,
    paragraph,
    print_results,
    say,
    show_table,
    visible,
)

if TYPE_CHECKING:
    from tiltmeter.studies.explain.sentences import SentenceExplanation
    from tiltmeter.studies.explain.study import ClaimExplanation, Explanation, QuestionCost


def show_explanation(found: Explanation) -> None:
    """Print every claim, every name and the text; what was asked, and what it does not show."""
    from tiltmeter.studies.explain.wording import NOT_SHOWN

    if found.claims:
        say(visible(f"{found.system}: {_several(found.claims)}"), style="bold")
    for claim in found.claims:
        show_claim(claim)
    for sentence in found.sentences:
        show_sentence(sentence)
    say()
    say(visible(str(found.asked)))
    for note in found.notes:
        say(visible(f"{note[:1].upper()}{note[1:]}."))
    heading("What this does not show")
    wanted = {name for name, there in (
        (NOT_SHOWN[0][0], found.claims), (NOT_SHOWN[1][0], found.claims),
        (NOT_SHOWN[2][0], found.known.height), (NOT_SHOWN[3][0], found.names or found.text),
        (NOT_SHOWN[4][0], any(one.near for one in found.sentences)),
    ) if there}  # fmt: skip
    for name, told in NOT_SHOWN:
        if name in wanted:
            paragraph(f"{name}: {told[:1].lower()}{told[1:]}")


def _several(claims: tuple[ClaimExplanation, ...]) -> str:
    from tiltmeter.report.numbers import count

    corpora = dict.fromkeys(one.claim.keys["corpus"] for one in claims)
    return f"{count(len(claims), 'tilt')} on {', '.join(corpora)}, from the audit’s scores"


def show_claim(found: ClaimExplanation) -> None:
    """Print one claim: its size, who drives it, the people, the words, what the system knows."""
    from tiltmeter.studies.explain import wording
    from tiltmeter.studies.explain.tables import carriers_table, interactions_table, rarity_table

    claim = found.claim
    heading(wording.heading(claim))
    paragraph(f"{wording.whole_tilt(claim)}. {wording.driving_sentence(found.carriers)}")
    if found.carriers.moving:
        show_table(carriers_table(found.carriers))
        for one in found.interactions:
            paragraph(wording.interaction_sentence(one))
            if one.apart:
                show_table(interactions_table(one))
    if found.rarity is not None:
        paragraph(wording.rarity_sentence(found.rarity))
        if found.carriers.moving:
            show_table(rarity_table(found.rarity))


def show_sentence(found: SentenceExplanation) -> None:
    """Print one sentence: what every word does, and what is known of its names."""
    from tiltmeter.studies.explain.tables import words_table
    from tiltmeter.studies.explain.wording import readings

    title = f"Why {found.name} moves a score: {found.text}" if found.name else found.text
    heading(title)
    facts(readings(found))
    show_table(words_table(found))


def explain(
    system: Annotated[
        str, typer.Argument(metavar="SYSTEM", help="What is explained, as for audit.")
    ],
    folder: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="An audit's folder (audit … -o DIR)."),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="SENTENCE", help="A sentence to explain.")
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Whose name to ask about; may repeat. By default the five that carry the audit's "
            "tilts.",
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|NAME",
            help="Word vectors in which sentiment words near to a name are looked for.",
        ),
    ] = None,
    called: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="What the audit calls the system."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask nothing: say what would be asked.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Also write a page and tables here."),
    ] = None,
    force: opt.Force = False,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the results here; - prints."),
    ] = None,
    open_it: opt.OpenIt = False,
    *,
    task: opt.Task = None,
    reuse: opt.Reuse = "missing",
    check: opt.Check = None,
    repeat: Annotated[
        int, typer.Option(metavar="N", help="Ask each text N times, and take the mean.")
    ] = 1,
    store: opt.StoreAt = None,
    opening: opt.SystemOptions,
    quiet: opt.Quiet = False,
) -> None:
    """Say why a system scores as it does: whose names carry a tilt, in which words, and why.

    From an audit's folder nothing is asked; about names and sentences the system is, through the
    same store.

    Example: tiltmeter explain vader --from out/

    Example: tiltmeter explain glove-lexicon --text "Jamal feels happy."

    Example: tiltmeter explain my_model:score --from out/ --name Tia --vectors glove-6b-50d -o why
    """
    from tiltmeter import api
    from tiltmeter.cli.progress import progress_for

    if output is None:
        check_json_place(json_to)
    else:
        check_places(output, force, json_to)
    asking = opt.AskingOptions(
        **asdict(opening), task=task, reuse=reuse, check=check, repeat=repeat, store=store
    )
    how = asking.how()

    def tell_cost(cost: QuestionCost) -> None:
        if not quiet:
            typer.echo(str(visible(f"To be asked: {cost}")), err=True)

    done = api.explain(
        system, folder, text=text, names=name or (), vectors=vectors, of=called, **how,
        dry_run=dry_run, told=tell_cost, progress=progress_for(quiet), command=command_line(),
    )  # fmt: skip
    page = done.report(output, force=force) if output is not None else None
    print_results(
        page, json_to, quiet, lambda: show_explanation(done), lambda: done.document()[1],
        open_it=open_it,
    )  # fmt: skip
