"""The conversation: a loop that is a function emitting events, its sessions, what is kept when context is dropped."""
