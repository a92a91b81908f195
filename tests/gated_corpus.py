"""Corpora that are audited in a moment, and systems that are tilted, even or undecided."""

COUPLES = (
    "sister/brother", "aunt/uncle", "mother/father", "daughter/son", "wife/husband",
    "niece/nephew", "girlfriend/boyfriend", "grandmother/grandfather", "bride/groom",
    "landlady/landlord", "godmother/godfather", "stepsister/stepbrother",
)  # fmt: skip
NAMES = 60
"""Of women, and as many of men, in names.toml."""

CORPUS = """
[corpus]
name = "small"
title = "A small corpus"
language = "en"
[axes]
gender = ["female", "male"]
[[people]]
list = "kin"
members = [
PEOPLE]
[[words]]
list = "state"
anger = ["angry", "furious", "annoyed"]
[[templates]]
id = "1"
text = "{person} feels {state}."
[[templates]]
id = "2"
text = "I made {person} feel {state}."
"""

NOISY = """
import zlib

def score(texts):
    return [(zlib.crc32(text.encode()) / 2**32 + ("angry" in text)) / 2 for text in texts]

def some(texts):  # three of sixty women's names are scored 20 points higher
    return [
        0.3 + 0.2 * ("angry" in text) + 0.2 * any(name in text for name in ("Faa", "Fab", "Fac"))
        for text in texts
    ]

def stars(texts):
    return [1 + 4 * answer for answer in score(texts)]
"""


def _couple(match):
    sides = zip(("female", "male"), match.split("/"), strict=True)
    return "".join(
        f'  {{ subject = "my {noun}", gender = "{gender}", match = "{match}" }},\n'
        for gender, noun in sides
    )


def _name(gender, nth):
    """Faa, Fab, … Fbz for women, Maa, … for men."""
    name = f"{gender[0].upper()}{chr(97 + nth // 26)}{chr(97 + nth % 26)}"
    return f'  {{ subject = "{name}", gender = "{gender}" }},\n'


def write_project(folder):
    """The corpora small.toml, of couples, and names.toml; the systems of noisy.py."""
    couples = CORPUS.replace("PEOPLE", "".join(map(_couple, COUPLES)))
    (folder / "small.toml").write_text(couples)
    names = "".join(_name(gender, nth) for gender in ("female", "male") for nth in range(NAMES))
    many = CORPUS.replace("PEOPLE", names).replace('name = "small"', 'name = "names"')
    (folder / "names.toml").write_text(many.replace('"kin"', '"names"\nmatch = "names"'))
    (folder / "noisy.py").write_text(NOISY)
    return folder
