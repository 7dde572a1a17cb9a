"""Secrets and private passages are taken out of a text: pure functions; knows nothing of files, Markdown or models.

`everself.redaction.redact` is imported by name by those who need it, because a hundred compiled patterns have no place in
the start of `everself --help`.
"""
