"""The user's own function: found, tried once, asked, and named in every error."""

import os
import sys
import textwrap

import numpy as np
import pytest

from tiltmeter.errors import SystemFailure
from tiltmeter.systems import Missing, Options, Scale, ask, from_callable, open_system, resolve_form

TEXTS = ["good", "bad day", "so so good"]
# scores by length in tenths: 4, 7 and 10 characters
TENTHS = [0.4, 0.7, 1.0]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a module into the current folder, which is a fresh one."""
    monkeypatch.chdir(tmp_path)

    def write(code, name="mine.py"):
        (tmp_path / name).write_text(textwrap.dedent(code), encoding="utf-8")
        return f"./{name}"

    return write


def test_a_function_of_a_list_is_loaded_from_a_file(write):
    file = write("def score(texts): return [len(text) / 10 for text in texts]")
    system = resolve_form(open_system(f"{file}:score"))
    assert ask(system, TEXTS) == TENTHS
    assert system.card.name == "./mine.py:score"
    assert system.card.settings == {"takes": "list"}
    assert (system.pace.batch, system.pace.parallel) == (256, "processes")
    assert system.pace.one_by_one is False


def test_a_function_of_one_text_is_asked_text_by_text(write):
    file = write("def score(text): return len(text.lower()) / 10")
    system = resolve_form(open_system(f"{file}:score"))
    assert ask(system, TEXTS) == TENTHS
    assert system.card.settings == {"takes": "text"}
    assert system.pace.one_by_one is True


@pytest.mark.parametrize(
    "body",
    [
        "len(text) / 10",  # a list has a length too: one number for two texts
        "text.count('') / 10 - 0.1",  # a list can count too
        "{text: len(text) / 10}[text]",  # a list is unhashable
        "__import__('numpy').array([len(text) / 10])",  # one answer in an array
        "[len(text) / 10][:1] if isinstance(text, str) else 1 / 0",  # not a TypeError
    ],
)
def test_what_a_function_takes_is_found_by_trying(body, write):
    system = resolve_form(open_system(f"{write(f'def score(text): return {body}')}:score"))
    assert system.card.settings["takes"] == "text"
    assert ask(system, TEXTS) == pytest.approx(TENTHS, abs=1e-12)


@pytest.mark.parametrize(
    "body",
    [
        "np.array([len(text) / 10 for text in texts])",
        "np.array([[len(text) / 10] for text in texts])",
        "(len(text) / 10 for text in texts)",
        "tuple(len(text) / 10 for text in texts)",
        "map(lambda text: len(text) / 10, texts)",
        "pl.Series([len(text) / 10 for text in texts])",
        "deque(len(text) / 10 for text in texts)",
    ],
)
def test_answers_may_come_in_anything_that_holds_numbers_in_order(body, write):
    imports = "import numpy as np, polars as pl\nfrom collections import deque\n"
    system = resolve_form(
        open_system(f"{write(f'{imports}def score(texts): return {body}')}:score")
    )
    assert system.card.settings["takes"] == "list"
    assert ask(system, TEXTS) == TENTHS


def test_a_pandas_series_is_read_as_its_values():
    pd = pytest.importorskip("pandas", reason="pandas is not installed here")
    system = from_callable(lambda texts: pd.Series([len(t) / 10 for t in texts], index=texts))
    assert ask(system, TEXTS) == TENTHS


def test_a_method_is_reached_through_its_object(write):
    file = write("""
        class Model:
            def score(self, text): return len(text) / 10
        model = Model()
    """)
    assert ask(open_system(f"{file}:model.score"), TEXTS) == TENTHS


def test_a_module_of_the_current_folder_is_found_by_name(write, monkeypatch):
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in ("", ".")])
    write("from far import TEN\ndef score(text): return len(text) / TEN", "near_tenths.py")
    write("TEN = 10", "far.py")
    assert ask(open_system("near_tenths:score"), TEXTS) == TENTHS


def test_a_file_may_import_its_neighbours_while_it_loads_and_while_it_runs(write):
    write("TEN = 10", "neighbour_a.py")
    write("ZERO = 0", "neighbour_b.py")
    file = write("""
        from neighbour_a import TEN
        def score(text):
            from neighbour_b import ZERO
            return len(text) / TEN + ZERO
    """)
    before = list(sys.path)
    assert ask(open_system(f"{file}:score"), TEXTS) == TENTHS
    assert sys.path == before


def test_an_installed_function_carries_its_distribution_and_version():
    system = open_system("numpy:size")
    assert system.card.version == f"numpy {np.__version__}"


def test_task_and_scale_come_from_the_options(write):
    file = write("def score(text): return len(text)")
    options = Options(task="anger", scale=Scale(0.0, 100.0))
    card = open_system(f"{file}:score", options).card
    assert (card.task, card.scale) == ("anger", Scale(0.0, 100.0))


def test_none_and_missing_are_no_scores(write):
    file = write("def score(text): return None if 'bad' in text else 0.5")
    found = ask(open_system(f"{file}:score"), TEXTS)
    assert found == [0.5, Missing("the system gave no score"), 0.5]


def test_the_fingerprint_follows_the_file_and_nothing_else(write, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def fingerprint(code):
        file = write(code)
        # The same length at the same second: a compiled copy would hide the change.
        os.utime(tmp_path / "mine.py", (1_700_000_000, 1_700_000_000))
        return open_system(f"{file}:score").card.fingerprint

    one = fingerprint("def score(text): return 1")
    assert fingerprint("def score(text): return 2") != one
    assert ask(open_system("./mine.py:score"), ["x"]) == [2.0]
    assert fingerprint("def score(text): return 1") == one
    assert not (tmp_path / "__pycache__").exists()


def test_a_system_reopens_from_its_spec(write):
    system = open_system(f"{write('def score(text): return len(text) / 10')}:score")
    assert ask(system.reopen(), TEXTS) == TENTHS
    known = resolve_form(system)
    assert known.reopen().card.fingerprint == known.card.fingerprint


def test_opening_calls_nothing(write):
    file = write("def score(text): raise SystemExit('called')")
    assert open_system(f"{file}:score").card.name == "./mine.py:score"
    assert from_callable(lambda _: 1 / 0, "mine").card.name == "mine"


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("./mien.py:score", "no file mien.py; did you mean 'mine.py'?"),
        ("./zzz.py:score", "no file zzz.py; there are mine.py"),
        ("mime:score", "no module 'mime' is installed or in"),
        ("mime:score", "did you mean 'mine'?"),
        ("./mine.py:scor", "has no 'scor'; did you mean 'score'?"),
        ("./mine.py:TABLE", "is a dict; expected a function"),
        ("./mine.py:later", "is async; expected a plain function"),
    ],
)
def test_a_function_that_is_not_there_is_told_with_what_is(spec, said, write):
    write("TABLE = {}\ndef score(text): return 1\nasync def later(text): return 1")
    with pytest.raises(SystemFailure) as failure:
        open_system(spec)
    assert said in str(failure.value)
    assert f"the system {spec!r}" in str(failure.value)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def score(text) return 1", "failed to load: SyntaxError"),
        ("import nowhere_at_all", "failed to load: ModuleNotFoundError: No module named 'nowhere"),
        ("raise SystemExit(3)", "failed to load: SystemExit: 3"),
    ],
)
@pytest.mark.parametrize("by_name", [False, True], ids=["file", "module"])
def test_a_file_that_does_not_load_says_why(code, said, by_name, write):
    write(code, "broken_one.py")
    with pytest.raises(SystemFailure, match=said):
        open_system("broken_one:score" if by_name else "./broken_one.py:score")


def test_what_the_function_raises_is_named_with_the_text_and_chained(write):
    file = write("""
        def score(text):
            if 'bad' in text: raise ValueError('no such word')
            return 1.0
    """)
    system = open_system(f"{file}:score")
    with pytest.raises(SystemFailure) as failure:
        ask(system, TEXTS)
    assert "raised ValueError: no such word (first at the text 'bad day')" in str(failure.value)
    assert isinstance(failure.value.__cause__, ValueError)


def test_a_function_that_always_fails_says_what_both_tries_gave(write):
    file = write("""
        def score(text):
            raise KeyError('list') if isinstance(text, list) else ValueError('model.bin missing')
    """)
    with pytest.raises(SystemFailure) as failure:
        resolve_form(open_system(f"{file}:score"))
    assert "raised KeyError: 'list' for a list of texts" in str(failure.value)
    assert "and ValueError: model.bin missing for one text" in str(failure.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("['good' for _ in texts]", "answered str 'good'; expected a number"),
        ("'good'", "answered str 'good'; expected a number"),
        ("[0.5, 0.5, 0.5, 0.5]", "gave 4 answers to 3 texts"),
        ("{'a': 1}", "answered dict"),
        ("[float('nan') for _ in texts]", "answered nan; expected a finite number"),
    ],
)
def test_answers_that_are_no_numbers_are_refused_with_the_text(body, said, write):
    system = open_system(f"{write(f'def score(texts): return {body}')}:score")
    with pytest.raises(SystemFailure) as failure:
        ask(system, TEXTS)
    assert said in str(failure.value)
    assert "'good'" in str(failure.value)


# ---------------------------------------------------------------- from Python


def tenths(text):
    return len(text) / 10


def test_a_function_in_hand_stays_in_this_process():
    system = from_callable(tenths)
    assert ask(system, TEXTS) == TENTHS
    assert system.card.name.endswith("test_python:tenths")
    assert system.reopen is None
    assert system.pace.parallel == "none"
    assert from_callable(tenths, "mine").card.name == "mine"


def test_functions_with_other_values_inside_have_other_fingerprints():
    def scaled(by):
        return lambda text: len(text) * by

    def fingerprint(by):
        return from_callable(scaled(by), "scaled").card.fingerprint

    assert fingerprint(2) == fingerprint(2)
    assert fingerprint(2) != fingerprint(3)
    # What cannot be written down never finds an old score.
    assert fingerprint(np.float32(2)) != fingerprint(np.float32(2))


def test_a_file_is_looked_for_where_the_command_runs_and_offered_further_up(
    write, tmp_path, monkeypatch
):
    write("def score(text):\n    return 0.5")
    (tmp_path / "deeper" / "down").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deeper" / "down")
    with pytest.raises(SystemFailure) as failure:
        open_system("./mine.py:score")
    said = str(failure.value)
    assert "no file mine.py; did you mean '../../mine.py:score'?" in said
    assert f"(the command runs in {tmp_path}/deeper/down)" in said
    system = resolve_form(open_system("../../mine.py:score"))
    assert ask(system, ["good"]) == [0.5]


def test_a_module_called_model_is_the_users_own(write):
    write("def score(text):\n    return 0.5", "model.py")
    for spec in ("./model.py:score", "model.py:score", "model:score"):
        system = resolve_form(open_system(spec))
        assert (system.card.name, ask(system, ["good"])) == (spec, [0.5])
