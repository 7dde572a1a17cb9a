"""The command `everself`: parse, call one verb of the App, say what came of it. Knows no rule of its own."""
