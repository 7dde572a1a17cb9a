"""The commands of Anthropic's memory tool (`memory_20250818`) on memory files: paths, texts and commands."""
