"""Memory on its way out of one workspace and into another: JSON Lines that lose nothing and trust no more than the owner says."""
