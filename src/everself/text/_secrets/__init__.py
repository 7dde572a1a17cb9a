"""The kinds of secrets: tables of value-shaped patterns, their checksums, and values that only look like secrets.

Knows shapes only. `everself.text.redaction` applies the tables to a text.
"""
