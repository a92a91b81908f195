import pickle

import pytest

from tiltmeter import errors
from tiltmeter.errors import (
    SHOWN,
    CorpusError,
    IncompleteError,
    MissingExtraError,
    OutputError,
    Problem,
    StoreError,
    SystemFailure,
    TableError,
    TiltmeterError,
    UnknownNameError,
    UnreachableError,
    did_you_mean,
)


def defined_errors():
    classes = [thing for thing in vars(errors).values() if isinstance(thing, type)]
    ours = [thing for thing in classes if thing.__module__ == errors.__name__]
    return [thing for thing in ours if issubclass(thing, Exception)]


@pytest.mark.parametrize("error", defined_errors())
def test_every_error_grows_on_the_one_tree_and_knows_its_exit_code(error):
    assert issubclass(error, TiltmeterError)
    incomplete = issubclass(error, (IncompleteError, StoreError, UnreachableError))
    assert error.exit_code == (4 if incomplete else 2)


def test_the_tree_that_is_drawn_names_every_leaf():
    leaves = [error.__name__ for error in defined_errors() if not error.__subclasses__()]
    assert {"UnknownNameError", "TableError", "CorpusError", "OutputError"} <= set(leaves)
    assert [name for name in leaves if name not in errors.__doc__] == []


def test_a_problem_reads_as_place_and_fault():
    assert str(Problem("eec.toml:12", "unknown slot")) == "eec.toml:12: unknown slot"
    assert str(Problem("", "unknown slot")) == "unknown slot"


@pytest.mark.parametrize("kind", [TableError, CorpusError])
def test_several_problems_stand_one_on_a_line_under_their_subject(kind):
    problems = [Problem("a:1", "first"), Problem("a:2", "second")]
    error = kind("it cannot be used", problems)
    assert str(error) == "it cannot be used:\n  a:1: first\n  a:2: second"
    assert error.problems == tuple(problems)


def test_many_problems_are_shown_up_to_twenty_and_the_rest_counted():
    # 1,234 problems: 20 lines, then 1,234 − 20 = 1,214 more; the error itself keeps them all.
    error = CorpusError("bad", [Problem(f"f:{n}", "x") for n in range(1, 1235)])
    lines = str(error).split("\n")
    assert SHOWN == 20
    assert len(lines) == 1 + 20 + 1
    assert lines[20] == "  f:20: x"
    assert lines[21] == "  … and 1,214 more"
    assert len(error.problems) == 1234


def test_exactly_twenty_problems_are_shown_without_a_count():
    message = str(CorpusError("bad", [Problem("f", str(n)) for n in range(20)]))
    assert message.endswith("  f: 19")
    assert "more" not in message


def test_an_unknown_name_offers_the_nearest():
    # eec-s shares 5 letters of 5 + 6 with eec-es and 3 of 5 + 3 with eec: 0.91 before 0.75.
    error = UnknownNameError("corpus", "eec-s", ["eec", "eec-es", "other"])
    assert str(error) == "there is no corpus called 'eec-s': did you mean 'eec-es' or 'eec'?"


def test_an_unknown_name_with_nothing_near_lists_what_is_known_in_order():
    error = UnknownNameError("system", "zzz", ["vader", "afinn"], hint="; see the manual")
    assert str(error) == (
        "there is no system called 'zzz': known are: afinn, vader; see the manual"
    )


def test_an_unknown_name_among_none_says_none_is_registered():
    assert str(UnknownNameError("measure", "x", [])).endswith("'x': none is registered")


def test_a_missing_extra_comes_with_the_line_to_type():
    assert str(MissingExtraError("torch", "neural")) == (
        "torch is not installed here: pip install 'tiltmeter[neural]'"
    )


def test_an_output_error_is_caught_as_one_of_ours():
    with pytest.raises(TiltmeterError, match="cannot write"):
        raise OutputError("cannot write out.csv: the disk is full")


@pytest.mark.parametrize(
    ("word", "offer"),
    [
        ("gendr", "did you mean 'gender'?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_only_near_words_are_offered(word, offer):
    assert did_you_mean(word, ["gender", "race"]) == offer


def test_at_most_three_words_are_offered():
    assert did_you_mean("eec", ["eec1", "eec2", "eec3", "eec4"]).count(" or ") == 2


@pytest.mark.parametrize(
    "error",
    [
        SystemFailure("vader", "answered nan", "'She sings.'"),
        UnknownNameError("corpus", "ecc", ["eec"]),
        MissingExtraError("textblob", "systems"),
        CorpusError("it cannot be used", [Problem("a.toml:3", "unknown slot")]),
        IncompleteError("too much is missing"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_crosses_from_one_process_to_another_whole(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.exit_code == error.exit_code
    assert vars(again) == vars(error)
