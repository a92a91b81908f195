"""The page of a reproduction: skill beside the paper's, tilt, where it was learned."""
