"""Records and bots, kept."""
