"""The train room: labelled texts in; reference systems out, with how they were chosen."""

from tiltmeter.train.model_folder import check_place, write_model
from tiltmeter.train.recipes import RECIPES, Fitted, How, LabelledTexts, Recipe, fit
from tiltmeter.train.words import person_words

__all__ = [
    "RECIPES",
    "Fitted",
    "How",
    "LabelledTexts",
    "Recipe",
    "check_place",
    "fit",
    "person_words",
    "write_model",
]
