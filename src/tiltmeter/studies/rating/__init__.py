"""Causal rating of systems, 1 to L (Lakkaraju et al. 2023), and how sure a rating is."""
