"""The corpora room: what is said. Templates, people and words in; sentences out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.corpora.catalogue import (
        CORPORA,
        corpus_editions,
        corpus_names,
        draw_options,
        has_population,
        is_table,
        load_corpus,
        load_rating_group,
        write_starter,
    )
    from tiltmeter.corpora.check import (
        PAIRS,
        Change,
        CheckReport,
        Remark,
        changes,
        check_corpus,
        groups_lacking,
        pair_counts,
        unpaired_note,
        unpaired_sentences,
    )
    from tiltmeter.corpora.corpus import Corpus, write_corpus, write_csv
    from tiltmeter.corpora.design import (
        Assignment,
        Axis,
        Dataset,
        Design,
        Provenance,
        RatingPlan,
        Share,
        Template,
        class_name,
    )
    from tiltmeter.corpora.expand import template_size
    from tiltmeter.corpora.gold import Gold, GoldFile, read_gold
    from tiltmeter.corpora.mentions import Mention
    from tiltmeter.corpora.people import ALL as ALL_PEOPLE
    from tiltmeter.corpora.people import (
        BEARERS,
        CENSUS_GROUPS,
        GroupStanding,
        Population,
        PopulationSummary,
        census_standing,
        group_standings,
    )
    from tiltmeter.corpora.people import CELL as POPULATION_CELL
    from tiltmeter.corpora.people import ONE as EACH_ALIKE
    from tiltmeter.corpora.people import SPOKEN as CENSUS_SPOKEN
    from tiltmeter.corpora.people_in_text import (
        NameFrame,
        PeopleInText,
        Swap,
        read_people,
        swap_people,
    )
    from tiltmeter.corpora.people_sampling import usual_frames
    from tiltmeter.corpora.rating_results import RatingResults, read_rating_results
    from tiltmeter.corpora.rating_sampling import DATASETS as RATING_DATASETS
    from tiltmeter.corpora.rating_sampling import RATING_GROUPS, draw_rows, read_shares
    from tiltmeter.corpora.semeval import LANGUAGES as SEMEVAL_LANGUAGES
    from tiltmeter.corpora.semeval import semeval_files
    from tiltmeter.corpora.system_metadata import SystemMetadata, read_system_metadata
    from tiltmeter.corpora.words import (
        DIRECTIONS,
        LEXICONS,
        TERM_LISTS,
        WORD_TESTS,
        Direction,
        Lexicon,
        Term,
        TermList,
        WordTest,
        load_analogies,
        load_direction,
        load_lexicon,
        load_ordinary_words,
        load_sentence_templates,
        load_similarities,
        load_terms,
        load_word_tests,
    )
else:
    from tiltmeter.lazy import lazy_names

    __getattr__, __all__ = lazy_names(__name__)
