"""Recall: from a question to the memories that answer it, for whoever asks. Writes no file and keeps no index."""
