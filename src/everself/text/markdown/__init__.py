"""Markdown as bytes: blocks, sections, entry boundaries, the entry comment and edits. Syntax only, pure and lossless.

Opens no file, and does not know the meaning or the author of an entry.
"""
