"""Sessions and messages, transcripts, checkpoints, and the note written when a conversation ends."""
