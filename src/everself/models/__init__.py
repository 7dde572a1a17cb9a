"""Models that are called: embedders now, chat models beside them. Told what to embed; knows nothing of memory."""
