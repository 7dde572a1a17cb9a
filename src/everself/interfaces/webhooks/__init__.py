"""`/hooks/NAME`: webhooks, with which other programs send messages to an agent."""
