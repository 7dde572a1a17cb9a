"""What a model may do: tools over memory, files, the soul's proposals, and those from outside that the settings let in."""
