"""Renders results of operations: lines for a person, JSON for a program. Shared by the interfaces.

One module per module of operations, with its `VIEWS`; an operation without a view is shown as JSON.
"""
