"""Generated from the contract: `croupier/games/trick_and_trade/v1`."""
