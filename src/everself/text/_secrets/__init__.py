"""The kinds of secrets: tables of value-shaped patterns, their checksums, and what merely looks like one.

Knows shapes only. `everself.text.redaction` runs the tables over a text.
"""
