"""The Soul Keeper: what the owner said again and again becomes a line of what the soul has learned. Proposes only."""
