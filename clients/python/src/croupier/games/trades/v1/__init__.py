"""Generated from the contract: `croupier/games/trades/v1`."""
