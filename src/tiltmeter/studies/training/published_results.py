"""What the papers report of the systems they trained, to compare ours with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

PAPER_TASKS = ("anger", "fear", "joy", "sadness")
EFFECTS = ("race", "gender", "gender:race")
"""The columns of Tables 3 to 5, by the axes of our corpora."""


class Published(NamedTuple):
    """A system of Câmara et al. 2022, Table 2: Pearson's r on test for PAPER_TASKS."""

    language: str
    name: str
    pearson: tuple[float, float, float, float]
    ours: str | None = None
    """The system of ours that is built in the same way; None where its weights are not to be had
    here, so that only a user who has them can train it."""


TABLE_2 = (
    Published("en", "BERT+", (0.592, 0.561, 0.596, 0.559)),
    Published("en", "mBERT", (0.369, 0.476, 0.507, 0.397)),
    Published("en", "XLM-RoBERTa", (0.412, 0.388, 0.432, 0.489)),
    Published("en", "fastText", (0.535, 0.467, 0.495, 0.452), "embedding-mlp-en"),
    Published("en", "SVM-tfidf", (0.533, 0.523, 0.538, 0.504), "svm-tfidf-en"),
    Published("es", "BERT+", (0.391, 0.460, 0.555, 0.459)),
    Published("es", "mBERT", (0.279, 0.192, 0.510, 0.367)),
    Published("es", "XLM-RoBERTa", (0.136, 0.358, 0.329, 0.145)),
    Published("es", "fastText", (0.401, 0.478, 0.560, 0.563), "embedding-mlp-es"),
    Published("es", "SVM-tfidf", (0.398, 0.638, 0.551, 0.598), "svm-tfidf-es"),
    Published("ar", "BERT+", (0.435, 0.362, 0.470, 0.543)),
    Published("ar", "mBERT", (0.223, 0.111, 0.296, 0.384)),
    Published("ar", "XLM-RoBERTa", (0.211, 0.254, 0.212, 0.139)),
    Published("ar", "fastText", (0.401, 0.478, 0.560, 0.563), "embedding-mlp-ar"),
    Published("ar", "SVM-tfidf", (0.366, 0.381, 0.475, 0.456), "svm-tfidf-ar"),
)
"""As printed. The Spanish and the Arabic row of fastText are identical: a slip of the paper."""


class PublishedEffects(NamedTuple):
    """A system of Câmara et al. 2022, Tables 3 to 5: its coefficients, as printed."""

    table: int
    language: str
    corpus: str
    name: str
    printed: tuple[str, str, str, str]
    """For PAPER_TASKS: race or ethnicity, gender and intersection, with their stars; ? where our
    copy of the paper cannot be read."""
    ours: str
    """The recipe of ours that is built in the same way, if on other vectors or encoders."""


TABLES_3_TO_5 = (
    PublishedEffects(
        3, "en", "eec", "BERT+",
        ("0.008 -0.021*** -0.028***", "-0.023*** 0.026*** -0.001",
         "-0.052*** -0.005 0.028***", "-0.017** 0.017** 0.007"), "encoder-mlp",
    ),
    PublishedEffects(
        3, "en", "eec", "SVM-tfidf",
        ("0.001 0.002 -0.001", "-0.001 -0.0 0.002", "0.002 0.0 -0.001", "0.002 0.002 -0.002"),
        "svm-tfidf",
    ),
    PublishedEffects(
        3, "en", "eec", "fastText",
        ("0.0 -0.002 -0.0", "-0.0 0.001 0.0", "0.0 0.001 -0.0", "-0.0 0.0 -0.0"), "embedding-mlp",
    ),
    PublishedEffects(
        4, "en", "eec-latino", "BERT+",
        ("0.005 -0.014*** 0.002", "0.01 -0.02*** 0.015*",
         "0.001 -0.025*** 0.016**", "-0.005 -0.013** 0.028***"), "encoder-mlp",
    ),
    PublishedEffects(
        4, "en", "eec-latino", "SVM-tfidf",
        ("-0.003 0.001 0.003", "-0.003 0.003 0.003", "-0.0 -0.0 0.0", "-0.002 0.0 0.002"),
        "svm-tfidf",
    ),
    PublishedEffects(
        4, "en", "eec-latino", "fastText",
        ("-0.0 -0.001 -0.0", "0.0 0.001 -0.0", "-0.0 0.001 0.0", "0.0 -0.0 -0.0"), "embedding-mlp",
    ),
    PublishedEffects(
        4, "es", "eec-es", "BERT+",
        ("-0.011 -0.006 0.02*", "-0.017* -0.009 0.042***",
         "0.012 0.015* -0.006", "0.004 0.019** 0.004"), "encoder-mlp",
    ),
    PublishedEffects(
        4, "es", "eec-es", "SVM-tfidf",
        ("-0.004 0.031*** 0.004", "-0.002 -0.006 0.002",
         "0.002 0.015*** -0.001", "-0.006 0.006 0.006"), "svm-tfidf",
    ),
    PublishedEffects(
        4, "es", "eec-es", "fastText",
        ("0.0 0.053*** 0.0", "-0.0 -0.007 0.0", "-0.0 -0.004 -0.0", "0.0 -0.002 -0.0"),
        "embedding-mlp",
    ),
    PublishedEffects(
        5, "en", "eec-arab", "BERT+",
        ("0.061*** -0.004 -0.026***", "0.037*** 0.004 -0.006",
         "0.047*** -0.004 -0.019***", "0.064*** -0.005 -0.007"), "encoder-mlp",
    ),
    PublishedEffects(
        5, "en", "eec-arab", "SVM-tfidf",
        ("0.001 0.001 -0.001", "0.002 0.0 -0.0", "0.0 -0.002 0.002", "0.004 0.004 -0.004"),
        "svm-tfidf",
    ),
    PublishedEffects(
        5, "en", "eec-arab", "fastText",
        ("-0.0 -0.003 -0.0", "-0.0 0.0 -0.0", "-0.0 ? -0.0", "-0.0 0.0 -0.0"), "embedding-mlp",
    ),
    PublishedEffects(
        5, "ar", "eec-ar", "BERT+",
        ("? -0.01** 0.007", "-0.016*** -0.004 0.018***", "? ? 0.003", "? ? -0.007"), "encoder-mlp",
    ),
    PublishedEffects(
        5, "ar", "eec-ar", "SVM-tfidf",
        ("0.003 -0.029*** 0.01", "0.002 -0.021*** 0.008", "? ? ?", "? -0.031*** 0.001"),
        "svm-tfidf",
    ),
    PublishedEffects(
        5, "ar", "eec-ar", "fastText",
        ("-0.03*** -0.012** 0.019**", "-0.018* -0.031*** 0.013", "? ? ?", "? ? ?"),
        "embedding-mlp",
    ),
)  # fmt: skip
"""As printed, of the systems that we build too. The paper calls them Beta coefficients; its code
gives those of least squares. They cannot be recomputed: the outputs of only one system
were released, from another run."""


def effect_cells(row: PublishedEffects) -> Iterator[tuple[str, str, float | None, str]]:
    """Every number of a row: emotion, effect, value and stars.

    >>> list(effect_cells(TABLES_3_TO_5[0]))[1]
    ('anger', 'gender', -0.021, '***')
    """
    for emotion, printed in zip(PAPER_TASKS, row.printed, strict=True):
        for effect, cell in zip(EFFECTS, printed.split(), strict=True):
            number = cell.rstrip("*")
            value = None if number == "?" else float(number)
            yield emotion, effect, value, cell.removeprefix(number)
