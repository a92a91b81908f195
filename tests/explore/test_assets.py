"""The explorer's script: files joined in one scope, so no name may stand for two things."""

import re
from collections import Counter

from tiltmeter.explore.assets import SCRIPT, explorer_script, page_file

DEFINED = re.compile(r"^(?:export )?(?:async )?(?:function|const|let) (\w+)", re.MULTILINE)


def test_every_file_is_joined_and_no_name_is_defined_twice():
    names = Counter(
        name for one in SCRIPT for name in DEFINED.findall(page_file(f"script/{one}.js"))
    )
    assert [name for name, many in names.items() if many > 1] == []
    assert not re.search(r"^(import|export) ", explorer_script(), re.MULTILINE)
