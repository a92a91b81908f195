"""Labelled texts in; reference systems out, with how they were chosen."""

from tiltmeter.training.model_folder import check_place, write_model
from tiltmeter.training.published_results import (
    PAPER_TASKS,
    TABLE_2,
    TABLES_3_TO_5,
    effect_cells,
)
from tiltmeter.training.recipes import (
    RECIPES,
    FittedModel,
    LabelledTexts,
    Recipe,
    TrainContext,
    check_seed,
    find_recipe,
    fit,
)
from tiltmeter.training.regressors import person_words
from tiltmeter.training.word_vectors import TextVectors, VectorSettings, vectors_of_texts

__all__ = [
    "PAPER_TASKS",
    "RECIPES",
    "TABLES_3_TO_5",
    "TABLE_2",
    "FittedModel",
    "LabelledTexts",
    "Recipe",
    "TextVectors",
    "TrainContext",
    "VectorSettings",
    "check_place",
    "check_seed",
    "effect_cells",
    "find_recipe",
    "fit",
    "person_words",
    "vectors_of_texts",
    "write_model",
]
