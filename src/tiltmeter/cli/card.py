"""`tiltmeter card`: a section for a model card, from an audit's results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


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

    Markdown to paste into a model card, or with --yaml the `model-index` for its head. The audit's
    folder holds both for every system, under model-cards.

    Example: tiltmeter card tiltmeter-out --system vader
    """
    from tiltmeter import flow

    cards = flow.model_cards(path, system)
    typer.echo("\n".join(one.yaml if yaml else one.markdown for one in cards), nl=False)
