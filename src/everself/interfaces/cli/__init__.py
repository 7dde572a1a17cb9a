"""The command `everself`: parse, call one operation, say what came of it. Knows no rule of its own."""
