"""An audit: pairs, regressions and skill of systems on corpora, as one page with its folder."""
