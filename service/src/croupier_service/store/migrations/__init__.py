"""Alembic's folder: run by ``migrating.py``, with no configuration file."""
