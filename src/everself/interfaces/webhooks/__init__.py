"""`/hooks/NAME`: webhooks, by which other programs tell an agent something."""
