"""Settings that all tests share.

Hypothesis runs under the profile ``ci`` where the variable CI is set: always the same examples, so that a red run can
be repeated. Elsewhere it looks for new ones.

Modules that several tests share are in ``tests/support``, which pytest makes importable.
"""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

import engine_use

settings.register_profile(
    "ci", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_configure(config: pytest.Config) -> None:
    engine_use.pytest_configure(config)


@pytest.fixture(autouse=True)
def _interrupts_end_what_a_test_starts() -> None:
    """Give children of tests the default action for Ctrl-C.

    A process that ignores it makes all that it starts ignore it too. The tests are such a process where a shell runs
    them in the background, and after a test in which the command line ended in this very process.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
