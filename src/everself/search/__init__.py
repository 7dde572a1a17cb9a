"""DERIVED: chunks, terms and vectors of the workspace's documents. Can be deleted at any time; it is rebuilt."""
