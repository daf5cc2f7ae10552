"""Generated from the contract: `croupier/games/trick_stakes/v1`."""
