"""The corpora room: what is said. Templates, people and words in; sentences out."""

from tiltmeter.corpora.about_systems import AboutSystems, read_about_systems
from tiltmeter.corpora.agreement import Change, changes
from tiltmeter.corpora.catalogue import (
    CORPORA,
    corpus_editions,
    corpus_names,
    load_corpus,
    write_starter,
)
from tiltmeter.corpora.check import CheckReport, Remark, check_corpus
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import Axis, Design, Template
from tiltmeter.corpora.export import write_corpus, write_csv
from tiltmeter.corpora.labelled import Gold, GoldFile, read_gold
from tiltmeter.corpora.pairs import pair_counts
from tiltmeter.corpora.semeval import LANGUAGES as SEMEVAL_LANGUAGES
from tiltmeter.corpora.semeval import semeval_files
from tiltmeter.corpora.template import template_size

__all__ = [
    "CORPORA",
    "SEMEVAL_LANGUAGES",
    "AboutSystems",
    "Axis",
    "Change",
    "CheckReport",
    "Corpus",
    "Design",
    "Gold",
    "GoldFile",
    "Remark",
    "Template",
    "changes",
    "check_corpus",
    "corpus_editions",
    "corpus_names",
    "load_corpus",
    "pair_counts",
    "read_about_systems",
    "read_gold",
    "semeval_files",
    "template_size",
    "write_corpus",
    "write_csv",
    "write_starter",
]
