"""Identity, memory and what was found become one prompt and its receipt, under a budget of tokens."""
