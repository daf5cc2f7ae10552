"""Generated from the contract: `croupier/games/trade_and_triumph`."""
