"""The page as a game sees it: published quickly whatever the viewers do, in a process that can't hurt the game."""

from __future__ import annotations

import http.client
import json
import os
import queue
import signal
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from rules.events import GameFact
from rules.record import read_record
from tests.conftest import ROOT
from tests.th_vision.page.viewers import Viewer
from th_vision.errors import VisionError
from th_vision.page.passes import Passes
from th_vision.page.server import Page
from th_vision.referee.commands import Spoken, Undo

RECORD = read_record(ROOT / "tests" / "games" / "rainbow-city-2-cars.jsonl")
FACTS = [fact for fact in RECORD.facts if not isinstance(fact, GameFact)]


@pytest.fixture(scope="module")
def wishes() -> queue.Queue[Spoken]:
    return queue.Queue()


@pytest.fixture(scope="module")
def page(wishes: queue.Queue[Spoken]) -> Iterator[Page]:
    page = Page(port=0, commands=wishes)
    page.start()
    yield page
    page.close()


def begin(page: Page, facts: int = 0) -> None:
    page.publish("game", RECORD.game)
    for fact in FACTS[:facts]:
        page.publish("fact", fact)
    mark = f"begun at {time.monotonic()}"
    page.publish("live", {"trouble": mark})
    viewer = Viewer(page.link)  # the page before, of another test, may still be shown for a moment
    viewer.wait_for("live", trouble=mark)
    viewer.close()


def test_fifty_viewers_see_a_move_at_once_and_publishing_waits_for_none(page: Page) -> None:
    begin(page, 3)
    viewers = [Viewer(page.link) for _ in range(50)]
    for viewer in viewers:
        viewer.wait_for("step", n=3)
    started = time.monotonic()
    page.publish("fact", FACTS[3])
    published = time.monotonic() - started
    for viewer in viewers:
        assert viewer.wait_for("step")["n"] == 4
    seen = time.monotonic() - started
    for viewer in viewers:
        viewer.close()
    assert published < 0.1
    assert seen < 1.0  # bench/page.py measures it; here two busy cores may be slow


def test_a_viewer_who_was_away_gets_what_happened_meanwhile(page: Page) -> None:
    begin(page, 2)
    viewer = Viewer(page.link)
    viewer.wait_for("step", n=2)
    viewer.close()
    for fact in FACTS[2:6]:
        page.publish("fact", fact)
    back = Viewer(page.link, after=viewer.last)
    missed = []
    for kind, data in back.events():
        if kind == "step":
            missed.append(data["n"])
        if missed and missed[-1] == 6:
            break
    back.close()
    assert missed == [3, 4, 5, 6]


def test_viewers_who_hold_connections_for_nothing_stop_nobody(page: Page) -> None:
    begin(page, 1)
    place = urlsplit(page.link)
    assert place.hostname is not None
    assert place.port is not None
    idle = []
    for number in range(60):
        connection = socket.create_connection((place.hostname, place.port), timeout=2)
        connection.sendall(
            (b"", b"GET / HT", b"POST /command HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")[number % 3]
        )
        idle.append(connection)
    viewer = Viewer(page.link)
    viewer.wait_for("step", n=1)
    page.publish("fact", FACTS[1])
    viewer.wait_for("step", n=2)
    viewer.close()
    for connection in idle:
        connection.close()


def test_rubbish_on_the_port_stops_nobody(page: Page) -> None:
    begin(page, 1)
    place = urlsplit(page.link)
    assert place.hostname is not None
    assert place.port is not None
    for rubbish in (
        b"\x00" * 100_000,
        b"GET " + b"/" * 100_000,
        b"\r\n\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
    ):
        with socket.create_connection((place.hostname, place.port), timeout=2) as connection:
            try:
                connection.sendall(rubbish)
                connection.recv(1000)
            except OSError:
                pass  # closed on us, as it should be
    Viewer(page.link).wait_for("step", n=1)


def test_the_code_opens_the_way_for_wishes(page: Page, wishes: queue.Queue[Spoken]) -> None:
    begin(page, 4)
    viewer = Viewer(page.link)
    viewer.wait_for("step", n=4)
    viewer.close()
    key = json.loads(post(page, "code", {"code": page.code})[1])["key"]
    status, _ = post(page, "command", {"do": "undo", "seen": 5, "turn": 1}, key)
    assert status == 202
    assert wishes.get(timeout=5).command == Undo(1)


def post(page: Page, path: str, body: dict[str, object], key: str = "") -> tuple[int, str]:
    place = urlsplit(page.link)
    assert place.hostname is not None
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=5)
    headers = {"content-type": "application/json", "origin": f"http://{place.netloc}", "x-th-key": key}
    connection.request("POST", f"{place.path}{path}", json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_a_server_that_dies_comes_back_with_all_that_was_published(page: Page) -> None:
    begin(page, 3)
    viewer = Viewer(page.link)
    viewer.wait_for("step", n=3)
    process = page.process_id
    assert process is not None
    os.kill(process, signal.SIGKILL)
    until = time.monotonic() + 10
    while page.process_id == process and time.monotonic() < until:
        page.publish("live", {"state": "waiting"})
        time.sleep(0.1)
    page.publish("fact", FACTS[3])
    back = Viewer(page.link, after=viewer.last)
    assert back.wait_for("step", n=4)
    back.close()


def test_who_controlled_the_game_does_so_again_after_the_referee_was_started_anew() -> None:
    """With the passes that were kept beside the game."""
    passes = Passes.new()
    key, links = "", []
    for _ in range(2):
        wishes: queue.Queue[Spoken] = queue.Queue()
        page = Page(port=0, host="0.0.0.0", commands=wishes, passes=passes)
        page.start()
        try:
            begin(page, 2)
            key = key or json.loads(post(page, "code", {"code": page.code})[1])["key"]
            links.append(urlsplit(page.link).path)
            assert post(page, "command", {"do": "undo", "seen": 3, "turn": 1}, key)[0] == 202
        finally:
            page.close()
    assert links[0] == links[1]


def test_ctrl_c_does_not_end_the_page_before_the_game(page: Page) -> None:
    begin(page, 2)
    assert page.process_id is not None
    os.kill(page.process_id, signal.SIGINT)
    viewer = Viewer(page.link)
    viewer.wait_for("step", n=2)
    viewer.close()


def test_a_port_that_is_taken_is_said(page: Page) -> None:
    second = Page(port=urlsplit(page.link).port or 0)
    with pytest.raises(VisionError, match=r"page: can't listen at 127\.0\.0\.1:\d+ .*choose another --port"):
        second.start()


def test_a_link_for_others_holds_a_token_and_has_a_qr_code() -> None:
    page = Page(host="0.0.0.0", commands=queue.Queue())
    assert len(urlsplit(page.link).path) > 10
    assert page.open_to_others
    assert len(page.code) == 6
    assert page.qr().count("\n") > 10
    assert not Page().open_to_others
    assert Page().code == ""
