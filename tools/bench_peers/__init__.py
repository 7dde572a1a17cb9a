"""make bench-peers: memsearch and LanceDB from PyPI compared with Everself on the same questions."""
