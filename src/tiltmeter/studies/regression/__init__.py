"""Intersectional Beta regression (Câmara et al. 2022)."""
