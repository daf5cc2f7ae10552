"""Runs what has been planned: processes, games, proofs."""
