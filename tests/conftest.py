"""What all tests share: where the real recordings are, and that commands speak English whatever the system speaks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REALDATA = ROOT.parent / "shared" / "realdata"
os.environ["LC_ALL"] = "C.UTF-8"  # also for the commands that tests start


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real camera recordings beside this repository; a test that needs it is skipped where it is not."""
    if not REALDATA.is_dir():
        pytest.skip(f"the real recordings are not here ({REALDATA}); they lie beside the repository, not in it")
    return REALDATA
