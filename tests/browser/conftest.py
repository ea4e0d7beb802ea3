"""What the tests of pages share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.chromium import Chromium, browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """One browser for all tests of a file."""
    path = browser()
    assert path is not None
    with Chromium(path) as found:
        yield found
