"""make bench-peers: memsearch and LanceDB, as PyPI has them, beside Everself on the same questions."""
