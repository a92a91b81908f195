"""`tiltmeter embeddings`: how unevenly negative sentiment falls on words for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import (
    check_places,
    command_line,
    facts,
    heading,
    print_results,
    say,
    show_rest,
    table,
    visible,
)
from tiltmeter.report.numbers import p_value

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.studies.embeddings.study import Embeddings

REFUSED = 4
"""The exit code where no list has a number: too much is missing."""
SHOWN, EMBEDDINGS, TESTED = 12, 10, 3
"""Rows of a table and embeddings before they are only counted; embeddings with their tests."""
RIGHT = ("RNSB", "95 % interval", "ordinary", "p")
DETECTED = 0.05
NARROW = 64
"""Columns of a terminal below which tables keep to what matters most."""
CHANCE = (
    "0 is even. ordinary: the middle of what as many everyday words get, drawn by chance; p: how "
    "often chance gives as much, corrected for how many lists and embeddings there are. highest: "
    "the term with the highest probability."
)
TESTS = (
    "d: above 0 the first words lie closer to the third, as flowers to pleasant, than the second "
    "do; from −2 to 2. p: corrected for how many tests there are."
)
SPELLED = ("in another spelling", "in another case")
"""What remarks on spellings say: they change no number unawares, and the report has them."""
GROUPS = (
    "points: how far the first group's mean probability lies above the second's, of 100; p: from "
    "dealing the terms out to the groups anew, corrected."
)
LINKS = (
    "r: below 0, names whose vectors lie nearer to {polarity} words are scored lower; p: corrected."
)
MITIGATION = (
    "cluster, probe: how many of the words that leaned most are still found with their side; "
    "guessing gives about 0.5. Numbers that fall can be cosmetic."
)


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
    reuse: opt.Reuse = "missing",
    check: opt.Check = None,
    workers: opt.Workers = None,
    store: opt.StoreAt = None,
    *,
    opening: opt.SystemOptions,
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
    from tiltmeter import api
    from tiltmeter.cli.progress import progress_for, stages

    check_places(output, force, json_to)
    asking = opt.AskingOptions(
        **asdict(opening), task=task, reuse=reuse, check=check, workers=workers, store=store
    )
    with stages(quiet) as stage:
        done = api.assess_embeddings(
            embedding, terms=opt.parted(terms) or (), lexicon=_each(lexicon), polarity=polarity,
            mode=mode,
            tests=opt.parted(weat) or (), systems=list(dict.fromkeys(system or ())), corpus=corpus,
            mitigate=opt.parted(mitigate) or (),
            directions=opt.parted(direction),
            similarities=similarity, analogies=analogies, case=case, in_sentences=in_sentences,
            language=language, coverage=coverage, resamples=resamples, ridge=ridge, seed=seed,
            **asking.how(), progress=progress_for(quiet), stage=stage,
            command=command_line(),
        )  # fmt: skip
        page = done.report(output, force=force, stage=stage)
    print_results(
        page,
        json_to,
        quiet,
        lambda: show_embeddings(done),
        lambda: done.document()[1],
        open_it=open_it,
    )
    if done.refused:
        raise typer.Exit(REFUSED)


def _each(given: list[str] | None) -> list[str]:
    """Several options, each a name or file; a comma parts them, unless a file is called so."""
    from tiltmeter.files import is_there

    return [
        part for one in given or () for part in ([one] if is_there(one) else opt.parted(one) or ())
    ]


def show_embeddings(done: Embeddings) -> None:
    """Print the bottom line, what was found of each embedding, then what is worth knowing."""
    from tiltmeter.studies.embeddings.bottom_line import bottom_line

    say(visible(bottom_line(done)))
    names = done.embeddings["embedding"].to_list()
    for name in names[:EMBEDDINGS]:
        _show_rnsb(done, name)
        _show_groups(done.groups.filter(embedding=name))
        if len(names) <= TESTED:
            _show_tests(done.weat.filter(embedding=name).drop_nulls("effect"))
        _show_links(done.links.filter(embedding=name))
        _show_mitigation(done.mitigation.filter(embedding=name))
    show_rest(len(names), EMBEDDINGS, " embeddings; the report has them all")
    say()
    for line in legend(done, EMBEDDINGS, tested=len(names) <= TESTED):
        say(visible(line))
    facts(("", note) for note in (*lacking(done), *worth_knowing(done)))


def _show_rnsb(done: Embeddings, name: str) -> None:
    heading(f"{name}: how unevenly {done.run['polarity']} sentiment falls (RNSB)")
    rows = [_rnsb(row) for row in done.rnsb.filter(embedding=name).iter_rows(named=True)]
    columns = ["terms", *RIGHT, "highest"]
    always = columns[:3] if _is_narrow() else columns
    kept = [n for n, column in enumerate(columns)
            if n < 2 or (column in always and any(row[n] for row in rows))]  # fmt: skip
    _table([columns[n] for n in kept], [[row[n] for n in kept] for row in rows], RIGHT)


def _is_narrow() -> bool:
    """Whether whole tables would be cut to shreds; the report has what is then left out."""
    return get_terminal_size().columns < NARROW


def _rnsb(row: dict[str, Any]) -> list[str]:
    if row["rnsb"] is None:
        return [row["list"], "refused", "", "", "", ""]
    ends = "" if row["low"] is None else f"{row['low']:.2f} to {row['high']:.2f}"
    even = "" if row["by_chance"] is None else f"{row['by_chance']:.2f}"
    return [row["list"], f"{row['rnsb']:.3f}", ends, even, _p(row["p_adjusted"]), row["most"]]


def _show_groups(groups: pl.DataFrame) -> None:
    """How far groups of terms stand apart in their mean probability."""
    if groups.height:
        say()
        rows = [_group(row) for row in groups.iter_rows(named=True)]
        right = ("points", "95 % interval", "p")
        columns = ["groups of terms", *right, "higher"]
        if _is_narrow():
            columns, rows = columns[:2], [row[:2] for row in rows]
        _table(columns, rows, right)


def _group(row: dict[str, Any]) -> list[str]:
    named = f"{row['list']}: {row['first']} − {row['second']}"
    ends = "" if row["low"] is None else f"{_points(row['low'])} to {_points(row['high'])}"
    higher = row["first"] if row["difference"] > 0 else row["second"]
    detected = row["p_adjusted"] is not None and row["p_adjusted"] <= DETECTED
    size, chance = _points(row["difference"]), _p(row["p_adjusted"])
    return [named, size, ends, chance, higher if detected else "–"]


def _points(share: float) -> str:
    return f"{100 * share:.0f}".replace("-", "−")


def _show_tests(known: pl.DataFrame) -> None:
    if known.height:
        say()
        kind = "SEAT" if "seat" in known["kind"] else "word test"
        columns = [kind, "whose words, closer to what", "d", "p"]
        rows = [
            [row["test"], row["title"], _number(row["effect"]), _p(row["p_adjusted"])]
            for row in known.iter_rows(named=True)
        ]
        if _is_narrow():
            columns, rows = [columns[0], *columns[2:]], [[row[0], *row[2:]] for row in rows]
        _table(columns, rows, ("d", "p"))


def _show_links(links: pl.DataFrame) -> None:
    """How far systems' tilts between names go with the vectors."""
    if links.height:
        say()
        rows = [_link(row) for row in links.iter_rows(named=True)]
        _table(["tilt between names", "names", "r with vectors", "95 % interval", "p"], rows,
               ("names", "r with vectors", "95 % interval", "p"))  # fmt: skip


def _link(row: dict[str, Any]) -> list[str]:
    if row["pearson"] is None:
        return [f"{row['system']}: {row['reason']}", str(row["n"]), "–", "", ""]
    ends = "" if row["low"] is None else f"{_number(row['low'])} to {_number(row['high'])}"
    return [row["system"], str(row["n"]), _number(row["pearson"]), ends, _p(row["p_adjusted"])]


def _show_mitigation(frame: pl.DataFrame) -> None:
    """A row for each number, a column for each method."""
    for (direction,), part in frame.group_by("direction", maintain_order=True):
        methods = part["method"].unique(maintain_order=True).to_list()
        columns = ["before" if one == "none" else one for one in methods]
        say()
        _table(
            [f"without {direction}", *columns], list(_mitigation_rows(part, methods)), columns, 30
        )


def _mitigation_rows(frame: pl.DataFrame, methods: Sequence[str]) -> Iterator[list[str]]:
    for (measure, what), part in frame.group_by("measure", "what", maintain_order=True):
        if measure == "analogies" and what != "overall":
            continue  # each kind of analogy stands in the report
        values = dict(part.select("method", "value").iter_rows())
        cells = ["–" if (one := values.get(name)) is None else _number(one) for name in methods]
        yield [f"{measure}: {what}", *cells]


def _table(
    names: Sequence[str], rows: Sequence[list[str]], right: Iterable[str], most: int = SHOWN
) -> None:
    table(names, rows[:most], right=list(right))
    show_rest(len(rows), most, "; the report has them all")


def _number(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def _p(p: float | None) -> str:
    return "" if p is None else p_value(p).removeprefix("p ").removeprefix("= ")


def legend(done: Embeddings, most: int, *, tested: bool) -> Iterator[str]:
    """What the columns say, and what the numbers rest on."""
    if done.rnsb.height:
        even = "0 is even. highest: the term with the highest probability."
        yield CHANCE if done.rnsb["by_chance"].count() else even
    if done.groups.height:
        yield GROUPS
    if done.weat["effect"].count():
        yield TESTS if tested else "Word tests of so many embeddings stand in the report."
    if done.links["pearson"].count():
        yield LINKS.format(polarity=done.run["polarity"])
    if done.mitigation.height:
        yield MITIGATION
    lexicon = done.run["lexicon"]
    sizes = f"{lexicon['positive']:,} positive and {lexicon['negative']:,} negative words"
    published = done.run["mode"] == "published"
    classes = "not balanced, as published" if published else "balanced: both weigh the same"
    yield f"Lexicon: {lexicon['title']}, {sizes}, {classes}."
    yield from _classifiers(done, most)


def _classifiers(done: Embeddings, most: int) -> Iterator[str]:
    how = {"cross-validation": "chosen by cross-validation", "given": "as given"}
    known = done.classifiers.drop_nulls("balanced").head(most)
    for row in known.iter_rows(named=True):
        right = f"tells {100 * row['balanced']:.0f} % of words held out apart"
        chosen = how.get(row["chosen_by"], "as in the paper")
        yield f"{row['embedding']}: its classifier {right} (ridge {row['ridge']:.3g}, {chosen})."


def lacking(done: Embeddings) -> Iterator[str]:
    """Lists without a number and why; terms that embeddings lack, told once for all alike."""
    found: dict[str, list[str]] = {}
    for row in done.rnsb.iter_rows(named=True):
        of = done.terms.filter(embedding=row["embedding"], list=row["list"])
        if row["reason"] is not None:
            what = f"{row['list']}: no RNSB: {row['reason']}"
        elif row["n_found"] < row["n_terms"]:
            named = ", ".join(of.filter(of["found_as"].is_null())["term"])
            what = f"{row['list']}: not in the embedding: {named}"
        else:
            continue
        found.setdefault(what, []).append(row["embedding"])
    for (name,), tests in done.weat.drop_nulls("reason").group_by("embedding", maintain_order=True):
        what = f"no d of {', '.join(tests['test'])}: too few of their words are there"
        found.setdefault(what, []).append(str(name))
    for what, names in found.items():
        who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"
        yield f"{who}, {what}"


def worth_knowing(done: Embeddings) -> Iterator[str]:
    """Notes that may change how the numbers are taken; the rest is counted."""
    from tiltmeter.studies.embeddings.wording import weighty_notes

    told = weighty_notes(done)
    yield from told
    for name, remarks in done.remarks.items():
        yield from (f"{name}: {one}" for one in remarks if not any(map(one.count, SPELLED)))
    rest = len(done.notes) - len(told)
    if rest:
        notes = "1 more note" if rest == 1 else f"{rest:,} more notes"
        yield f"{notes}, on how things were read and made: see the report"
