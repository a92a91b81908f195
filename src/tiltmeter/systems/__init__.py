"""The systems room: what is audited. A spec in; something that scores texts out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.columns import TASKS
    from tiltmeter.systems.catalogue import (
        LISTED,
        SCORE_FILES,
        SYSTEMS,
        Listing,
        is_scores,
        models_in,
        open_packaged,
        open_system,
    )
    from tiltmeter.systems.glove_lexicon import glove_log_odds
    from tiltmeter.systems.gru import GruNetwork, tweet_parts, word_rows
    from tiltmeter.systems.huggingface import from_pipeline
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
else:
    from tiltmeter.lazy import lazy_names

    __getattr__, __all__ = lazy_names(__name__)
