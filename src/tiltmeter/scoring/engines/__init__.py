"""Ways to ask a system many texts: on this machine, or on many."""
