"""What the papers report of the systems they trained, to stand beside ours."""

from __future__ import annotations

from typing import NamedTuple

EMOTIONS = ("anger", "fear", "joy", "sadness")


class Published(NamedTuple):
    """A system of Câmara et al. 2022, Table 2: Pearson's r on test for EMOTIONS."""

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
