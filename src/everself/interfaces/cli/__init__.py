"""The command `everself`: parses, calls one operation, shows the result. Contains no rules of its own."""
