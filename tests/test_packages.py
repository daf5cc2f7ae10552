"""What is installed holds together: every entry point leads somewhere, every package is typed."""

from importlib import metadata, resources

import pytest

DISTRIBUTIONS = ("croupier", "croupier-service", "croupier-tournament")
ENTRY_POINTS = [point for name in DISTRIBUTIONS for point in metadata.distribution(name).entry_points]


@pytest.mark.parametrize("point", ENTRY_POINTS, ids=lambda point: f"{point.group}:{point.name}")
def test_an_entry_point_leads_somewhere(point):
    assert point.load() is not None


@pytest.mark.parametrize("package", ["croupier", "croupier_games", "croupier_service", "croupier_tournament"])
def test_a_package_says_that_it_is_typed(package):
    assert resources.files(package).joinpath("py.typed").is_file()
