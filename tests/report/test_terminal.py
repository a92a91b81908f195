"""What reaches the terminal: nothing that moves the cursor or turns a line around."""

import pytest

from tiltmeter.cli.console import say
from tiltmeter.cli.progress import Lines, stages
from tiltmeter.report.terminal import escape_hidden, visible_text

HIDDEN = (
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028\u2029",
    *"\x00\x07\x08\x1b\r\x7f\x85\x9b\u200b\ufeff",
)
SHOWN = ["شعرت سارة بالغضب، ١٢٣.", "می\u200cخواهم", "👩\u200d🚀", "\u06dd", "é漢字", "two\nlines"]


@pytest.mark.parametrize("letter", HIDDEN)
def test_hidden_letters_are_escaped(letter):
    assert escape_hidden(f"a{letter}b") == visible_text(f"a{letter}b") == f"a\\u{ord(letter):04x}b"


@pytest.mark.parametrize("text", SHOWN)
def test_scripts_that_need_their_letters_keep_them(text):
    assert escape_hidden(text) == visible_text(text) == text


def test_what_is_said_and_how_far_it_is_hold_none(capsys, monkeypatch):
    monkeypatch.setattr("tiltmeter.cli.progress.EVERY", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    name = "a\u202eb\x1b[31mc"
    say(name)
    lines = Lines()
    lines.begin(name, 10, 0)
    lines.advance(5, 0)
    with stages(quiet=False) as stage:
        stage(name)
    captured = capsys.readouterr()
    assert "\u202e" not in captured.out + captured.err
    assert "\x1b[31m" not in captured.out + captured.err
    assert captured.out == "a\\u202eb\\u001b[31mc\n"
    assert captured.err.count("a\\u202eb\\u001b[31mc") == 2
