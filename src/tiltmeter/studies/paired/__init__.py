"""The paired study: sentences that differ in whom they mention (Kiritchenko & Mohammad 2018)."""
