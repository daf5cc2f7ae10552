"""Tournaments: plans, the runner and its ledger, ratings and reports."""
