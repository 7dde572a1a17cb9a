"""Who the agent is: identity card, soul, persona, first conversation, integrity and growth. Knows no search and no prompts."""
