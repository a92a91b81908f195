"""The systems room: what is audited. A spec in; something that scores texts out."""

from tiltmeter.systems import known as _known
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
from tiltmeter.systems.gru_network import GruNetwork, word_rows
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
from tiltmeter.systems.pipeline import from_pipeline
from tiltmeter.systems.predictions import (
    Direction,
    FileReport,
    NamedScores,
    Origin,
    ScoreFiles,
    read_scores,
)
from tiltmeter.systems.protocol import (
    SIGNED,
    TASKS,
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
    settled,
)
from tiltmeter.systems.python import from_callable
from tiltmeter.systems.service.redaction import shown_words
from tiltmeter.systems.sklearn import from_estimator
from tiltmeter.systems.trained import trained_for
from tiltmeter.systems.tweets import tweet_parts

del _known

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
    "Direction",
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
    "ScoreFiles",
    "System",
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
    "settled",
    "shown_words",
    "temperature_given",
    "trained_for",
    "tweet_parts",
    "word_rows",
]
