"""The ways to reach an opened agent, each a room of its own."""
