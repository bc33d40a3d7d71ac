"""What every test shares: a cache of their own, so that none depends on an earlier run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentcheck.cache.folder import VARIABLE


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Commands that tests start keep nothing in the user's own cache."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder)
    yield folder
    if before is None:
        del os.environ[VARIABLE]
    else:
        os.environ[VARIABLE] = before
