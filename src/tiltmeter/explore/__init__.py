"""The explorer: a page on this machine, live against real systems. Type, swap, see, understand."""
