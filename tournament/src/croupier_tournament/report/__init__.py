"""What comes of a tournament: standings, and how they are shown."""
