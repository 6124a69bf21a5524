from __future__ import annotations

import pytest

from references import FULL, NAMES, Subject


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give all tests of one tokenizer to one process, which loads it once; lift the limit of time for all of it."""
    if FULL:
        item.add_marker(pytest.mark.timeout(0))
    subject = getattr(item, "callspec", None) and item.callspec.params.get("subject")
    if subject:
        item.add_marker(pytest.mark.xdist_group(subject))


@pytest.fixture(scope="session", params=NAMES)
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each bundled tokenizer in turn; pytest runs all tests of one before it makes the next."""
    return Subject(request.param)
