"""Settings that all tests share.

Hypothesis runs under the profile ``ci`` where the variable CI is set: always the same examples, so that a red run can
be repeated. Elsewhere it looks for new ones.

The modules beside ``tests/equivalence/test_*.py`` (texts, corpora, references) serve the tokenizer tests of other
folders too, so their folder is importable.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "equivalence"))

settings.register_profile(
    "ci", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "local")

# A shell that runs the tests in the background lets them ignore Ctrl-C, and with them all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
