"""A small audit's output folder, packed, and packs of it that somebody has been at."""

import hashlib
import json
import zipfile

import polars as pl

from tiltmeter import audit, load_corpus
from tiltmeter.report.page import Page, Section
from tiltmeter.studies.audit import page as page_module
from tiltmeter.studies.audit.verify import pack

PEOPLE = [
    ("Ann", "female", "north"), ("Bea", "female", "south"), ("Eva", "female", "north"),
    ("Fay", "female", "south"), ("Cid", "male", "north"), ("Dan", "male", "south"),
    ("Gus", "male", "north"), ("Hal", "male", "south"),
]  # fmt: skip
TEXTS = {"t1": "{p} feels {w}.", "t2": "I saw {p} {w} today."}
WORDS = [("joy", "glad"), (None, None)]
AXES = {"gender": ("female", "male"), "region": ("north", "south")}


def small_corpus(folder, name="small"):
    """32 sentences about eight people, with two axes, as a user's own table."""
    rows = [
        {
            "text": text.format(p=person, w=word or "here"), "template": template,
            "person": person, "gender": gender, "region": region, "emotion": emotion,
            "emotion_word": word, "frame": f"{template}/{emotion}/{word}", "match": "names",
        }
        for template, text in TEXTS.items()
        for emotion, word in WORDS
        for person, gender, region in PEOPLE
    ]  # fmt: skip
    path = folder / f"{name}.csv"
    pl.DataFrame(rows).with_row_index("id").cast({"id": pl.String}).write_csv(path)
    return load_corpus(path, axes=AXES, language="en")


def uneven(texts):
    """Scores from 0 to 1 that lean with the letters of a name."""
    return [0.4 + 0.03 * text.count("a") + len(text) % 7 / 40 for text in texts]


def write_folder(found, folder, monkeypatch):
    """Write a report without its page, which takes a second."""
    with monkeypatch.context() as patched:
        blank = Page("report.html", "A page.", Section("answer", ""))
        patched.setattr(page_module, "audit_page", lambda *_, **__: blank)
        found.report(folder)
    return folder


def small_folder(where, monkeypatch, systems=None, **options):
    """The output folder of an audit of two systems."""
    found = audit(
        systems or {"mine": uneven, "vader": "vader"}, small_corpus(where), store=where / "store",
        **options,
    )  # fmt: skip
    return write_folder(found, where / "out", monkeypatch)


def small_pack(where, monkeypatch, **options):
    """The same, packed."""
    return pack(small_folder(where, monkeypatch, **options), where / "audit.zip")


def members(path):
    """Every file of a pack by its name."""
    with zipfile.ZipFile(path) as archive:
        return {one.filename: archive.read(one) for one in archive.infolist()}


def zipped(files, to):
    """A zip of some files, as anybody might write one."""
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return to


def resealed(files, to, *, relist=True):
    """A pack whose manifest, and with `relist` run.json, were made to fit what was changed."""
    files = {name: data for name, data in files.items() if name != "manifest.json"}
    if relist:
        files["run.json"] = _relisted(files)
    entries = [
        {"file": name, "bytes": len(data), "sha256": _sha(data)}
        for name, data in sorted(files.items())
    ]
    lines = "".join(f"{one['sha256']} {one['bytes']} {one['file']}\n" for one in entries)
    told = {
        "schema_version": 1, "tool": "tiltmeter", "fingerprint": _sha(lines.encode()),
        "files": entries,
    }  # fmt: skip
    return zipped({"manifest.json": json.dumps(told).encode(), **files}, to)


def _relisted(files):
    run = json.loads(files["run.json"])
    run["files"] = [
        {"file": name, "sha256": _sha(data)} for name, data in sorted(files.items())
        if name != "run.json"
    ]  # fmt: skip
    return json.dumps(run, indent=1).encode()


def _sha(data):
    return hashlib.sha256(data).hexdigest()
