"""A made-up month of an agent's life, played in a folder of its own."""
