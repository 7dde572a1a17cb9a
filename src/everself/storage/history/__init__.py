"""The history: every version of every document, in a bare git repository."""
