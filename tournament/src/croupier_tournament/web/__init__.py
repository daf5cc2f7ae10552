"""The web page: tournaments and games to look at, and a seat to take. README.md says what is where."""
