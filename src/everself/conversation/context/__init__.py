"""Assembles the prompt from identity, memory and search results, within a token budget, and records a receipt."""
