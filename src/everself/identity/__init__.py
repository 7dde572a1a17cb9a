"""Who the agent is: its card, the soul that speaks, how both come to be and how they change. Knows nothing of recall or prompts."""
