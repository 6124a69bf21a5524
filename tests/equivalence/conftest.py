from __future__ import annotations

import pytest
from references import NAMES, Subject


@pytest.fixture(scope="session", params=NAMES)
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each bundled tokenizer in turn; pytest runs all tests of one before it makes the next."""
    return Subject(request.param)
