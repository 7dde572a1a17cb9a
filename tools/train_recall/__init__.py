"""Trains parts of search: the ranker and the projections of the local models' vectors. This code is not shipped."""
