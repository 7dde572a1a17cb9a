"""How results of operations look in text: lines for a person, JSON for a program. Shared by the interfaces; is none itself.

One module for each module of operations, with its `VIEWS`; an operation without a view is shown as its JSON.
"""
