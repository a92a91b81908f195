import os
import subprocess
import sys

import pytest

from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.registry import Registry

GROUP = "tiltmeter.tests"


@pytest.fixture
def registry():
    return Registry("thing", GROUP)


def install(folder, module: str, *entry_points: str, group: str = GROUP) -> None:
    """Lay out a package as pip would leave it: a module and its .dist-info."""
    (folder / "plugged.py").write_text(module)
    info = folder / "plugged-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *entry_points, ""]))


@pytest.fixture
def plug_in(tmp_path, monkeypatch):
    """Install a package beside Tiltmeter for the length of a test."""

    def installed(module: str, *entry_points: str) -> None:
        install(tmp_path, module, *entry_points)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "plugged", raising=False)

    yield installed
    sys.modules.pop("plugged", None)


# ---------------------------------------------------------------- names and targets


def test_a_registered_callable_comes_back_by_its_name(registry):
    registry.register("list", list)
    assert registry.get("list") is list
    assert "list" in registry


def test_names_are_listed_in_the_order_they_were_registered(registry):
    for name in ("zebra", "ant", "mule"):
        registry.register(name, list)
    assert list(registry) == ["zebra", "ant", "mule"]


def test_a_name_can_be_taken_only_once(registry):
    registry.register("list", list)
    with pytest.raises(TiltmeterError, match="a thing called 'list' is registered already"):
        registry.register("list", tuple)
    assert registry.get("list") is list


def test_a_text_target_is_imported_only_when_it_is_used(registry, tmp_path, monkeypatch):
    (tmp_path / "lazily_loaded.py").write_text("def build():\n    return 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry.register("lazy", "lazily_loaded:build")
    assert list(registry) == ["lazy"]
    assert "lazily_loaded" not in sys.modules
    assert registry.get("lazy")() == 42
    monkeypatch.delitem(sys.modules, "lazily_loaded")


def test_an_unknown_name_gets_the_near_ones_and_the_hint(registry):
    registry.register("vader", list)
    with pytest.raises(UnknownNameError) as caught:
        registry.get("vadr", hint=" Or give a path.")
    assert str(caught.value) == (
        "there is no thing called 'vadr': did you mean 'vader'? Or give a path."
    )
    assert "vadr" not in registry


# ---------------------------------------------------------------- plug-ins


def test_an_installed_plug_in_is_found_by_its_name_after_the_built_in_ones(registry, plug_in):
    plug_in("def build():\n    return 7\n", "zeta = plugged:build", "alpha = plugged:build")
    registry.register("own", list)
    assert list(registry) == ["own", "alpha", "zeta"]
    assert "zeta" in registry
    assert registry.get("zeta")() == 7


def test_a_plug_in_is_not_imported_by_being_listed(registry, plug_in):
    plug_in("raise RuntimeError\n", "loud = plugged:build")
    assert list(registry) == ["loud"]
    assert "plugged" not in sys.modules


def test_a_plug_in_cannot_take_the_name_of_a_built_in(registry, plug_in):
    plug_in("def build():\n    return 7\n", "own = plugged:build")
    registry.register("own", list)
    assert registry.get("own") is list
    assert list(registry) == ["own"]


def test_a_misspelt_plug_in_is_offered(registry, plug_in):
    plug_in("def build():\n    return 7\n", "zeta = plugged:build")
    with pytest.raises(UnknownNameError, match="did you mean 'zeta'"):
        registry.get("zetta")


def test_a_plug_in_of_another_group_is_not_ours(registry, tmp_path, monkeypatch):
    install(tmp_path, "build = list\n", "zeta = plugged:build", group="someone.else")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(registry) == []


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("raise RuntimeError('out of cheese')\n", "RuntimeError('out of cheese')"),
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("def broken(:\n", "SyntaxError"),
        ("other = 1\n", "has no attribute 'build'"),
    ],
    ids=["raises", "lacks a module", "is not Python", "lacks the attribute"],
)
def test_a_broken_plug_in_is_named_with_its_fault_and_what_to_do(registry, plug_in, module, reason):
    plug_in(module, "zeta = plugged:build")
    with pytest.raises(TiltmeterError) as caught:
        registry.get("zeta")
    message = str(caught.value)
    assert message.startswith("the thing 'zeta' comes from the plug-in 'plugged:build'")
    assert reason in message
    assert message.endswith("repair or uninstall that package")
    assert caught.value.__cause__ is not None


def test_a_plug_in_that_cannot_be_called_is_refused(registry, plug_in):
    plug_in("build = 5\n", "zeta = plugged:build")
    with pytest.raises(TiltmeterError, match=r"must be callable .* 'zeta'; found int"):
        registry.get("zeta")


def test_a_corpus_of_another_package_is_loaded_by_its_name(tmp_path):
    """In a fresh process, where Tiltmeter's own registry has not looked yet."""
    install(
        tmp_path,
        "from pathlib import Path\ndef corpus():\n    return Path(__file__).with_name('c.toml')\n",
        "shorter-eec = plugged:corpus",
        group="tiltmeter.corpora",
    )
    (tmp_path / "c.toml").write_text('[corpus]\nname = "s"\nextends = "eec"\nomit = ["1"]\n')
    code = "from tiltmeter.corpora import *; print(load_corpus('shorter-eec').size, corpus_names())"
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=True,
    )
    # 8,640 sentences less the 1,200 of template 1.
    assert done.stdout.startswith("7440 ['eec', ")
    assert done.stdout.endswith("'shorter-eec']\n")
