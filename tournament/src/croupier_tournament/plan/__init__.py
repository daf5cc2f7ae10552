"""Who plays whom, from which seat, on which deal."""
