"""`tiltmeter train`: build the reference systems that the papers audited."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def train(
    recipe: Annotated[
        str, typer.Argument(metavar="NAME", help="What to train: svm-unigrams or svm-tfidf.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where the model goes.")
    ],
    task: Annotated[
        str, typer.Option(metavar="TASK", help="valence, anger, fear, joy or sadness.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder with SemEval-2018's own files."),
    ] = None,
    language: Annotated[str, typer.Option(metavar="CODE", help="en, es or ar.")] = "en",
    train_file: Annotated[
        Path | None,
        typer.Option("--train", metavar="FILE", help="Labelled texts to learn from."),
    ] = None,
    dev_file: Annotated[
        Path | None, typer.Option("--dev", metavar="FILE", help="Labelled texts to choose on.")
    ] = None,
    test_file: Annotated[
        Path | None,
        typer.Option("--test", metavar="FILE", help="Labelled texts to state the skill on."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of the fit.")] = 0,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing.")] = False,
) -> None:
    """Train a reference system into a folder; the folder is then a system like any other.

    Settings are chosen on dev, the model is fitted on train and dev, and test is used only to
    state its skill.

    Example: tiltmeter train svm-tfidf --data semeval2018 --task anger -o anger-model
    """
    from tiltmeter import flow
    from tiltmeter.cli.console import facts, say

    made = flow.train(
        recipe, output, task=task, language=language, data=data, train_file=train_file,
        dev_file=dev_file, test_file=test_file, seed=seed,
    )  # fmt: skip
    if quiet:
        return
    skill, card = made.card["skill"], made.card
    chosen = ", ".join(f"{name} {value}" for name, value in card["settings"].items())
    lines = [
        ("trained on", f"{card['data']['train']['rows']:,} texts, {card['language']}, {task}"),
        ("chosen on dev", f"{chosen}: Pearson {skill['dev']['pearson']:.3f}"),
    ]
    if test := skill.get("test"):
        spread = f"{test['pearson_low']:.3f} to {test['pearson_high']:.3f}"
        shown = f"Pearson {test['pearson']:.3f} ({spread}), Spearman {test['spearman']:.3f}"
        lines.append(("on test", f"{shown}, {test['n']:,} texts"))
    facts(lines)
    say(f"The model is in {output}; audit it: tiltmeter audit {output}")
