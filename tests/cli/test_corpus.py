"""The corpus commands as a user types them."""

import hashlib
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from command_line import in_own_process

EEC = "24b0f7d783e50ce68636208b0cd293952b1a6112ee1a81da0657bac10a3f37fe"


def test_export_prints_8641_lines_and_the_right_sentences(tiltmeter, tmp_path):
    done = tiltmeter("corpus", "export", "eec")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 8641
    (tmp_path / "eec.csv").write_text(done.stdout, encoding="utf-8")
    texts = pl.read_csv(tmp_path / "eec.csv", infer_schema=False)["text"].sort()
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest() == EEC


def test_export_has_the_promised_columns(tiltmeter):
    header = tiltmeter("corpus", "export", "eec").stdout.splitlines()[0].split(",")
    promised = "id,text,language,template,person,gender,race,emotion,emotion_word,frame,match"
    assert [column for column in header if column in promised.split(",")] == promised.split(",")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_export_writes_the_format_asked_for(tiltmeter, tmp_path, ending):
    done = tiltmeter("corpus", "export", "eec-ar", "-o", f"out.{ending}")
    assert done.returncode == 0
    assert done.stdout == ""
    assert f"8,040 sentences written to out.{ending}" in done.stderr
    assert (tmp_path / f"out.{ending}").stat().st_size > 10_000


def test_quiet_export_says_nothing(tiltmeter):
    done = tiltmeter("corpus", "export", "eec", "-o", "out.csv", "-q")
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("command", ["export eec", "check eec-ar --edition published --all"])
def test_a_reader_that_stops_early_is_no_error(tmp_path, command):
    line = f"{sys.executable} -m tiltmeter corpus {command} | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full to write to")
@pytest.mark.parametrize("command", ["list", "export eec", "show eec-ar"])
def test_an_output_that_is_full_is_one_clear_message(tmp_path, command):
    line = f"{sys.executable} -m tiltmeter corpus {command} > /dev/full"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "error: the output cannot be written: No space left on device\n"


def test_letters_a_terminal_cannot_show_are_escaped(tmp_path):
    done = in_own_process(
        "corpus", "show", "eec-ar", folder=tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    assert done.returncode == 0
    assert "\\u0647\\u064a" in done.stdout


def test_control_and_invisible_letters_never_reach_the_terminal(tiltmeter, tmp_path):
    (tmp_path / "t.csv").write_text(
        "text,template,person,gender\n\x1b[31mAda\u202e sings.,1,Ada,f\nBob sings.,1,Bob,m\n"
    )
    done = tiltmeter("corpus", "show", "t.csv")
    assert "\\u001b[31mAda\\u202e sings." in done.stdout
    assert "\x1b" not in done.stdout


def test_an_export_never_replaces_its_own_corpus(tiltmeter, tmp_path):
    text = "text,template,person,gender,mine\nAda.,1,Ada,f,7\nBob.,1,Bob,m,8\n"
    (tmp_path / "own.csv").write_text(text)
    done = tiltmeter("corpus", "export", "own.csv", "-o", "own.csv")
    assert done.returncode == 2
    assert "own file" in done.stderr
    assert (tmp_path / "own.csv").read_text() == text


def test_a_link_stays_a_link_when_it_is_written_through(tiltmeter, tmp_path):
    (tmp_path / "kept.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("kept.csv")
    tiltmeter("corpus", "export", "eec", "-o", "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "kept.csv").read_text().startswith("id,text,")


def test_show_tells_what_is_compared(tiltmeter):
    shown = tiltmeter("corpus", "show", "eec").stdout
    for expected in (EEC, "female − male", "1,584", "herself / himself", "Ebony feels angry."):
        assert expected in shown


@pytest.mark.parametrize("columns", [40, 80])
def test_show_fits_the_terminal(tiltmeter, columns):
    for name in ("eec", "eec-es", "eec-ar"):
        lines = tiltmeter("corpus", "show", name, COLUMNS=str(columns)).stdout.splitlines()
        assert max(len(line.rstrip()) for line in lines) <= columns


def test_check_passes_on_a_published_edition_and_lists_its_pairs(tiltmeter, tmp_path):
    done = tiltmeter("corpus", "check", "eec-ar", "--edition", "published", "-o", "pairs.csv")
    assert done.returncode == 0
    assert "803 pairs differ by more than the person" in done.stdout
    assert pl.read_csv(tmp_path / "pairs.csv").height == 803


def test_check_prints_every_pair_when_asked(tiltmeter):
    few = tiltmeter("corpus", "check", "eec-es", "--edition", "published").stdout
    every = tiltmeter("corpus", "check", "eec-es", "--edition", "published", "--all").stdout
    assert few.count("4/") == 3
    assert every.count("4/") == 187


def test_new_then_check_then_export_works(tiltmeter):
    assert tiltmeter("corpus", "new", "mine.toml").returncode == 0
    assert tiltmeter("corpus", "check", "mine.toml").returncode == 0
    assert len(tiltmeter("corpus", "export", "mine.toml").stdout.splitlines()) == 133
    again = tiltmeter("corpus", "new", "mine.toml")
    assert again.returncode == 2
    assert "is there already" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("show", "ecc"), "there is no corpus called 'ecc': did you mean 'eec'?"),
        (("show", "nowhere.toml"), "nowhere.toml: No such file or directory"),
        (("show", "nowhere.csv"), "nowhere.csv"),
        (("show", "./folder/x"), "x: No such file or directory"),
        (("show", "eec", "--edition", "publishd"), "did you mean 'published'?"),
        (("export", "eec", "-o", "out.xlsx"), "'.xlsx'"),
        (("show", "eec", "--column", "text"), "OURS=THEIRS"),
        (("show", "x.csv", "--column", "text=a", "--column", "text=b"), "given twice"),
        (("check", "eec", "-o", "pairs.xls"), "'.xls'"),
        (("show", "eec", "--axis", "gender"), "--axis: only for a table"),
        (("show", "eec", "--words", "e3"), "--words: only for the datasets of a rating group"),
        (("show", "eec", "--seed", "1"), "--seed: only for the datasets of a rating group"),
        (("export", "rating-1-e3", "--k", "2"), "--k: only where words are drawn"),
        (("export", "rating-2-e3", "--k", "9"), "there is no case k = 9 here; expected one of 0"),
        (("export", "rating-2-e3", "--words", "e4"), "says already which words it has"),
        (("check", "rating-2-e3", "--strength", "0.2"), "the strength is 0.2; expected a number"),
        (("check", "rating-2-e3", "--strength", "nan"), "the strength is nan; expected a number"),
        (("show", "rating-2-e3", "--shares", "none.csv"), "none.csv: No such file"),
        (("show", "rating-2-e3", "--seed", "x"), "Invalid value for '--seed'"),
        (("show", "rating-2-e9"), "there is no corpus called 'rating-2-e9': did you mean"),
        (("new", "mine.txt"), "ends in .toml"),
        (("frobnicate",), "No such command"),
        (("show",), "Missing argument"),
    ],
)
def test_bad_input_is_one_clear_message_and_exit_2(tiltmeter, arguments, expected):
    done = tiltmeter("corpus", *arguments)
    assert done.returncode == 2
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_list_has_a_row_for_each_rating_group_and_fits_80_columns(tiltmeter):
    lines = tiltmeter("corpus", "list").stdout.splitlines()
    assert len(lines) == 2 + 5 + 2 + 4
    assert max(map(len, lines)) <= 80
    assert lines[-6].split()[:4] == ["names-us", "en", "25,886", "drawn"]
    assert lines[-3].split() == [
        "rating-2-e3", "…", "e5", "en", "210", "gender", "corrected,", "published",
    ]  # fmt: skip


def test_a_drawn_dataset_is_exported_as_the_options_say(tiltmeter, tmp_path):
    (tmp_path / "s.csv").write_text("gender,positive\nfemale,1\nmale,0\n")
    base = ("corpus", "export", "rating-2-e3", "--edition", "published")
    first, again, other = (tiltmeter(*base, "--seed", s).stdout for s in ("7", "7", "8"))
    assert first == again != other
    assert len(first.splitlines()) == 25
    tiltmeter(*base, "--k", "2", "--strength", "1", "-o", "k.csv", "-q")
    tiltmeter(*base, "--shares", "s.csv", "-o", "s.parquet", "-q")
    for found in (pl.read_csv(tmp_path / "k.csv"), pl.read_parquet(tmp_path / "s.parquet")):
        women, men = (found.filter(gender=gender) for gender in ("female", "male"))
        assert set(women["emotion_word"]) == {"happy"}
        assert set(men["emotion_word"]) == {"grim"}


def test_show_and_check_say_how_a_dataset_was_drawn(tiltmeter):
    for command in ("show", "check"):
        said = tiltmeter("corpus", command, "rating-2-e3", "--seed", "7", COLUMNS="120").stdout
        assert "one word for each person in each template, drawn with seed 7" in said
        assert "positive words (k = 1): male 0.9; female 0.1; all others 0.5" in said
    shown = tiltmeter("corpus", "show", "rating-2-e3", COLUMNS="120").stdout
    assert "gender → emotion word" in shown
    # 30 people, a word each.
    assert "1   {person} {feel} {word}." in shown
    assert "          30   feels / feel" in shown


def test_a_set_of_a_users_own_rating_file_is_named(tiltmeter, tmp_path):
    (tmp_path / "own.toml").write_text('[corpus]\nname = "own"\nextends = "rating-1"\n')
    assert len(tiltmeter("corpus", "export", "own.toml").stdout.splitlines()) == 841
    one = tiltmeter("corpus", "export", "own.toml", "--words", "e1").stdout.splitlines()
    assert len(one) == 211
    assert ",own-e1," in one[1]


def test_markup_in_names_is_shown_as_text(tiltmeter, tmp_path):
    tiltmeter("corpus", "new", "mine.toml")
    path = tmp_path / "mine.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"Aoife"', '"[bold red]<b>:smile:[/]"'), encoding="utf-8")
    shown = tiltmeter("corpus", "show", "mine.toml", COLUMNS="120").stdout
    assert "[bold red]<b>:smile:[/]" in shown


def test_an_interrupt_is_exit_130_and_leaves_no_file(tmp_path):
    names = ", ".join(f'"N{number}"' for number in range(2000))
    body = "\n".join(
        f'[[people]]\nlist = "{group}"\ngender = "{group}"\nmatch = "names"\nmembers = [{members}]'
        for group, members in (("female", names), ("male", names.replace("N", "M")))
    )
    words = ", ".join(f'"w{number}"' for number in range(2000))
    (tmp_path / "large.toml").write_text(
        '[corpus]\nname = "large"\nlanguage = "en"\n[axes]\ngender = ["female", "male"]\n'
        f'{body}\n[[words]]\nlist = "state"\njoy = [{words}]\n'
        '[[templates]]\nid = "1"\ntext = "{person} feels {state}."\n'
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "tiltmeter", "corpus", "export", "large.toml", "-o", "out.csv"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not list(tmp_path.glob(".out.csv.*")):
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=600)
    assert running.returncode == 130
    assert stderr.strip() == "interrupted"
    assert [path.name for path in tmp_path.iterdir()] == ["large.toml"]
