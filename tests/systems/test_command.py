"""A program as a system: a real process, its lines, its deaths and its silences."""

import os
import stat
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.systems import Missing, ask, open_system

TEXTS = ["good", "bad day", "so so good"]
TENTHS = [0.4, 0.7, 1.0]
START = """
import json, os, sys, time
def say(**line): print(json.dumps(line))
for line in sys.stdin:
    asked = json.loads(line); id, text = asked["id"], asked["text"]
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program written from the body of its loop, opened as a system and closed in the end."""
    monkeypatch.chdir(tmp_path)
    opened = []

    def program(body, arguments="", start=START):
        code = f"#!{sys.executable}\n{start}{textwrap.indent(textwrap.dedent(body), '    ')}\n"
        path = tmp_path / "score"
        path.write_text(code, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        opened.append(open_system(f"cmd:./score {arguments}".strip()))
        return opened[-1]

    yield program
    for system in opened:
        system.close()


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(found):
    """Wait for something to be so."""
    end = time.monotonic() + 300
    while not found():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_a_program_answers_line_by_line(program):
    system = program("say(id=id, score=len(text) / 10)")
    assert ask(system, TEXTS) == TENTHS
    assert ask(system, TEXTS[1:]) == TENTHS[1:]
    assert system.card.name == "cmd:./score"
    assert system.pace.parallel == "processes"


def test_one_process_serves_every_batch_until_it_is_closed(program):
    system = program("say(id=id, score=os.getpid())")
    (first,), (second,) = ask(system, ["a"]), ask(system, ["b"])
    assert first == second
    assert alive(int(first))
    system.close()
    assert not alive(int(first))
    # asked again, it starts again
    assert ask(system, ["c"]) != [first]


def test_answers_may_come_in_any_order(program):
    system = program("""
        waiting = globals().setdefault("waiting", [])
        waiting.append((id, len(text) / 10))
        if len(waiting) == 3:
            while waiting:
                id, score = waiting.pop()
                say(id=id, score=score)
    """)
    assert ask(system, TEXTS) == TENTHS
    assert ask(system, TEXTS[::-1]) == TENTHS[::-1]


def test_bare_numbers_count_in_order(program):
    system = program("print(len(text) / 10)")
    assert ask(system, TEXTS) == TENTHS
    assert any("bare number" in note for note in system.card.notes)


def test_an_error_line_is_a_missing_score_with_its_reason(program):
    system = program("""
        if "bad" in text: say(id=id, error="not in English")
        else: say(id=id, score=1)
    """)
    assert ask(system, TEXTS) == [1.0, Missing("not in English"), 1.0]


def test_any_text_arrives_as_it_is(program):
    system = program("say(id=id, score=sum(map(ord, text)))")
    texts = ["señora", "هي تشعر", 'a "quoted"\nline\r\n', "\u2028\x00\t", "😀 \ud83d"]
    assert ask(system, texts) == [float(sum(map(ord, text))) for text in texts]


def test_ten_thousand_long_texts_pass_without_the_pipes_locking_up(program):
    # 10,000 × 3,000 characters in, an answer with 300 characters of ballast each out: both pipes
    # hold 64 kB, so whoever wrote everything before reading anything would wait for ever.
    system = program("say(id=id, score=len(text), ballast='x' * 300)")
    texts = [str(number) + "x" * 3_000 for number in range(10_000)]
    assert ask(system, texts) == [float(len(text)) for text in texts]


def test_a_program_that_writes_much_to_its_error_output_is_not_held_up(program):
    system = program("print('x' * 10_000, file=sys.stderr); say(id=id, score=1)")
    assert ask(system, ["a"] * 200) == [1.0] * 200


def test_threads_take_turns(program):
    system = program("say(id=id, score=len(text))")
    batches = [["x" * (start + at) for at in range(50)] for start in range(20)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda batch: ask(system, batch), batches))
    assert found == [[float(len(text)) for text in batch] for batch in batches]


def test_no_shell_reads_the_arguments(program, tmp_path):
    system = program("say(id=id, score=len(sys.argv[1:]))", "'a b' $HOME ; touch made")
    assert ask(system, ["x"]) == [5.0]  # "a b", $HOME, ;, touch, made
    assert not (tmp_path / "made").exists()


def test_a_program_on_the_path_is_found_by_name(tmp_path, monkeypatch, program):
    program("say(id=id, score=2)").close()
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    system = open_system("cmd:score")
    assert ask(system, ["x"]) == [2.0]
    system.close()


# ---------------------------------------------------------------- what goes wrong


def test_a_program_that_ends_early_is_started_once_more(program, tmp_path):
    system = program("""
        if text == "bad day" and not os.path.exists("died"):
            open("died", "w").close()
            sys.exit(3)
        say(id=id, score=len(text) / 10)
    """)
    assert ask(system, TEXTS) == TENTHS
    assert (tmp_path / "died").exists()


def test_a_program_that_keeps_ending_fails_with_its_code_and_last_words(program):
    system = program("""
        if text == "bad day":
            print("loading", "no model.bin here", sep="\\n", file=sys.stderr)
            sys.exit(3)
        say(id=id, score=1)
    """)
    with pytest.raises(SystemFailure) as failure:
        ask(system, TEXTS)
    said = str(failure.value)
    assert "was started twice and left 2 of 3 texts unanswered" in said
    assert "ended with exit code 3; it last wrote: loading | no model.bin here" in said
    assert "(first at the text 'bad day')" in said


def test_a_program_that_ended_between_batches_is_started_anew(program):
    system = program("say(id=id, score=os.getpid()); sys.stdout.flush(); sys.exit()")
    (first,) = ask(system, ["a"])
    until(lambda: _is_zombie(int(first)))
    (second,) = ask(system, ["b"])
    assert first != second


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("print('Loading the model...')", "wrote 'Loading the model...'; expected {\"id\""),
        ("print(json.dumps([id, 0.5]))", "wrote '[1, 0.5]'; expected"),
        ("say(id=id)", "wrote '{\"id\": 1}'; expected"),
        ("say(id=id + 7, score=1)", "with an id that no waiting text has"),
        ("say(id=1, score=1)", "with an id that no waiting text has"),  # the same one twice
        ("say(score=1)", "with an id that no waiting text has"),
        ("say(id=id, score=1) if id == 1 else print(1)", "after answers of the other kind"),
        ("say(id=id, score='high')", "answered str 'high'; expected a number"),
        ("print('NaN')", "answered nan; expected a finite number"),
    ],
)
def test_a_line_that_is_no_answer_is_shown(body, said, program):
    with pytest.raises(SystemFailure) as failure:
        ask(program(body), TEXTS)
    assert said in str(failure.value)
    assert "cmd:./score" in str(failure.value)


def test_a_line_nobody_asked_for_is_an_error(program):
    system = program("print(0.5); print(0.6)")
    assert ask(system, ["a"]) == [0.5]
    lines = system.answer.__self__._process.lines  # the second line has come
    until(lambda: not lines.empty())
    with pytest.raises(SystemFailure, match=r"wrote '0\.6' before it was asked"):
        ask(system, ["b"])


@pytest.mark.parametrize("texts", [["a"], ["x" * 1_000_000] * 3], ids=["waiting", "pipe full"])
def test_a_silent_program_is_stopped_with_all_it_started(texts, monkeypatch, program, tmp_path):
    start = "import os, sys, time, subprocess\n"
    start += (
        f"child = subprocess.Popen([{sys.executable!r}, '-c', 'import time; time.sleep(600)'])\n"
    )
    start += "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
    start += "sys.stdin.readline()\nprint(0.5)\nwhile True:\n"
    system = program("time.sleep(600)", start=start)
    assert ask(system, ["a"]) == [0.5]  # it runs; only now is its silence counted
    monkeypatch.setattr(system.answer.__self__, "patience", 0.5)
    with pytest.raises(SystemFailure, match=r"was silent for 0\.5 seconds and was stopped"):
        ask(system, texts)
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        until(lambda pid=pid: not alive(pid) or _is_zombie(pid))


def _is_zombie(pid):
    """An orphan that this machine's first process has not yet buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return False


def test_closing_leaves_no_process_and_no_thread(program):
    before = threading.active_count()
    system = program("say(id=id, score=os.getpid())")
    (pid,) = ask(system, ["a"])
    system.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(int(pid), os.WNOHANG)  # nothing left to bury
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no-such-program", "no program 'no-such-program' was found; give its path"),
        ("./plain", "it is not executable; chmod +x it, or name what runs it"),
        ("plain", "no program 'plain' was found; did you mean ./plain?"),
        ("score 'open", "cannot be cut into words: No closing quotation"),
        ("", "names no program"),
    ],
)
def test_a_program_that_cannot_be_run_is_told_on_opening(target, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("print(1)")
    with pytest.raises(SystemFailure) as failure:
        open_system(f"cmd:{target}")
    assert said in str(failure.value)


def test_a_program_without_a_loader_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd").write_text("#!/no/such/interpreter\n")
    (tmp_path / "odd").chmod(0o755)
    with pytest.raises(SystemFailure, match="cannot be run: "):
        ask(open_system("cmd:./odd"), ["a"])


def test_a_timeout_that_is_no_number_is_refused(monkeypatch, program):
    monkeypatch.setenv("TILTMETER_COMMAND_TIMEOUT", "soon")
    with pytest.raises(TiltmeterError, match="'soon'; expected a number of seconds"):
        program("say(id=id, score=1)")


# ---------------------------------------------------------------- the fingerprint


def test_the_fingerprint_follows_program_arguments_and_the_files_they_name(program, tmp_path):
    body = "say(id=id, score=1)"
    (tmp_path / "model").write_text("one")
    prints = [program(body).card.fingerprint, program(body + " ").card.fingerprint]
    prints += [program(body, "--fast").card.fingerprint]
    prints += [program(body, f"--model{sign}model").card.fingerprint for sign in (" ", "=")]
    (tmp_path / "model").write_text("two")
    prints += [program(body, f"--model{sign}model").card.fingerprint for sign in (" ", "=")]
    assert len(set(prints)) == len(prints) == 7
    assert program(body).card.fingerprint == prints[0]


def test_secrets_among_the_arguments_stay_off_the_card(program):
    cards = [program("say(id=id, score=1)", f"--api-key {key}").card for key in ("k1", "k2")]
    assert cards[0].name == "cmd:./score --api-key '…'"
    assert "k1" not in repr(cards[0])
    assert cards[0].fingerprint != cards[1].fingerprint
