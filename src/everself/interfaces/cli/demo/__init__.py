"""An invented month of an agent's life, played in its own folder."""
