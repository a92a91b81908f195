"""Which of these tests share a worker of pytest-xdist: a module's, and all that start Ray."""

import pytest

RAY = ("test_ray", "test_heavy_extras")
"""One cluster at a time on a machine."""


def pytest_itemcollected(item):
    """Keep a module together, so that its models are made once (`--dist loadgroup`)."""
    group = "ray" if item.path.stem in RAY else item.path.stem
    item.add_marker(pytest.mark.xdist_group(group))
