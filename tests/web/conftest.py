"""A browser and pages to look at. Without CROUPIER_BROWSER, as in `make test`, nothing here is collected."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for pages.py and expected.py

collect_ignore_glob = [] if os.environ.get("CROUPIER_BROWSER") else ["*.py"]

if os.environ.get("CROUPIER_BROWSER"):
    from pages import Looking, ServerPage, browser_of, cup_folder

    def pytest_collection_modifyitems(items):
        """A browser on a busy machine takes its time."""
        for item in items:
            item.add_marker(pytest.mark.timeout(600), append=False)

    @pytest.fixture(scope="session")
    def browser():
        """Chromium, without a window."""
        with browser_of() as chromium:
            yield chromium

    @pytest.fixture(scope="session")
    def server():
        """A game server with its page, on which people may play."""
        with ServerPage("--web-seats", "--think-time", "60") as serving:
            yield serving

    @pytest.fixture(scope="session")
    def cup(tmp_path_factory):
        """The folder of a tournament that is over: long enough for intervals."""
        return cup_folder(tmp_path_factory.mktemp("cup"))

    @pytest.fixture
    def looking(browser):
        """Opens pages; afterwards sees that nothing went wrong in any of them."""
        with Looking(browser) as looked:
            yield looked
