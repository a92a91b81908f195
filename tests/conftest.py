"""Settings for all tests."""

import os

from hypothesis import settings

# On CI the same examples every time, so that a change is judged by what it changed; elsewhere new
# ones on every run, which is where hypothesis finds things.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# Fixtures are loaded from these all the same; looked through for doctests they would clash, since
# several modules would be called conftest.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]
