"""A server and a browser for the tests of the page, as a plugin for pytest: `pytest_plugins = ("page_fixtures",)`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from browsing import DESK, PHONE, Finger, Hand, Mouse, Names, Person, Reader, Visit
from serving import Serving

sys.path.append(str(Path(__file__).parent.parent / "tools"))

import browser as chromium


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    # Closed after each file: while it is open, its event loop keeps other tests of this process from running theirs.
    path = chromium.find()
    if path is None:
        pytest.skip(chromium.MISSING)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=chromium.arguments(), timeout=0)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    running = Serving(tmp_path_factory.mktemp("page"))
    yield running
    running.stop()


@pytest.fixture
def visit(chrome: Browser, server: Serving) -> Iterator[Visit]:
    """Open a browser of one's own: `visit(Finger())`. Whatever the page complained of in its console fails the test."""
    people: list[Person] = []

    def open_browser(hand: Hand | None = None, seed: int = 1, url: str | None = None, **options: Any) -> Person:
        hand = hand or Mouse()
        if isinstance(hand, Finger):
            options = {"viewport": PHONE, "has_touch": True, "is_mobile": True, **options}
        context = chrome.new_context(**{"viewport": DESK, "reduced_motion": "reduce", **options})
        kind = Reader if isinstance(hand, Names) else Person
        people.append(kind(context.new_page(), url or server.url, hand, seed))
        return people[-1]

    yield open_browser
    for person in people:
        person.page.context.close()
    assert [complaint for person in people for complaint in person.complaints] == []
