"""A lexicon by name or from a user's files; without a word, the best that is here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tiltmeter.corpora.words.hu_liu import FILES, how_to_get, hu_liu_lexicon
from tiltmeter.corpora.words.lexicon_files import is_file_spec, lexicon_of_files
from tiltmeter.corpora.words.packaged_lexicons import PACKAGED, packaged_lexicon
from tiltmeter.corpora.words.records import Lexicon
from tiltmeter.errors import TiltmeterError, UnknownNameError

HU_LIU, FALL_BACK = "hu-liu", "vader"
LEXICONS = (HU_LIU, *PACKAGED)


def load_lexicon(specs: Sequence[str | Path] = ()) -> Lexicon:
    """A lexicon: one of LEXICONS, or a user's own file, two files or folder.

    Nothing asked for: Hu & Liu's lists where they can be found, else VADER's lexicon; `notes` says
    which, and why.

    >>> load_lexicon(["vader"]).title
    "VADER's lexicon"
    """
    asked = [specs] if isinstance(specs, str | Path) else list(specs)
    if not asked:
        return _default()
    if len(asked) == 1 and str(asked[0]) == HU_LIU:
        return hu_liu_lexicon() or _not_found()
    if len(asked) == 1 and str(asked[0]) in PACKAGED:
        return packaged_lexicon(str(asked[0]))
    for spec in asked:
        _check(str(spec), len(asked))
    return lexicon_of_files([Path(spec) for spec in asked])


def _default() -> Lexicon:
    note = "Hu & Liu's lists were not found, so the words are those of VADER's lexicon; to use "
    note += f"theirs, {how_to_get(here=False)}"
    return hu_liu_lexicon() or packaged_lexicon(FALL_BACK, (note,))


def _not_found() -> Lexicon:
    what = f"found no copy of Hu & Liu's lists ({' and '.join(FILES)}), which are not ours to ship"
    raise TiltmeterError(
        f"{what}; {how_to_get(here=True)}; or use --lexicon {FALL_BACK}, which is installed"
    )


def _check(spec: str, asked: int) -> None:
    """Raise where a spec is no file, or a name among several specs."""
    if spec in LEXICONS:
        raise TiltmeterError(f"{asked} lexicons are named, {spec!r} among them; expected one name")
    if not is_file_spec(spec):
        hint = " (or a folder, two files positive and negative, a TOML file or a table)"
        raise UnknownNameError("lexicon", spec, LEXICONS, hint)
