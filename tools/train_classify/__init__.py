"""Trains the weights of everself.classify on tests/corpora. See docs/classify.md."""
