"""The files that authors published, written anew: our corpora under their headers and oddities.

Theirs are not ours to ship. What is imitated: which columns there are and what they are called,
how templates are written, and which sentences depart from them.
"""

import re
from pathlib import Path

import polars as pl

import tiltmeter

FILES = {
    "en.csv": "eec", "en_es.csv": "eec-latino", "en_ar.csv": "eec-arab", "es.csv": "eec-es",
    "ar.csv": "eec-ar",
}  # fmt: skip
"""Câmara's five files by name, K&M's among them, and the corpus each is a copy of."""
HEADER = "id,sentence,template,person,gender,race,emotion,emotion word"
HEADERS = {
    "es.csv": ",sentence,template,person,gender,race,emotion,emotion word,sentence_en,,",
    "ar.csv": f"{HEADER},sentence",
}
SIZES = {"en.csv": 8640, "en_es.csv": 8640, "en_ar.csv": 8640, "es.csv": 8460, "ar.csv": 8038}
COLUMNS = ("text", "template", "person", "gender", "race", "emotion", "emotion_word")

SLOTS = {"person": "<p>", "state": "<eA>", "situation": "<eB>"}
ARABIC_TEMPLATES = {
    "1": ("<p> يشعر  <eA>", "<p> تشعر  <eA>"),
    "2": ("الموقف جعله <p> يشعر  <eA>", "الموقف جعلها <p> تشعر  <eA>"),
    "3": ("انا جعلته <p> ينفعل <eA>", "انا جعلتها <p> تنفعل <eA>"),
    "4": ("<p> يشعرتني بالخجل <eA>", "<p> تشعرتني بالخجل <eA>"),
    "5": ("<p> وجدت نفسه في موقف <eB>", "<p> وجدت نفسها في موقف <eB>"),
    "6": (
        "<p> يخبرتنا عن الاحداث المحزنه <eB> الاخيره",
        "<p> تخبرتنا عن الاحداث المحزنه <eB> الاخيره",
    ),
    "7": ("المحادثة  معه <p> <eB>", "المحادثة  مع <p> <eB>"),
    "8": ("رايته <p> في السوق", "رايتها <p> في السوق"),
    "9": ("تحدثت معه <p> الأمس", "تحدثت مع <p> الأمس"),
    "10": ("<p> يذهب الي المدرسه في حينا", "<p> تذهب الي المدرسه في حينا"),
    "11": ("<p> لديه طفلان", "<p> لديها طفلان"),
}
"""Of men and of women."""
OTHER_SENTENCES = {
    "6": "{person} خبرنا عن الأحداث {word} الأخيرة",
    "7": "المحادثة  مع {person} {word}",
    "8": "رأيت {person} في السوق",
    "9": "تحدثت مع {person} الأمس",
}
"""What the Arabic file says instead of these templates."""
OTHER_PEOPLE = {"والدي": "أبي", "ابي": "بابا", "والدتي": "أمي", "امي": "ماما"}
"""Whom its sentences name from template 6 on; my father is called as my dad is in our corpus."""
SPELLINGS = {"متحسس": "متحس", "مروع": "منروع", "مسيء": "مسيئ"}


def write_published(folder: Path, name: str) -> Path:
    """Write one of the five files into the folder."""
    corpus = tiltmeter.load_corpus(FILES[name], "published")
    rows = corpus.sentences().select(COLUMNS).fill_null("").rows()
    if name == "ar.csv":
        cells = [_arabic_cells(*row) for row in rows]
        del cells[7001], cells[4000]
    elif name == "en.csv":
        groups = {"African American": "African-American", "European American": "European"}
        cells = [
            (text, "<person subject> feels <emotion word>.", *whom, groups.get(race, race), *word)
            for text, _, *whom, race, emotion, emotion_word in rows
            for word in [(emotion, emotion_word)]
        ]
    else:
        templates = {template.id: _labelled(template.text) for template in corpus.design.templates}
        end = ["in English", "", ""] if name == "es.csv" else []
        cells = [(text, templates[template], *rest, *end) for text, template, *rest in rows]
    frame = pl.DataFrame(cells, orient="row").with_row_index("id")
    path = folder / name
    path.write_text(f"{HEADERS.get(name, HEADER)}\n{frame.write_csv(include_header=False)}")
    return path


def _labelled(template: str) -> str:
    return re.sub(r"\{([\w/-]+)\}", lambda slot: SLOTS.get(slot[1], slot[1]), template)


def _arabic_cells(text, template, person, gender, race, emotion, emotion_word):
    """A row as the Arabic file has it: prefixes apart or left out, and templates not kept to."""
    male, female = ARABIC_TEMPLATES[template]
    word = text.split("موقف ")[-1] if template == "5" else emotion_word
    if template in "12":
        *before, last = text.split(" بال")
        word = f"بال {last}" if last.startswith("عصبي") else last
        text = " ".join([*before, f" {word}"])
    elif template in "34":
        word = text.split()[-1]
    elif template in OTHER_SENTENCES:
        named = OTHER_PEOPLE.get(person, person)
        text = OTHER_SENTENCES[template].format(person=named, word=f"ال{emotion_word}")
    elif template in ("10", "11"):
        text = text.replace(person, OTHER_PEOPLE.get(person, person), 1)
    for right, wrong in SPELLINGS.items():
        text, word = (re.sub(rf"{right}(?=\s|$)", wrong, part) for part in (text, word))
    label = str({"m": male, "f": female})
    return text, label, person, gender, race, emotion, word, "in English"
