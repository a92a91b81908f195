"""`tiltmeter embeddings`: how unevenly negative sentiment falls on words for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.results import check_places, command_line, tell_answer, tell_files

REFUSED = 4
"""The exit code where no list has a number: too much is missing."""


def embeddings(
    embedding: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|NAME...",
            help="Word vectors (GloVe, word2vec, fastText, Numberbatch, gensim .kv, .npy, .npz, "
            ".parquet; text also .gz), a name such as glove-6b-50d, or an encoder of texts.",
        ),
    ],
    terms: Annotated[
        str,
        typer.Option(
            metavar="LIST,…",
            help="Lists of identity terms: names, .toml files of your own, or none.",
        ),
    ] = "national-origin,religion,gender,race-names",
    lexicon: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Positive and negative words: hu-liu, vader, …, or your files; may repeat.",
        ),
    ] = None,
    polarity: Annotated[
        str, typer.Option(metavar="P", help="negative (default) or positive sentiment.")
    ] = "negative",
    mode: Annotated[
        str, typer.Option(metavar="MODE", help="corrected (default) or published, as in the paper.")
    ] = "corrected",
    weat: Annotated[
        str,
        typer.Option(
            metavar="TEST,…", help="Word tests: weat (the ten), weat-6, …, .toml files, or none."
        ),
    ] = "weat",
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SYSTEM",
            help="How much of this system's tilt between names was in the vectors? May repeat.",
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="With --system: what it scores; eec by default."),
    ] = None,
    task: opt.Task = None,
    mitigate: Annotated[
        str | None,
        typer.Option(
            metavar="HOW,…", help="Take an identity direction out and measure: hard, soft, inlp."
        ),
    ] = None,
    direction: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…", help="With --mitigate: gender (default), race-names, .toml files."
        ),
    ] = None,
    similarity: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --mitigate: word pairs that people scored."),
    ] = None,
    analogies: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --mitigate: questions-words.txt or its like."),
    ] = None,
    case: Annotated[
        str,
        typer.Option(metavar="CASE", help="fallback: also as irish, Irish, IRISH; or exact."),
    ] = "fallback",
    in_sentences: Annotated[
        bool, typer.Option("--in-sentences", help="For encoders: words in sentences, not alone.")
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="For files of several languages, as Numberbatch's."),
    ] = None,
    coverage: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of a list that must be there.")
    ] = 0.7,
    resamples: Annotated[
        int, typer.Option(metavar="N", help="Draw the lexicon N times, for intervals; 0: none.")
    ] = 500,
    ridge: Annotated[
        float | None,
        typer.Option(metavar="R", help="The classifier's; by default cross-validation chooses."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of everything drawn.")] = 0,
    output: opt.ReportFolder = Path("tiltmeter-out"),
    force: opt.Force = False,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the numbers here; - prints."),
    ] = None,
    open_it: opt.OpenIt = False,
    scale: opt.GivenScale = None,
    reuse: opt.Reuse = "missing",
    check: opt.Check = None,
    workers: opt.Workers = None,
    store: opt.StoreAt = None,
    base_url: opt.BaseUrl = None,
    parse: opt.Parse = None,
    temperature: opt.Temperature = None,
    trust: opt.Trust = None,
    quiet: opt.Quiet = False,
) -> None:
    """Assess how unevenly negative sentiment falls on words for people in embeddings.

    RNSB is 0 where it falls evenly. It stands beside what ordinary words get, with an interval. A
    list is refused where too many of its terms are missing.

    Example: tiltmeter embeddings glove-6b-50d -o out

    Example: tiltmeter embeddings vectors.txt glove.bin --terms religion,mine.toml -o out

    Example: tiltmeter embeddings glove-6b-50d --system glove-lexicon -o out

    Example: tiltmeter embeddings glove-6b-50d --mitigate hard,soft,inlp --direction gender -o out
    """
    from tiltmeter import flow
    from tiltmeter.cli.embeddings_page import show_embeddings
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.report import embeddings_json

    check_places(output, force, json_to)
    common = opt.how_to_score(
        opt.how_to_open(scale, base_url, trust, parse, temperature),
        task, store, reuse=reuse, check=check, repeat=1,
        max_missing=0.01, workers=workers, sample=None, seed=0,
    )  # fmt: skip
    with stages(quiet) as stage:
        done = flow.assess_embeddings(
            embedding, terms=opt.parted(terms) or (), lexicon=_each(lexicon), polarity=polarity,
            mode=mode,
            tests=opt.parted(weat) or (), systems=list(dict.fromkeys(system or ())), corpus=corpus,
            tasks=common["tasks"], mitigate=opt.parted(mitigate) or (),
            directions=opt.parted(direction),
            similarities=similarity, analogies=analogies, case=case, in_sentences=in_sentences,
            language=language, coverage=coverage, resamples=resamples, ridge=ridge, seed=seed,
            options=common["options"], store=common["store"], settings=common["settings"],
            progress=progress_for(quiet), stage=stage,
            command=command_line(),
        )  # fmt: skip
        page = done.report(output, force=force, stage=stage)
    tell_answer(json_to, quiet, lambda: show_embeddings(done))
    tell_files(page, json_to, quiet, lambda: embeddings_json(done.material))
    if open_it:
        typer.launch(page.resolve().as_uri())
    if done.refused:
        raise typer.Exit(REFUSED)


def _each(given: list[str] | None) -> list[str]:
    """Several options, each a name or file; a comma parts them, unless a file is called so."""
    from tiltmeter.files import is_there

    return [
        part for one in given or () for part in ([one] if is_there(one) else opt.parted(one) or ())
    ]
