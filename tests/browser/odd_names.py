"""Names of systems that a page must survive."""

HOSTILE = "<script>alert(1)</script>"
LONG = ("a name of two hundred characters, " * 6)[:200].strip()
