"""The corpora room: what is said. Templates, people and words in; sentences out."""

from tiltmeter.corpora.about_systems import AboutSystems, read_about_systems
from tiltmeter.corpora.agreement import Change, changes
from tiltmeter.corpora.assigning import draw_rows
from tiltmeter.corpora.catalogue import (
    CORPORA,
    corpus_editions,
    corpus_names,
    load_corpus,
    load_rating_group,
    write_starter,
)
from tiltmeter.corpora.check import CheckReport, check_corpus
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import Axis, Design, Template
from tiltmeter.corpora.export import write_corpus, write_csv
from tiltmeter.corpora.labelled import Gold, GoldFile, read_gold
from tiltmeter.corpora.pairs import pair_counts
from tiltmeter.corpora.rating_corpora import DATASETS as RATING_DATASETS
from tiltmeter.corpora.rating_corpora import RATING_GROUPS
from tiltmeter.corpora.rating_plan import Assignment, Dataset, RatingPlan, Share, class_name
from tiltmeter.corpora.rating_results import RatingResults, read_rating_results
from tiltmeter.corpora.remark import Remark
from tiltmeter.corpora.semeval import LANGUAGES as SEMEVAL_LANGUAGES
from tiltmeter.corpora.semeval import semeval_files
from tiltmeter.corpora.shares import read_shares
from tiltmeter.corpora.template import template_size

__all__ = [
    "CORPORA",
    "RATING_DATASETS",
    "RATING_GROUPS",
    "SEMEVAL_LANGUAGES",
    "AboutSystems",
    "Assignment",
    "Axis",
    "Change",
    "CheckReport",
    "Corpus",
    "Dataset",
    "Design",
    "Gold",
    "GoldFile",
    "RatingPlan",
    "RatingResults",
    "Remark",
    "Share",
    "Template",
    "changes",
    "check_corpus",
    "class_name",
    "corpus_editions",
    "corpus_names",
    "draw_rows",
    "load_corpus",
    "load_rating_group",
    "pair_counts",
    "read_about_systems",
    "read_gold",
    "read_rating_results",
    "read_shares",
    "semeval_files",
    "template_size",
    "write_corpus",
    "write_csv",
    "write_starter",
]
