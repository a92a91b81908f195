"""Skill: how well systems' scores agree with gold scores of labelled texts."""
