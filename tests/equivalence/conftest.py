from __future__ import annotations

from collections.abc import Iterator

import pytest
from references import NAMES, Subject


@pytest.fixture(scope="session", params=NAMES)
def subject(request: pytest.FixtureRequest) -> Iterator[Subject]:
    """Each bundled tokenizer in turn; pytest runs all tests of one before it makes the next."""
    yield Subject(request.param)

