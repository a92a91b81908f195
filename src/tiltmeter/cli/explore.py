"""`tiltmeter explore`: a page on this machine, live against real systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import say, visible


def explore(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM|FOLDER…",
            help="Systems to ask, as for audit; folders of audits to open beside.",
        ),
    ],
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="0 takes any that is free.")
    ] = 0,
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="SENTENCE", help="What to begin with; several for a bundle."),
    ] = None,
    add_to: Annotated[
        Path, typer.Option(metavar="FILE.csv", help="Where “Add to my corpus” puts sentences.")
    ] = Path("explored.csv"),
    bundle: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write a page to publish instead; it needs no server."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="With --bundle: ask nothing, say what would be asked."),
    ] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    *,
    opening: opt.SystemOptions,
    store: opt.StoreAt = None,
) -> None:
    """Type a sentence, swap who it mentions, and see what real systems make of it.

    The page is on this machine alone, behind a link with a token. Ctrl-C ends it.

    Example: tiltmeter explore vader textblob my_model:score

    Example: tiltmeter explore vader out/

    Example: tiltmeter explore vader out/ --bundle site --text "My sister feels angry."

    Example: tiltmeter explore service.toml --bundle site --dry-run
    """
    from dataclasses import replace

    from tiltmeter.errors import TiltmeterError
    from tiltmeter.explore.run import explorer_of, serve

    if dry_run and bundle is None:
        what = "--dry-run says what a bundle asks, and none is named"
        raise TiltmeterError(f"{what}; name its folder with --bundle, or leave it out")
    explorer = explorer_of(
        words, replace(opening.opening(), patient=False), store, add_to, tuple(text or ())
    )
    if bundle is not None:
        from tiltmeter.explore.bundle import bundle_costs, write_bundle

        for cost in bundle_costs(explorer, tuple(text or ())):
            typer.echo(str(visible(f"To be asked: {cost}")), err=True)
        if dry_run:
            for system in explorer.systems:
                system.close()
            say("Nothing was asked: this was a dry run.")
            return
        page = write_bundle(explorer, bundle, tuple(text or ()))
        say(visible(f"Open {page}; it needs no server."))
        return
    serve(explorer, port, show=_show_link, browser=browser)


def _show_link(link: str) -> None:
    say(visible(f"The explorer is at {link}"))
    say("It answers this machine alone. Ctrl-C ends it.")
