"""What every test must keep: a busy machine is no fault."""

import ast
from pathlib import Path


def test_no_test_gives_up_on_a_busy_machine():
    """A wait ends after a minute at the earliest, except for a server that never answers at all."""
    never = {"systems/test_http.py", "faults/test_while_running_servers.py"}
    tests = Path(__file__).parents[1]
    found = {
        path.relative_to(tests).as_posix()
        for path in tests.rglob("*.py")
        if "timeout" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        for given in (*(one.value for one in node.keywords if one.arg == "timeout"), *_waits(node))
        if isinstance(given, ast.Constant) and given.value is not None and given.value < 60
    }
    assert found <= never


def _waits(call):
    """What a browser is told to wait, in seconds."""
    if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_timeout"):
        given = [one.value for one in call.args if isinstance(one, ast.Constant)]
        yield from (ast.Constant(one / 1000) for one in given if isinstance(one, int | float))
