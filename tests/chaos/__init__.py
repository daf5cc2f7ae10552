"""A server that is killed again and again, bots of every kind, torn connections: what must hold afterwards."""
