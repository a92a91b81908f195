"""What is handed over to be audited, opened: words, functions, models, tables of scores."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.errors import TiltmeterError, UnreachableError
from tiltmeter.files import without_folders
from tiltmeter.scoring.provenance import Unavailable, none_left, unavailable
from tiltmeter.systems import (
    NamedScores,
    Options,
    System,
    from_callable,
    from_estimator,
    from_pipeline,
    is_scores,
    models_in,
    open_system,
    trained_for,
)

# A table of scores is joined to the corpus like a file of them; everything else is asked.

Spec = Any
"""One thing to audit: a word as on the command line, a path, a System, a function from texts to
numbers, a fitted scikit-learn estimator, a Transformers pipeline, or a pandas, Polars or pyarrow
table of scores; also (name, thing)."""
Specs = Any
"""One Spec, several in a list, or a dictionary of them by name."""

TAKEN = (
    "a system's name or spec, a path to scores, a function from texts to numbers, a fitted "
    "scikit-learn estimator, a Transformers text-classification pipeline, a System, or a pandas or "
    "Polars table of scores"
)
TABLE = "scores"
"""What a table without a name is called."""


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A system that answers texts, and the user's own name for it."""

    system: System
    name: str | None = None

    @property
    def label(self) -> str:
        """The user's own name for it, else the system's, without folders of this machine."""
        return self.name or without_folders(self.system.card.name)


@dataclass(frozen=True, slots=True)
class Subjects:
    """Everything to be audited, opened."""

    systems: tuple[NamedSystem, ...]
    """In the order given, a system for every task asked of it."""
    scores: tuple[Path | NamedScores, ...]
    """Scores made elsewhere."""
    tasks: tuple[str, ...] = ()
    """The tasks wanted, all where none is named; one alone is also what scores are for that do not
    say their task themselves."""
    unavailable: tuple[Unavailable, ...] = ()
    """Services that were named and could not be reached."""


@contextmanager
def open_systems(given: Specs, tasks: Sequence[str], options: Options) -> Iterator[Subjects]:
    """Open everything before the first is asked; close it all in the end."""
    # Each task once: what is asked twice would be counted, and corrected for, twice.
    tasks = list(dict.fromkeys([tasks] if isinstance(tasks, str) else tasks or ()))
    wanted = [replace(options, task=task) for task in tasks or (options.task,)]
    asked, scores, failed = list[NamedSystem](), list[Path | NamedScores](), list[Unavailable]()
    with ExitStack() as closing:
        for name, thing in _each_model(_pair_names(given), tasks):
            if (made := _scores(name, thing)) is not None:
                scores.append(made)
                continue
            try:
                for system in _systems(name, thing, wanted):
                    if system is not thing:  # what the user opened is the user's to close
                        closing.callback(system.close)
                    asked.append(NamedSystem(system, name))
            except UnreachableError as error:
                failed.append(unavailable(name or without_folders(error.name), error))
        if failed and not asked and not scores:
            raise none_left(failed)
        if not asked and not scores:
            raise TiltmeterError("there is no system to score with; name one, as in: vader")
        wanted_tasks = tasks or ([options.task] if options.task else [])
        yield Subjects(
            tuple(asked), tuple(_distinct_names(scores)), tuple(wanted_tasks), tuple(failed)
        )


def _pair_names(given: Specs) -> list[tuple[str | None, Spec]]:
    """Each thing with the name the user gave it, if any."""
    if isinstance(given, Mapping):
        return [(_name(name), thing) for name, thing in given.items()]
    if isinstance(given, Sequence | Set | Iterator) and not isinstance(given, str | bytes):
        return [_pair(thing) for thing in given]
    return [(None, given)]


def _each_model(
    named: Sequence[tuple[str | None, Spec]], tasks: Sequence[str]
) -> Iterator[tuple[str | None, Spec]]:
    """The same, with a folder of trained models replaced by those for the tasks asked for."""
    for name, thing in named:
        models = models_in(str(thing)) if isinstance(thing, str | Path) else ()
        fit = [model for model in models if not tasks or trained_for(model) in tasks]
        if models and not fit:
            what = f"{thing} holds {len(models)} trained models, none of them for"
            raise TiltmeterError(f"{what} {', '.join(tasks)}; choose another task")
        yield from ((name, model) for model in fit) if models else ((name, thing),)


def _pair(thing: Spec) -> tuple[str | None, Spec]:
    if not isinstance(thing, tuple):
        return None, thing
    if len(thing) != 2 or not isinstance(thing[0], str):
        what = f"found a tuple of {len(thing)}: {_describe(thing)}"
        raise TiltmeterError(f"{what}; expected (name, system), the name a text")
    return _name(thing[0]), thing[1]


def _name(name: object) -> str:
    if isinstance(name, str) and name.strip() and name.encode(errors="ignore").decode() == name:
        return name.strip()
    raise TiltmeterError(f"a system is called {name!r}; expected a name, as in 'my model'")


def _scores(name: str | None, thing: Spec) -> Path | NamedScores | None:
    """The thing as scores made elsewhere, or None where it is to be asked."""
    if isinstance(thing, str | Path):
        path = Path(thing) if is_scores(str(thing)) else None
        return NamedScores(name, path) if name and path else path
    frame = as_polars(thing)
    return None if frame is None else NamedScores(name or TABLE, frame)


def _distinct_names(scores: Sequence[Path | NamedScores]) -> Iterator[Path | NamedScores]:
    """Tables of the same name told apart by a number that no other bears already."""
    taken = {one.name for one in scores if not isinstance(one, Path)}
    seen: set[str] = set()
    for one in scores:
        if isinstance(one, Path) or isinstance(one.scores, Path) or one.name not in seen:
            seen.update(() if isinstance(one, Path) else (one.name,))
            yield one
            continue
        numbered = (f"{one.name} ({nth})" for nth in count(2))
        name = next(other for other in numbered if other not in taken)
        taken.add(name)
        yield replace(one, name=name)


def _systems(name: str | None, thing: Spec, wanted: Sequence[Options]) -> Iterator[System]:
    """The systems that a thing is, one for each task wanted of it."""
    if isinstance(thing, System):
        yield thing
        return
    for options in wanted:
        if name is not None:  # an adapter knows the system under its own name only
            options = replace(options, scale=options.scales.under(name))
        if isinstance(thing, str | Path):
            yield open_system(str(thing), options)
        elif _is_pipeline(thing):
            yield from_pipeline(thing, name, options)
        elif _is_estimator(thing):
            yield from_estimator(thing, name, options)
        elif callable(thing) and not inspect.isclass(thing):
            yield from_callable(thing, name or getattr(thing, "__name__", None), options)
        else:
            raise TiltmeterError(f"found {_describe(thing)}; expected {TAKEN}")


def _is_pipeline(thing: object) -> bool:
    return any(kind.__module__.startswith("transformers.pipelines") for kind in type(thing).__mro__)


def _is_estimator(thing: object) -> bool:
    """What scikit-learn's own have, and those of others that keep to its interface."""
    return not inspect.isclass(thing) and all(
        hasattr(thing, name) for name in ("fit", "predict", "get_params")
    )


def _describe(thing: object) -> str:
    if inspect.isclass(thing):
        return f"the class {thing.__name__}, not an object made from it"
    text = repr(thing)
    return f"{type(thing).__name__} {text if len(text) <= 60 else text[:60] + '…'}"


def as_polars(thing: object) -> pl.DataFrame | None:
    """A pandas, Polars or pyarrow table as a Polars frame; None for anything else."""
    if isinstance(thing, pl.DataFrame):
        return thing
    if isinstance(thing, pl.LazyFrame):
        return thing.collect()
    kinds = {(kind.__module__.split(".")[0], kind.__name__) for kind in type(thing).__mro__}
    if ("pandas", "DataFrame") in kinds:
        return _from_pandas(thing)
    if ("pyarrow", "Table") in kinds:
        found = pl.from_arrow(thing)
        return found if isinstance(found, pl.DataFrame) else None
    return None


def _from_pandas(frame: Any) -> pl.DataFrame:  # noqa: ANN401 - pandas need not be installed
    """Column by column, which needs no pyarrow; an index with a name is a column too."""
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    columns = [frame.iloc[:, nth] for nth in range(frame.shape[1])]
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TiltmeterError(f"the table has several columns {twice!r}; expected each name once")
    return pl.DataFrame(
        {name: _series(column) for name, column in zip(names, columns, strict=True)}
    )


def _series(column: Any) -> pl.Series:  # noqa: ANN401
    missing = column.isna().tolist()
    values = [None if gone else value for value, gone in zip(column.tolist(), missing, strict=True)]
    try:
        return pl.Series(values)
    except (TypeError, pl.exceptions.PolarsError):  # a column of several types
        return pl.Series([None if value is None else str(value) for value in values])
