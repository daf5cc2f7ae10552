"""``croupier bot new``, ``practice`` and ``run``: for those who write bots, in any language."""
