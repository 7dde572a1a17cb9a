"""Learns the weights of everself.classify from tests/corpora. See docs/classify.md."""
