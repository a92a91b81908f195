"""Records of TOML and JSON files: typed, checked, every mistake with its line."""

import importlib
import pkgutil
from pathlib import Path
from types import UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

import pytest
from msgspec import Meta, field
from msgspec.structs import fields

import tiltmeter
from tiltmeter.errors import CorpusError, ScoreFileError
from tiltmeter.records import (
    HIDDEN,
    Record,
    RuleError,
    Text,
    check_record,
    read_json,
    read_record,
    read_toml,
)


class Head(Record, kw_only=True):
    name: Annotated[Text, Meta(examples=["mine"])]
    level: Annotated[float, Meta(ge=0, le=1, description="a share from 0 to 1")] = 0.5
    weights: Literal["bearers", "names"] = "names"
    key: Annotated[str, Meta(min_length=8, description="a key", extra=HIDDEN)] = ""
    plain: bool = False


class Entry(Record, kw_only=True):
    REST = "forms"
    id: Text
    words: Annotated[list[Text], Meta(min_length=1, description="a list of words")]
    forms: dict[str, Text] = field(name="*", default_factory=dict)

    def __post_init__(self):
        if len(set(self.words)) < len(self.words):
            raise RuleError({"words": "a word stands twice; keep one"})


class File(Record, kw_only=True):
    head: Head
    entries: list[Entry] = field(default_factory=list)


SOUND = '[head]\nname = "a"\n\n[[entries]]\nid = "1"\nwords = ["x", "y"]\nshe = "her"\n'


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="mine.toml"):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        reader = read_json if name.endswith(".json") else read_toml
        return reader(Path(name), "a file of mine")

    return write


def said(problems):
    return [str(problem) for problem in problems]


def test_a_sound_file_is_a_record(opened):
    record = read_record(opened(SOUND), File, "the file cannot be used")
    assert record.head == Head(name="a")
    assert record.entries == [Entry(id="1", words=["x", "y"], forms={"she": "her"})]


def test_every_mistake_is_said_with_its_line(opened):
    text = SOUND.replace('"a"', '"a"\nlevel = 3\nplain = "no"\nweigths = "names"') + (
        '[[entries]]\nwords = []\n[[entries]]\nid = "3"\nwords = ["x", 5, ""]\nhe = 7\n[[b]]\n'
    )
    record, problems = check_record(opened(text), File)
    assert said(problems) == [
        "mine.toml:17: unknown section 'b': expected [head], [[entries]]",
        "mine.toml:5: unknown key 'weigths' in [head]: did you mean 'weights'?",
        "mine.toml:3: level is 3; expected a share from 0 to 1",
        "mine.toml:4: plain is 'no'; expected true or false",
        "mine.toml:11: [[entries]] needs id; expected text",
        "mine.toml:12: words is []; expected a list of words",
        "mine.toml:16: he is 7; expected text",
        "mine.toml:15: 5 in 'words'; expected text",
        "mine.toml:15: an empty text in 'words'; expected text",
    ]
    # What is sound is kept, so that it can be checked further.
    assert record.head == Head(name="a")
    assert [entry.words for entry in record.entries] == [["x", "y"], ["x"]]


def test_what_is_needed_is_shown_by_an_example(opened):
    _, problems = check_record(opened("[head]\nlevel = 1.0\n"), File)
    assert said(problems) == ['mine.toml:1: [head] needs name, for instance name = "mine"']
    _, problems = check_record(opened("x = 1\n"), File)
    assert "found no table [head]; expected one" in said(problems)[-1]


def test_a_near_choice_is_offered_and_a_secret_never_repeated(opened):
    text = '[head]\nname = "a"\nweights = "bearer"\nkey = "s3cret"\n'
    head, problems = check_record(opened(text), Head, ["head"])
    assert said(problems) == [
        "mine.toml:3: weights is 'bearer': did you mean 'bearers'?",
        "mine.toml:4: key is not as it should be; expected a key",
    ]
    assert head == Head(name="a")


def test_what_does_not_hold_between_values_is_said_at_its_key(opened):
    _, problems = check_record(opened(SOUND.replace('"y"', '"x"')), File)
    assert said(problems) == ["mine.toml:6: a word stands twice; keep one"]


def test_every_mistake_in_json_is_said_with_its_line_and_keys(opened):
    text = """{
  "head": {"name": 3, "level": 2},
  "entries": [
    {"id": "a, \\"b\\" {", "words": ["x"]},
    {"words": ["x",
      7]}
  ],
  "more": 1
}"""
    record, problems = check_record(opened(text, "mine.json"), File)
    assert record is None
    assert said(problems) == [
        "mine.json:8: more: unknown key 'more' in the file: expected head, entries",
        "mine.json:2: head.name: name is 3; expected text",
        "mine.json:2: head.level: level is 2; expected a share from 0 to 1",
        "mine.json:5: entries[1]: entries[1] needs id; expected text",
        "mine.json:6: entries[1].words[1]: 7 in 'words'; expected text",
    ]


def test_a_key_of_another_section_is_said_to_belong_there(opened):
    text = 'level = 1.0\n[head]\nname = "a"\nwords = ["x"]\nlevl = 1.0\n'
    _, problems = check_record(opened(text), File)
    assert said(problems) == [
        "mine.toml:1: the key 'level' belongs under [head]",
        "mine.toml:4: unknown key 'words' in [head]: expected name, level, weights, key, plain",
        "mine.toml:5: unknown key 'levl' in [head]: did you mean 'level'?",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty:\n  mine.toml: found nothing in it; expected a file of mine"),
        (b"[head]\nname = \xc8", "mine.toml:2: byte 0xc8 is not UTF-8; save the file as UTF-8"),
        (b"[head]\nname = a", "the file is not valid TOML:\n  mine.toml:2: Invalid value; look"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(opened, data, message):
    with pytest.raises(CorpusError) as caught:
        opened(data)
    assert message in str(caught.value)


def test_the_kind_of_error_is_the_callers(tmp_path):
    with pytest.raises(ScoreFileError, match=r"absent\.toml: .*; expected a table"):
        read_toml(tmp_path / "absent.toml", "a table", error=ScoreFileError)


def kinds_in(kind):
    """A kind and all kinds within it."""
    yield kind
    for inner in get_args(kind):
        yield from kinds_in(inner)


def test_no_record_has_a_text_with_a_pattern_beside_a_list():
    """msgspec 0.22 frees such a pattern twice: `Text | tuple[str, ...]` crashes the process."""
    for module in pkgutil.walk_packages(tiltmeter.__path__, "tiltmeter."):
        if "__main__" not in module.name:
            importlib.import_module(module.name)
    waiting, seen = Record.__subclasses__(), 0
    while waiting:
        record = waiting.pop()
        waiting += record.__subclasses__()
        for field_ in fields(record):
            for kind in kinds_in(field_.type):
                choices = get_args(kind) if get_origin(kind) in (Union, UnionType) else ()
                patterned = any(
                    isinstance(meta, Meta) and meta.pattern
                    for one in choices
                    for meta in getattr(one, "__metadata__", ())
                )
                lists = any(get_origin(bare(one)) in (list, tuple) for one in choices)
                assert not (patterned and lists), f"{record.__name__}.{field_.name}"
                seen += 1
    assert seen > 100


def bare(kind):
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind
