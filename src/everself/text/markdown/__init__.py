"""Markdown as bytes: blocks, sections, entry boundaries, the entry comment and edits. Syntax only, pure and lossless.

Nothing here opens a file, knows what a memory means, or decides whom a comment speaks for.
"""
