from __future__ import annotations

import pytest

from references import FULL, NAMES, Subject


def pytest_itemcollected(item: pytest.Item) -> None:
    """All of the text takes as long as it takes."""
    if FULL:
        item.add_marker(pytest.mark.timeout(0))


@pytest.fixture(scope="session", params=NAMES)
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each bundled tokenizer in turn; pytest runs all tests of one before it makes the next."""
    return Subject(request.param)
