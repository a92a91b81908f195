"""The systems room: what is audited. A spec in; something that scores texts out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tiltmeter.columns import TASKS
from tiltmeter.systems.catalogue import (
    LISTED,
    SCORE_FILES,
    SYSTEMS,
    Listing,
    is_packaged,
    is_scores,
    models_in,
    open_system,
)
from tiltmeter.systems.options import (
    GivenScale,
    Options,
    Scales,
    check_task,
    columns_given,
    parse_scale,
    parse_scales,
    temperature_given,
)
from tiltmeter.systems.protocol import (
    SIGNED,
    UNIT,
    VALENCE,
    Answer,
    Card,
    Control,
    Missing,
    Pace,
    Scale,
    System,
    ask,
    resolve_form,
)

if TYPE_CHECKING:
    from tiltmeter.systems.gru import GruNetwork, tweet_parts, word_rows
    from tiltmeter.systems.huggingface import from_pipeline
    from tiltmeter.systems.python_function import from_callable
    from tiltmeter.systems.score_files import (
        FileReport,
        NamedScores,
        Origin,
        ScoreDirection,
        ScoreFiles,
        answers_in,
        read_scores,
    )
    from tiltmeter.systems.service.redaction import shown_words
    from tiltmeter.systems.trained import from_estimator, trained_for

_IMPORTED_WHEN_USED = {
    "GruNetwork": "gru",
    "tweet_parts": "gru",
    "word_rows": "gru",
    "from_pipeline": "huggingface",
    "ScoreDirection": "score_files",
    "FileReport": "score_files",
    "NamedScores": "score_files",
    "Origin": "score_files",
    "ScoreFiles": "score_files",
    "answers_in": "score_files",
    "read_scores": "score_files",
    "from_callable": "python_function",
    "shown_words": "service.redaction",
    "from_estimator": "trained",
    "trained_for": "trained",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of the names above
    if name not in _IMPORTED_WHEN_USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_IMPORTED_WHEN_USED[name]}"), name)
    globals()[name] = found
    return found


__all__ = [
    "LISTED",
    "SCORE_FILES",
    "SIGNED",
    "SYSTEMS",
    "TASKS",
    "UNIT",
    "VALENCE",
    "Answer",
    "Card",
    "Control",
    "FileReport",
    "GivenScale",
    "GruNetwork",
    "Listing",
    "Missing",
    "NamedScores",
    "Options",
    "Origin",
    "Pace",
    "Scale",
    "Scales",
    "ScoreDirection",
    "ScoreFiles",
    "System",
    "answers_in",
    "ask",
    "check_task",
    "columns_given",
    "from_callable",
    "from_estimator",
    "from_pipeline",
    "is_packaged",
    "is_scores",
    "models_in",
    "open_system",
    "parse_scale",
    "parse_scales",
    "read_scores",
    "resolve_form",
    "shown_words",
    "temperature_given",
    "trained_for",
    "tweet_parts",
    "word_rows",
]
