"""The studies, a folder each: what each measures, how it runs, and how it is shown."""
