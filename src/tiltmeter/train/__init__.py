"""The train room: labelled texts in; reference systems out, with how they were chosen."""

from tiltmeter.train.model_folder import check_place, write_model
from tiltmeter.train.published import EMOTIONS as PAPER_TASKS
from tiltmeter.train.published import TABLE_2
from tiltmeter.train.recipes import (
    RECIPES,
    Fitted,
    How,
    LabelledTexts,
    Recipe,
    check_seed,
    fit,
    recipe_called,
)
from tiltmeter.train.words import person_words

__all__ = [
    "PAPER_TASKS",
    "RECIPES",
    "TABLE_2",
    "Fitted",
    "How",
    "LabelledTexts",
    "Recipe",
    "check_place",
    "check_seed",
    "fit",
    "person_words",
    "recipe_called",
    "write_model",
]
