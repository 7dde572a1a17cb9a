"""The hooks of other programs' clients: `everself hook` reads what a coding agent tells and answers within a deadline. Not webhooks."""
