"""Splits a document into chunks and computes the terms of each. Pure; knows no index."""
