"""Reference systems trained as the papers did, and the papers' results beside ours."""
