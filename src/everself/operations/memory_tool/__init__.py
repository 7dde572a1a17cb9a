"""The commands of Anthropic's memory tool (`memory_20250818`) over the files of a memory: paths, texts and what each command does."""
