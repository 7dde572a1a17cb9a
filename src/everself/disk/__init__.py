"""The storage kernel: the only room that writes bytes. Knows files, locks and intents; nothing of Markdown or memory."""
