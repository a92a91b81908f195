"""Word embeddings: RNSB (Sweeney & Najafian 2019), WEAT, the link to systems, mitigation."""
