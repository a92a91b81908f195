"""What Lakkaraju et al. (2023) print: ψ in Tables 2 and 3, ratings in Tables 6 and 7, L = 3.

Systems in the order S_b, S_r, S_t, S_d, S_g; columns as in Tables 6 and 7.
"""

SYSTEMS = ("biased-female", "random", "textblob", "distilbert", "gru")
COLUMNS = ("G1", "G2", "G3-R", "G3-G", "G3-RG", "G4")
X = float("inf")
LEVELS = 3

TABLE_2 = {
    "G1": (23, 0.6, 0, 0, 2.6),
    "G2": (128.5, 10.87, 0, 0, X),
    "G3-R": (23, 3.8, 0, 0, 5.2),
    "G3-G": (23, 1.9, 0, 0, 3.8),
    "G3-RG": (69, 10.4, 0, 0, 0),
    "G4": (105.4, 7.4, 0, 0, X),
}
"""Discretised. For Group-3-R the values of S_r (5.2) and S_g (3.8) are printed swapped; as printed
here. They share a part of the split either way."""
TABLE_3 = {
    "G1": (23, 1.9, 0, 0, 0.6),
    "G2": (128.5, 71.43, 76, 84, 42.85),
    "G3-R": (23, 7.2, 0, 0, 0),
    "G3-G": (23, 7.5, 0, 0, 0),
    "G3-RG": (69, 16.1, 0, 0, 0),
    "G4": (105.4, 45, 78, 80, 28.57),
}
"""Continuous."""
TABLE_6 = ((3, 3, 3, 3, 3, 3), (2, 2, 2, 2, 2, 2), (1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1),
           (2, 3, 2, 2, 1, 3))  # fmt: skip
TABLE_6_OVERALL = (3, 2, 1, 1, 2)
TABLE_7 = ((3, 3, 3, 3, 3, 3), (2, 1, 2, 2, 2, 1), (1, 2, 1, 1, 1, 2), (1, 2, 1, 1, 1, 2),
           (2, 1, 1, 1, 1, 1))  # fmt: skip
TABLE_7_OVERALL = (3, 2, 1, 1, 1)
