"""What holds for every corpus anybody may write, tried on corpora drawn at random."""

import itertools
import json
import math
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltmeter.corpora import corpus_editions, load_corpus
from tiltmeter.corpora.expand import capitalise
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import SENTENCES, validate

# A file is written anew for each example, so the function's folder may be shared by all.
drawn = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

LETTERS = st.characters(categories=("Lu", "Ll", "Lo", "Lt", "Mn", "Nd"), codec="utf-8")
NAMES = st.text(LETTERS, min_size=1, max_size=6).filter(
    lambda name: name.casefold() not in {"null", "none"}
)
ARTICLES = {"state": "a", "event": "an"}
"""The lists of words, and the article of their words, which begin with the list's name."""
AXES = {"gender": ["female", "male"], "region": ["north", "south", "west"]}


def known_as(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def quoted(value: object) -> str:
    """JSON text is TOML text, for strings and lists of strings."""
    return json.dumps(value, ensure_ascii=False)


@dataclass
class Sketch:
    """A corpus drawn at random, and what was put into it."""

    text: str
    people: list[str]
    words: dict[str, list[str]]
    """The words of each list."""
    templates: list[str]
    """The texts of the templates, with their slots."""

    @property
    def size(self) -> int:
        """Every person with every combination of words, summed over the templates."""
        return sum(
            len(self.people)
            * math.prod(len(words) for name, words in self.words.items() if name in template)
            for template in self.templates
        )


@st.composite
def sketches(draw) -> Sketch:
    axes = dict(itertools.islice(AXES.items(), draw(st.integers(1, 2))))
    pairs, pool = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    pairs = pairs or (pool == 0)
    cells = list(itertools.product(*axes.values()))
    first, groups = next(iter(axes.items()))
    number = pairs * len(groups) + pool * len(cells)
    names = draw(st.lists(NAMES, min_size=number, max_size=number, unique_by=known_as))
    left = iter(names)
    lines = ["[corpus]", 'name = "drawn"', 'language = "en"', "[axes]"]
    lines += [f"{axis} = {quoted(values)}" for axis, values in axes.items()]
    if pairs:
        lines += ["[[people]]", 'list = "pairs"', "members = ["]
        for pair, group in itertools.product(range(pairs), groups):
            lines += [
                f'{{ subject = {quoted(next(left))}, {first} = "{group}", match = "m{pair}" }},'
            ]
        lines += ["]"]
    for cell in cells if pool else []:
        lines += ["[[people]]", f"list = {quoted('-'.join(cell))}", 'match = "names"']
        lines += [f'{axis} = "{group}"' for axis, group in zip(axes, cell, strict=True)]
        lines += [f"members = {quoted(list(itertools.islice(left, pool)))}"]
    words = draw_words(draw, lines)
    templates = draw_templates(draw, lines, list(words))
    return Sketch("\n".join(lines), names, words, templates)


def draw_words(draw, lines: list[str]) -> dict[str, list[str]]:
    """Up to two lists of words, all different, under one to three emotions."""
    found = {}
    for name in itertools.islice(ARTICLES, draw(st.integers(0, 2))):
        sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
        lines += ["[[words]]", f'list = "{name}"']
        found[name] = []
        for emotion, size in zip(("joy", "fear", "anger"), sizes, strict=False):
            words = [f"{name} {emotion} {n}" for n in range(size)]
            lines += [f"{emotion} = {quoted(words)}"]
            found[name] += words
    return found


def draw_templates(draw, lines: list[str], lists: list[str]) -> list[str]:
    """One to three templates, each with some of the lists of words, slots in any order."""
    texts = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        used = draw(st.lists(st.sampled_from(lists), unique=True)) if lists else []
        slots = draw(st.permutations(["{person}", *(f"{{a/an}} {{{name}}}" for name in used)]))
        texts.append(draw(st.sampled_from(["", "ومع ", "¿", "so "])) + " and ".join(slots) + ".")
        lines += ["[[templates]]", f'id = "{number}"', f"text = {quoted(texts[-1])}"]
    return texts


@drawn
@given(sketches())
def test_every_slot_is_filled(load, sketch):
    sentences = load(sketch.text).sentences()
    validate(sentences, SENTENCES)
    assert not sentences["text"].str.contains(r"[{}]|\bnull\b|\bNone\b|\ba/an\b").any()


@drawn
@given(sketches())
def test_there_are_as_many_sentences_as_people_times_words(load, sketch):
    corpus = load(sketch.text)
    assert corpus.size == corpus.sentences().height == sketch.size


@drawn
@given(sketches())
def test_every_frame_and_match_is_balanced_over_the_groups_it_compares(load, sketch):
    corpus = load(sketch.text)
    for axis in corpus.axes:
        counted = corpus.sentences().group_by("frame", "match", axis.name).len()
        compared = counted.drop_nulls(axis.name).group_by("frame", "match").agg("len")
        for counts in compared["len"].to_list():
            assert len(counts) == len(axis.groups)
            assert len(set(counts)) == 1


@drawn
@given(sketches())
def test_ids_are_unique_and_order_and_ids_are_the_same_each_time(load, sketch):
    first, second = load(sketch.text).sentences(), load(sketch.text).sentences()
    assert first["id"].is_unique().all()
    assert first.equals(second)


@drawn
@given(sketches(), st.integers(1, 50))
def test_batches_of_any_size_hold_the_same_sentences(load, sketch, rows):
    corpus = load(sketch.text)
    assert pl.concat(corpus.batches(rows)).equals(corpus.sentences())


@drawn
@given(sketches())
def test_whoever_has_one_form_stands_in_the_sentence_by_that_form(load, sketch):
    for person, text in load(sketch.text).sentences().select("person", "text").iter_rows():
        assert person in text or capitalise(person) in text


@drawn
@given(sketches())
def test_everybody_stands_in_every_frame_once(load, sketch):
    expected = sorted(unicodedata.normalize("NFC", name) for name in sketch.people)
    frames = load(sketch.text).sentences().group_by("frame").agg("person")
    assert all(sorted(people) == expected for people in frames["person"].to_list())


@drawn
@given(sketches())
def test_the_sentences_are_those_a_plain_loop_would_write(load, sketch):
    capitals_off = "[editions.corrected]\ncapitalise = false\n[axes]"
    sentences = load(sketch.text.replace("[axes]", capitals_off)).sentences()
    assert sentences["text"].to_list() == list(plain_loop(sketch))


def plain_loop(sketch: Sketch) -> Iterator[str]:
    """Templates, then words in the order of their slots, then people."""
    for template in sketch.templates:
        slots = [name for name in re.findall(r"{(\w+)}", template) if name != "person"]
        for words in itertools.product(*(sketch.words[name] for name in slots)):
            for person in sketch.people:
                text = template
                for name, word in zip(slots, words, strict=True):
                    text = text.replace(f"{{a/an}} {{{name}}}", f"{ARTICLES[name]} {word}")
                yield text.replace("{person}", unicodedata.normalize("NFC", person))


# ---------------------------------------------------------------- across processes

DIGEST = """
import hashlib, sys
from tiltmeter.corpora import load_corpus
frame = load_corpus(sys.argv[1]).sentences()
print(hashlib.sha256(frame.write_csv().encode()).hexdigest())
"""


def test_order_and_ids_do_not_hang_on_the_hash_seed(corpus_file):
    path = corpus_file(
        '[corpus]\nname = "mine"\nextends = "eec"\nomit = ["1", "pronouns"]\n'
        '[speaker]\nform = "m"\n[axes]\nage = ["old", "young"]\n'
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST, str(path)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(digests) == 1
    assert re.fullmatch(r"[0-9a-f]{64}\n", digests.pop())


# ---------------------------------------------------------------- spoiled files

RICH = """\
[corpus]
name = "rich"
title = "Rich"
language = "en"
source = "a book"
review = "reviewed by Ada"

[editions.corrected]
note = "put right"
capitalise = true
[editions.published]
capitalise = false

[axes]
gender = ["female", "male"]
age = ["old", "young"]

[agreement]
female = "f"
male = "m"

[speaker]
form = "m"

[[people]]
list = "pairs"
members = [
  { subject = "she", object = "her", own = "her", gender = "female", match = "she/he" },
  { subject = "he", object = "him", own = "his", gender = "male", match = "she/he" },
]

[[people]]
list = "women"
gender = "female"
age = "old"
match = "names"
members = ["Ann", "Eve"]

[[people]]
list = "men"
gender = "male"
age = "young"
match = "names"
members = ["Bob", "Tom"]

[[people]]
list = "friends"
members = [{ subject = "Kim", gender = "female" }]

[[words]]
list = "state"
joy = [{ lemma = "contento", m = "contento", f = "contenta" }, "feliz"]
fear = ["temeroso"]

[[templates]]
id = "1"
text = "{person} told {friend} of {a/an} {state} and {other} day."
slots.person.people = ["pairs", "women", "men"]
slots.friend = { people = "friends", form = "subject" }
slots.state.agrees = "person"
slots.other = { words = "state", agrees = "friend" }
focus = "person"

[[templates]]
id = "2"
text = "{seen} by {self} with {own} dog."
slots.seen = { people = ["pairs"], form = "object", otherwise = "this {}" }
slots.own = { repeats = "seen", form = "own" }
slots.self = { agrees = "seen", f = "herself", m = "himself" }

[[templates]]
id = "3"
text = "{person} made me {state}."
slots.person.people = ["pairs"]
slots.state = { agrees = "speaker", grammar = "person" }
note = "a note"

[[templates]]
id = "3"
edition = "published"
text = "{person} made me {state}"
slots.person.people = ["women", "men"]
slots.state = { agrees = "noun", noun = "day", form = "f" }
capitalise = true
"""

VALUES = """\
5|0|-1.5|nan|true|false|[]|[1]|[[1]]|[{}]|["x", 5]|["pairs"]|["men", "men"]|""|" "|{}|{ a = 1 }\
|{ people = "men" }|{ repeats = "person" }|1979-05-27|07:32:00|"person"|"{"|"{person}"|"{state}"\
|"noun"|"speaker"|"seen"|"own"|"she"|"01"|"e\\u0301"|"published"
""".strip()
VALUE = re.compile(
    r"""(?<==[ ])(?:"[^"\n]*"|\[[^\[\]\n]*\]|\{[ ][^{}\n]*[ ]\}|true|false)"""
    r"""|"[^"\n]*"(?=[,\]])"""
)


@st.composite
def spoiled(draw) -> str:
    """The rich corpus with one to three lines lost, doubled, moved, or given another value."""
    text = RICH
    for _ in range(draw(st.integers(1, 3))):
        lines = text.split("\n")
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["lose", "double", "move", "value", "value", "value", "value"])):
            case "lose":
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "move":
                lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
            case "value":
                found = list(VALUE.finditer(text))
                if found:
                    spot = draw(st.sampled_from(found))
                    value = draw(st.sampled_from(VALUES.split("|")))
                    lines = (text[: spot.start()] + value + text[spot.end() :]).split("\n")
        text = "\n".join(lines)
    return text


def test_the_corpus_that_is_spoiled_is_sound(load):
    # 6 people × 1 friend × 6 of 9 word pairs, 2 people, and 2 people × 3 words; published has
    # 4 people in the third template.
    assert load(RICH).size == 36 + 2 + 6
    assert load(RICH, "published").size == 36 + 2 + 12
    assert load(RICH).sentences()["text"][36] == "Her by herself with her dog."


@settings(drawn, max_examples=4 * settings.default.max_examples)
@given(spoiled())
def test_a_spoiled_file_is_refused_in_words_or_read_in_full(corpus_file, text):
    path = corpus_file(text)
    try:
        corpora = [load_corpus(path, edition) for edition in corpus_editions(path)]
    except TiltmeterError:
        return
    for corpus in corpora:
        sentences = validate(corpus.sentences(), SENTENCES)
        assert sentences.height == corpus.size > 0
        assert not sentences["text"].str.contains(r"\bNone\b|\bnull\b").any()


@drawn
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_at_all_are_refused_in_words(corpus_file, content):
    with pytest.raises(TiltmeterError):
        load_corpus(corpus_file(content))
