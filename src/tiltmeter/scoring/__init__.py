"""The scoring room: systems asked once, safely, and never twice. Sentences in; scores out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.scoring.plan import (
        REUSES,
        Block,
        Reuse,
        Texts,
        frames_drawn,
        stored_form,
        texts_of,
    )
    from tiltmeter.scoring.run import (
        MOST_REPEATS,
        Blocks,
        Progress,
        Settings,
        Silent,
        blocks_of,
        count_asks,
        score_blocks,
        score_system,
    )
    from tiltmeter.scoring.scale import ResolvedScale, ScaleSource, on_unit, resolve_scale
    from tiltmeter.scoring.scored import (
        NO_SCORES,
        BlockScores,
        Scored,
        ScoreTotals,
        Tally,
        assemble,
        on_scale,
        one_scale_each,
        score_in_memory,
    )
    from tiltmeter.scoring.spot_check import Agreement
    from tiltmeter.scoring.store import Entry, Fault, Store, default_store
else:
    from tiltmeter.lazy import lazy_names

    __getattr__, __all__ = lazy_names(__name__)
