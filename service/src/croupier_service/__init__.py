"""The host: tables, clocks, the wire and the store around the rules of `croupier_games`."""
