"""The rules: games as pure Python, with nothing but the standard library under them."""
