"""The terminal: a conversation with an editor, history and streaming Markdown, or line by line without a terminal."""
