"""Bots to start from: `python -m croupier.examples.greedy --name greedy-1`."""
