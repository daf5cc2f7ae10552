"""`croupier balance`: many games of a game's own bots say whether its cards are balanced."""
