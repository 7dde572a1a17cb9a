"""What a person's browser is served: signing in by a link that works once."""
