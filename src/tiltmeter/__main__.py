"""`python -m tiltmeter`, the same as `tiltmeter`."""

from tiltmeter.cli import main

main()
