"""Generated from the contract: `croupier/v1`."""
