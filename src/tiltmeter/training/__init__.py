"""The train room: labelled texts in; reference systems out, with how they were chosen."""

from tiltmeter.training.model_folder import check_place, write_model
from tiltmeter.training.published import EMOTIONS as PAPER_TASKS
from tiltmeter.training.published import TABLE_2, TABLES_3_TO_5, effect_cells
from tiltmeter.training.recipes import (
    RECIPES,
    Fitted,
    How,
    LabelledTexts,
    Recipe,
    check_seed,
    fit,
    recipe_called,
)
from tiltmeter.training.word_vectors import TextVectors, VectorSettings, vectors_of_texts
from tiltmeter.training.words import person_words

__all__ = [
    "PAPER_TASKS",
    "RECIPES",
    "TABLES_3_TO_5",
    "TABLE_2",
    "Fitted",
    "How",
    "LabelledTexts",
    "Recipe",
    "TextVectors",
    "VectorSettings",
    "check_place",
    "check_seed",
    "effect_cells",
    "fit",
    "person_words",
    "recipe_called",
    "vectors_of_texts",
    "write_model",
]
