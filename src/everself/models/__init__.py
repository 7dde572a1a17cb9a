"""Chat models and embedders. Knows nothing of memory."""
