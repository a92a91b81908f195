"""Names, groups of people and numbers as they stand in a sentence; names for files."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from tiltmeter.audit_run import UnavailableSystem
from tiltmeter.report.numbers import fixed, short

# ---- names, groups of people and numbers as they stand in a sentence of a rating


LONGEST = 60
"""Characters of a name in a sentence."""
PEOPLE = {
    "female": "about women",
    "male": "about men",
    "European American": "with European American names",
    "African American": "with African American names",
}
"""How classes are spoken of that we know; others are quoted."""
COMPOSITES = {"female": "women’s", "male": "men’s"}


def shortened(name: str, most: int = LONGEST) -> str:
    """A name that fits, cut with an ellipsis.

    >>> shortened("vader"), shortened("a" * 100, 5)
    ('vader', 'aaaa…')
    """
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def called(name: str, most: int = LONGEST) -> str:
    """A name within a sentence: short, and kept from turning the line around."""
    turning = any(unicodedata.bidirectional(char) in ("R", "AL", "RLE", "RLO") for char in name)
    return f"\u2068{shortened(name, most)}\u2069" if turning else shortened(name, most)


def listed(names: Sequence[str], notes: Sequence[str] = (), most: int = 3) -> str:
    """A few names, each with its note, and how many more.

    >>> listed(["a"]), listed(["a", "b"], ["1 to 2", ""]), listed(["a", "b", "c", "d", "e"])
    ('a', 'a (1 to 2) and b', 'a, b, c and 2 more')
    """
    noted = [*notes, *("" for _ in names[len(notes) :])]
    shown = [
        f"{called(name, 40)}{f' ({note})' if note else ''}"
        for name, note in zip(names[:most], noted, strict=False)
    ]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def attributes(attribute: str) -> list[str]:
    """The attributes of a column; a composite has several.

    >>> attributes("gender"), attributes("race × gender"), attributes("race:gender")
    (['gender'], ['race', 'gender'], ['race', 'gender'])
    """
    return [part for part in re.split(r"\s*(?:[×:+,&]| and )\s*", attribute) if part]


def spoken(attribute: str) -> str:
    """An attribute in a sentence.

    >>> spoken("race × gender"), spoken("age, race, gender")
    ('race and gender', 'age, race and gender')
    """
    parts = attributes(attribute)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def about(
    name: str | None, attribute: str = "", own: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """What follows "sentences" for a class; `own` are the corpus' phrases by attribute and class.

    >>> about("female"), about("African American female")
    ('about women', 'with African American women’s names')
    >>> about("NA", "gender"), about("old")
    ('without a stated gender', 'marked “old”')
    >>> own = {"age": {"old": "about old people"}, "race": {"Latino": "with Latino names"}}
    >>> about("old", "age", own), about("old female", "age × gender", own)
    ('about old people', 'about old people and about women')
    >>> about("Latino female", "race × gender", own)
    'with Latino women’s names'
    """
    if own and name is not None and (said := _as_said(name, attributes(attribute), own)):
        return said
    if name is None or name == "NA":
        parts = attributes(attribute)
        return f"without a stated {' or '.join(parts)}" if parts else "about nobody in particular"
    if name in PEOPLE:
        return PEOPLE[name]
    start, _, last = name.rpartition(" ")
    if last in COMPOSITES and PEOPLE.get(start, "").startswith("with"):
        return f"with {start} {COMPOSITES[last]} names"
    return f"marked “{called(name)}”"


def _as_said(name: str, axes: Sequence[str], own: Mapping[str, Mapping[str, str]]) -> str:
    """A class as the corpus' phrases say it; nothing where they do not say all of it."""
    if len(axes) == 1:
        return own.get(axes[0], {}).get(name, "")
    first, others = axes[0], axes[1:]
    for group, phrase in own.get(first, {}).items():
        rest = name.removeprefix(f"{group} ")
        if rest == name:
            continue
        if rest in COMPOSITES and phrase.endswith(" names"):
            return f"{phrase.removesuffix(' names')} {COMPOSITES[rest]} names"
        said = _as_said(rest, others, own) or PEOPLE.get(rest, "")
        return f"{phrase} and {said}" if said else ""
    return ""


def percent(share: float) -> str:
    """A share as people read it; neither 0 nor 100 unless it is.

    >>> percent(0.84), percent(0.001), percent(0.999), percent(1.0)
    ('84 %', 'less than 1 %', 'more than 99 %', '100 %')
    """
    shown = f"{100 * share:.0f} %"
    if shown == "0 %" and share > 0:
        return "less than 1 %"
    return "more than 99 %" if shown == "100 %" and share < 1 else shown


def moved(die: float | None) -> str:
    """How far a mean moved, in per cent: whole numbers from 10 on.

    >>> moved(128.5), moved(5.26), moved(0.0), moved(None)
    ('128 %', '5.3 %', '0 %', 'X')
    """
    return "X" if die is None else f"{fixed(die, 0) if die >= 10 or die == 0 else short(die)} %"


def weight(psi: float) -> str:
    """A sum of weights with as many decimals as it needs, at most two.

    >>> weight(23.999999999999996), weight(1.9), weight(0.955)
    ('24', '1.9', '0.95')
    """
    psi = round(psi, 6)
    return next(
        text for n in (0, 1, 2) if (text := fixed(psi, n)) and (n == 2 or round(psi, n) == psi)
    )


def kept(text: str) -> str:
    r"""With numbers, their per cent signs and p-values on one line.

    >>> kept("43 % of 70 or 60 %"), kept("(ψ 24; p = 0.3)")
    ('43\xa0% of 70 or 60\xa0%', '(ψ\xa024; p\xa0=\xa00.3)')
    """
    text = re.sub(r"(\d) %", "\\1\u00a0%", text)
    return re.sub(r"\b(p|ψ)( [=<])? (?=\d)", _joined, text)


def _joined(found: re.Match[str]) -> str:
    return found[0].replace(" ", "\u00a0")


def whole_sentence(text: str) -> str:
    """With a capital and a full stop.

    >>> whole_sentence("no adjustment is needed")
    'No adjustment is needed.'
    """
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '…')) else '.'}"


# ---- names made safe for files: plain letters, short, no two the same


DEVICES = (
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
)
"""Names that Windows keeps for itself."""
RESERVED = {*DEVICES, "index"}


def slug(name: str) -> str:
    """A name in lower-case letters, digits and hyphens.

    >>> slug("African American"), slug("../../etc/passwd"), slug("<script>"), slug("محبط")
    ('african-american', 'etc-passwd', 'script', 'x')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    short = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].strip("-")
    return short if short and short not in RESERVED else f"{short}x"


def unique_slugs(names: Iterable[str]) -> dict[str, str]:
    """A slug for each name; those that would share one also carry a digest of the name.

    >>> unique_slugs(["A b", "c", "a-b"])
    {'A b': 'a-b-a760b0e1', 'c': 'c', 'a-b': 'a-b-d44362d6'}
    """
    plain = {name: slug(name) for name in names}
    shared = Counter(plain.values())
    told = [one if shared[one] == 1 else f"{one}-{_digest(name)}" for name, one in plain.items()]
    return dict(zip(plain, numbered(told), strict=True))


def numbered(names: Sequence[str]) -> list[str]:
    """The names, with a number after each that has stood before.

    >>> numbered(["a", "b", "a", "a-2"])
    ['a', 'b', 'a-2', 'a-2-2']
    """
    seen: dict[str, None] = {}
    for name in names:
        tried = (name if n == 1 else f"{name}-{n}" for n in count(1))
        seen[next(one for one in tried if one not in seen)] = None
    return list(seen)


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


# ---- subsets and tasks in words


def subset_words(subset: str) -> str:
    """A subset in words.

    >>> subset_words("all"), subset_words("own-emotion")
    ('all sentences', 'sentences with words of the task’s own emotion')
    """
    words = on_subset(subset, "the task’s own emotion")
    return words.removeprefix("on ").removesuffix(", ") or "all sentences"


def task_title(task: str) -> str:
    """A task as the paper heads its block.

    >>> task_title("anger"), task_title("valence"), task_title("toxicity")
    ('Anger intensity prediction', 'Valence prediction', 'toxicity')
    """
    if task in ("anger", "fear", "joy", "sadness"):
        return f"{task.capitalize()} intensity prediction"
    return "Valence prediction" if task == "valence" else task


def unavailable_said(failed: Iterable[UnavailableSystem], rated: bool = False) -> list[str]:
    """The systems of a run that could not be scored, a sentence each; first of all that is said.

    >>> unavailable_said([UnavailableSystem("a", "died", ("eec",))])
    ['a died. It is left out of eec.']
    """
    relative = " Ratings are relative to who is rated: with it the others may be rated otherwise."
    said = []
    for one in failed:
        of = f"left out of {', '.join(one.corpora)}" if one.corpora else "in no result here"
        said.append(f"{one.system} {one.why}. It is {of}.{relative if rated else ''}")
    return said


def on_subset(subset: str, task: str) -> str:
    """What a sentence about a subset begins with; nothing for all sentences.

    >>> on_subset("neutral", "valence"), on_subset("emotion:anger", "joy"), on_subset("all", "joy")
    ('on sentences without an emotion word, ', 'on sentences with words of anger, ', '')
    """
    kind, _, name = subset.partition(":")
    said = {
        "all": "",
        "neutral": "on sentences without an emotion word, ",
        "emotion": f"on sentences with {f'words of {name}' if name else 'an emotion word'}, ",
        "own-emotion": f"on sentences with words of {task}, ",
        "template": f"on sentences of template {name}, ",
    }
    return said.get(kind, f"on the subset {subset}, ")
