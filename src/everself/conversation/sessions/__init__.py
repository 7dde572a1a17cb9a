"""What was said: sessions and messages, transcripts, checkpoints, notes of a conversation that ends."""
