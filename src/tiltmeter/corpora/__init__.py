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
    from tiltmeter.corpora.people_sampling import usual_frames
    from tiltmeter.corpora.rating_results import RatingResults, read_rating_results
    from tiltmeter.corpora.rating_sampling import DATASETS as RATING_DATASETS
    from tiltmeter.corpora.rating_sampling import RATING_GROUPS, draw_rows, read_shares
    from tiltmeter.corpora.semeval import LANGUAGES as SEMEVAL_LANGUAGES
    from tiltmeter.corpora.semeval import semeval_files
    from tiltmeter.corpora.swap import Swap, SwappedWord, swap_people
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

    __getattr__ = lazy_names(__name__, {
        "catalogue": (
            "CORPORA", "corpus_editions", "corpus_names", "draw_options", "has_population",
            "is_table", "load_corpus", "load_rating_group", "write_starter",
        ),
        "check": (
            "PAIRS", "Change", "CheckReport", "Remark", "changes", "check_corpus", "groups_lacking",
            "pair_counts", "unpaired_note", "unpaired_sentences",
        ),
        "corpus": ("Corpus", "write_corpus", "write_csv"),
        "design": (
            "Assignment", "Axis", "Dataset", "Design", "Provenance", "RatingPlan", "Share",
            "Template", "class_name",
        ),
        "expand": ("template_size",),
        "gold": ("Gold", "GoldFile", "read_gold"),
        "people": (
            "ALL as ALL_PEOPLE", "BEARERS", "CENSUS_GROUPS", "GroupStanding", "Population",
            "PopulationSummary", "census_standing", "group_standings",
            "CELL as POPULATION_CELL", "ONE as EACH_ALIKE", "SPOKEN as CENSUS_SPOKEN",
        ),
        "people_sampling": ("usual_frames",),
        "rating_results": ("RatingResults", "read_rating_results"),
        "rating_sampling": (
            "DATASETS as RATING_DATASETS", "RATING_GROUPS", "draw_rows", "read_shares",
        ),
        "semeval": ("LANGUAGES as SEMEVAL_LANGUAGES", "semeval_files"),
        "swap": ("Swap", "SwappedWord", "swap_people"),
        "system_metadata": ("SystemMetadata", "read_system_metadata"),
        "words": (
            "DIRECTIONS", "LEXICONS", "TERM_LISTS", "WORD_TESTS", "Direction", "Lexicon", "Term",
            "TermList", "WordTest", "load_analogies", "load_direction", "load_lexicon",
            "load_ordinary_words", "load_sentence_templates", "load_similarities", "load_terms",
            "load_word_tests",
        ),
    })  # fmt: skip

__all__ = [
    "ALL_PEOPLE",
    "BEARERS",
    "CENSUS_GROUPS",
    "CENSUS_SPOKEN",
    "CORPORA",
    "DIRECTIONS",
    "EACH_ALIKE",
    "LEXICONS",
    "PAIRS",
    "POPULATION_CELL",
    "RATING_DATASETS",
    "RATING_GROUPS",
    "SEMEVAL_LANGUAGES",
    "TERM_LISTS",
    "WORD_TESTS",
    "Assignment",
    "Axis",
    "Change",
    "CheckReport",
    "Corpus",
    "Dataset",
    "Design",
    "Direction",
    "Gold",
    "GoldFile",
    "GroupStanding",
    "Lexicon",
    "Population",
    "PopulationSummary",
    "Provenance",
    "RatingPlan",
    "RatingResults",
    "Remark",
    "Share",
    "Swap",
    "SwappedWord",
    "SystemMetadata",
    "Template",
    "Term",
    "TermList",
    "WordTest",
    "census_standing",
    "changes",
    "check_corpus",
    "class_name",
    "corpus_editions",
    "corpus_names",
    "draw_options",
    "draw_rows",
    "group_standings",
    "groups_lacking",
    "has_population",
    "is_table",
    "load_analogies",
    "load_corpus",
    "load_direction",
    "load_lexicon",
    "load_ordinary_words",
    "load_rating_group",
    "load_sentence_templates",
    "load_similarities",
    "load_terms",
    "load_word_tests",
    "pair_counts",
    "read_gold",
    "read_rating_results",
    "read_shares",
    "read_system_metadata",
    "semeval_files",
    "swap_people",
    "template_size",
    "unpaired_note",
    "unpaired_sentences",
    "usual_frames",
    "write_corpus",
    "write_csv",
    "write_starter",
]
