"""The public surface is exactly what `__all__` says."""

import ast
import importlib
import importlib.util
from pathlib import Path

import pytest

import tiltmeter


def test_the_top_level_names_are_these():
    assert sorted(tiltmeter.__all__) == [
        "Audit", "Corpus", "Drift", "Embeddings", "Explanation", "Plan", "Ratings", "Skill",
        "TiltmeterError", "Versions", "assess_embeddings", "audit", "check_corpus", "compare",
        "corpus_names", "drift", "explain", "load_corpus", "pack", "plan",
        "rate", "score", "skill", "try_sentence", "verify",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "module",
    [
        "tiltmeter",
        "tiltmeter.corpora",
        "tiltmeter.vectors",
        "tiltmeter.systems",
        "tiltmeter.scoring",
        "tiltmeter.api",
    ],
)
def test_every_listed_name_is_there(module):
    loaded = importlib.import_module(module)
    for name in loaded.__all__:
        assert getattr(loaded, name) is not None


LAZY = [
    "tiltmeter",
    *(f"tiltmeter.{room}" for room in ("api", "corpora", "scoring", "systems", "vectors")),
]


@pytest.mark.parametrize("module", LAZY)
def test_names_imported_late_are_those_a_type_checker_sees(module):
    """What is found at runtime is what `if TYPE_CHECKING` imports, from the same module."""
    loaded = importlib.import_module(module)
    tree = ast.parse(Path(loaded.__file__).read_text("utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        name.asname or name.name: (node.module, name.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert sorted(seen) == sorted(loaded.__all__)
    for given, (home, name) in seen.items():
        assert getattr(loaded, given) is getattr(importlib.import_module(home), name)
        if hasattr(loaded, "__path__"):
            spec = importlib.util.find_spec(f"{module}.{given}")
            assert spec is None, "a module of the same name"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'lod_corpus'"):
        _ = tiltmeter.lod_corpus
