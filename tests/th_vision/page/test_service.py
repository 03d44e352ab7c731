"""What the page's server answers, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from rules.record import read_record
from tests.conftest import ROOT
from th_vision.page.commands import PageCommand
from th_vision.page.guard import TRIES
from th_vision.page.html import page_of
from th_vision.page.service import MAX_BODY, Service
from th_vision.page.settings import Settings

CODE = "424242"
HOME = "http://127.0.0.1:8087"
OWN = {"origin": HOME, "content-type": "application/json"}


class Client:
    """Requests to an application, without a network."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url=HOME) as client:
                return await client.request(method, path, **more)

        return asyncio.run(ask())

    def get(self, path: str, params: Mapping[str, str] | None = None, headers: Any = None) -> httpx.Response:
        return self.request("GET", path, params=params, headers=headers)

    def post(
        self, path: str, json: Any = None, content: bytes | str | None = None, headers: Any = None
    ) -> httpx.Response:
        return self.request("POST", path, json=json, content=content, headers=headers)


class Played:
    """A service with a game in it, and the wishes that got through."""

    def __init__(self, **more: object) -> None:
        self.wishes: list[PageCommand] = []
        settings = Settings(**{"code": CODE, "control": True, **more})  # type: ignore[arg-type]  # tests choose a few
        self.service = Service(settings, self.wishes.append)
        record = read_record(ROOT / "tests" / "games" / "camera-2-doubts.jsonl")
        self.service.take("game", record.game)
        for fact in record.facts[1:]:
            self.service.take("fact", fact)
        self.client = Client(self.service.app())
        self.steps = len(self.news()) - 2  # without the reset and the live event

    def news(self, language: str = "en", at: tuple[str, int] = ("", 0), live: int = -1) -> list[str]:
        return self.service.news(language, at, live)[0]

    def key(self) -> str:
        return str(self.client.post("/code", json={"code": CODE}, headers=OWN).json()["key"])


@pytest.fixture(scope="module")
def played() -> Played:
    return Played()


def test_the_page_is_one_document_that_loads_nothing_from_elsewhere(played: Played) -> None:
    answer = played.client.get("/")
    assert answer.status_code == 200
    assert len(answer.content) < 300_000
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", answer.text) == []
    assert re.findall(r"<(?:link|script|img|iframe)[^>]+(?:src|href)=\"(?!data:)", answer.text) == []
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/", "/picture/12/0.svg", "/nothing", "/code"])
def test_every_answer_has_sane_headers(played: Played, path: str) -> None:
    headers = played.client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "content-security-policy" in headers
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


@pytest.mark.parametrize("language", ["en", "es", "nl", "zh-Hant"])
def test_the_page_and_its_steps_in_every_language(played: Played, language: str) -> None:
    page = played.client.get("/", params={"lang": language}).text
    assert f'<html lang="{language}">' in page
    assert re.findall(r"%w:[\w.]+%", page) == []
    steps = [json.loads(event.split("data: ", 1)[1]) for event in played.news(language) if "event: step" in event]
    assert len(steps) == played.steps
    assert "{" not in "".join(step["head"] + "".join(text for line in step["said"] for text in line) for step in steps)


def test_an_unknown_language_gets_the_servers(played: Played) -> None:
    assert '<html lang="en">' in played.client.get("/", params={"lang": "../../etc"}).text


def test_the_events_go_on_from_where_a_viewer_stopped(played: Played) -> None:
    everything = played.news()
    first = next(line.removeprefix("id: ") for line in everything[5].splitlines() if line.startswith("id: "))
    epoch, _, number = first.partition("-")
    later = played.service.news("en", (epoch, int(number)), -1)[0]
    assert later == everything[6:]
    assert played.service.news("en", ("other", int(number)), -1)[0] == everything, "another game: from its beginning"
    assert played.service.news("en", (epoch, 10_000), -1)[0] == everything


def test_the_ruling_carries_its_number_and_its_evidence(played: Played) -> None:
    steps = [json.loads(event.split("data: ", 1)[1]) for event in played.news() if "event: step" in event]
    with_evidence = [step for step in steps if step["closeups"]]
    assert with_evidence
    for step in with_evidence:
        for number, look in enumerate(step["closeups"]):
            assert re.search(r"\d mm", look["title"])
            answer = played.client.get(f"/picture/{step['n']}/{number}.svg")
            assert answer.headers["content-type"].startswith("image/svg+xml")
            assert answer.text.startswith("<svg")


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/page.js", "/picture/0/0.svg", "/picture/99999/0.svg",
     "/picture/-1/0.svg", "/crop/0.jpg", "/static", "/events/x", "//etc/passwd", "/docs", "/openapi.json"],
)  # fmt: skip
def test_there_is_nothing_else_to_be_had(played: Played, path: str) -> None:
    assert played.client.get(path).status_code == 404


def test_another_name_for_this_machine_is_refused(played: Played) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example:8087", "evil.example:8087", ""):
        assert played.client.get("/", headers={"host": host}).status_code == 421, host


def test_viewing_needs_the_link_where_other_machines_may_look() -> None:
    played = Played(host="0.0.0.0", token="abc123", hosts=frozenset({"127.0.0.1"}))
    assert played.client.get("/").status_code == 404
    assert played.client.get("/abc124/").status_code == 404
    assert played.client.get("/abc123/").status_code == 200
    assert played.client.post("/command", json={}, headers=OWN).status_code == 404


@pytest.mark.parametrize("do", ["accept", "yes", "no", "correct", "recount", "undo", "pass", "penalty", "whose_turn",
                                "next", "pause", "resume", "reread"])  # fmt: skip
@pytest.mark.parametrize("key", ["", "wrong", CODE])
def test_every_control_is_refused_without_the_right_key(do: str, key: str, played: Played) -> None:
    body = {"do": do, "seen": played.steps, "turn": 1, "player": "pink", "cars_due": 1, "levels": 2,
            "giver": "pink", "taker": "blue", "discs": 1}  # fmt: skip
    answer = played.client.post("/command", json=body, headers={**OWN, "x-th-key": key})
    assert answer.status_code == 403
    assert played.wishes == []


def test_with_the_code_a_wish_gets_through_once_it_is_about_the_game_as_it_stands() -> None:
    played = Played()
    headers = {**OWN, "x-th-key": played.key()}
    stale = played.client.post("/command", json={"do": "undo", "seen": played.steps - 1}, headers=headers)
    assert stale.status_code == 409
    assert played.wishes == []
    good = played.client.post("/command", json={"do": "undo", "seen": played.steps, "turn": 3}, headers=headers)
    assert good.status_code == 202
    assert [(wish.do, wish.turn) for wish in played.wishes] == [("undo", 3)]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_other_sites_can_not_post(change: dict[str, str], status: int) -> None:
    played = Played()
    headers = {**OWN, "x-th-key": played.key(), **change}
    body = json.dumps({"do": "undo", "seen": played.steps})
    assert played.client.post("/command", content=body, headers=headers).status_code == status
    assert played.client.post("/code", content=json.dumps({"code": CODE}), headers=headers).status_code == status
    assert played.wishes == []


def test_odd_bodies_are_refused_and_change_nothing() -> None:
    played = Played()
    headers = {**OWN, "x-th-key": played.key()}
    for body in (b"", b"null", b"[]", b'{"do":"undo"}', b"\xff" * 100, b"[" * 2000, b'{"do":"x","seen":0}'):
        assert played.client.post("/command", content=body, headers=headers).status_code == 400
    for body in (b"", b"1", b"[]", b'{"code":1}', b'{"code":null}', b"[" * 2000, b'{"code":"' + b"1" * 100 + b'"}'):
        assert played.client.post("/code", content=body, headers=OWN).status_code == 403
    long = played.client.post("/command", content=b"x" * (MAX_BODY + 1), headers=headers)
    assert long.status_code == 413
    assert played.client.request("PUT", "/command", content=b"{}", headers=headers).status_code == 405
    assert played.client.get("/command").status_code == 405
    assert played.wishes == []
    assert len(played.news()) == played.steps + 2


def test_codes_can_not_be_tried_one_after_the_other() -> None:
    played = Played()
    answers = [
        played.client.post("/code", json={"code": f"{n:06d}"}, headers=OWN).status_code for n in range(TRIES + 3)
    ]
    assert answers[0] == 403
    assert answers[-1] == 429
    assert played.client.post("/code", json={"code": CODE}, headers=OWN).status_code == 429


def test_a_page_without_a_referee_behind_it_has_no_control() -> None:
    played = Played(control=False)
    assert played.client.post("/code", json={"code": CODE}, headers=OWN).status_code == 403
    assert '"control": false' in played.client.get("/").text


def test_words_from_a_record_can_not_break_out_of_the_page() -> None:
    page = page_of("en", False).text
    block = re.search(r'<script type="application/json" id="words">(.*?)</script>', page, re.DOTALL)
    assert block is not None
    assert "<" not in block[1]
    json.loads(block[1])


def test_the_cameras_own_picture_is_shown_where_there_is_one() -> None:
    played = Played()
    steps = [json.loads(event.split("data: ", 1)[1]) for event in played.news() if "event: step" in event]
    step = next(step for step in steps if step["road"])
    assert played.client.get(f"/crop/{step['n']}.jpg").status_code == 404
    played.service.take("crop", (step["road"], b"\xff\xd8jpeg"))
    answer = played.client.get(f"/crop/{step['n']}.jpg")
    assert (answer.headers["content-type"], answer.content) == ("image/jpeg", b"\xff\xd8jpeg")
    live = json.loads(played.news()[-1].split("data: ", 1)[1])
    assert live["crops"] == [step["road"]]


@pytest.mark.parametrize("path", [f"/picture/{'9' * 5000}/0.svg", f"/crop/{'9' * 5000}.jpg", f"/?lang={'x' * 5000}"])
def test_a_path_without_end_is_refused_and_no_fault_of_the_server(path: str) -> None:
    assert Played().client.get(path).status_code == 414


def test_an_open_question_is_asked_in_each_viewers_language() -> None:
    played = Played()
    played.service.take(
        "live", {"question": {"en": "does it touch?", "nl": "raakt het?"}, "trouble": "the camera starts"}
    )
    for language, question in (("en", "does it touch?"), ("nl", "raakt het?"), ("es", "")):
        (event,) = [event for event in played.news(language) if "event: live" in event]
        live = json.loads(event.split("data: ", 1)[1])
        assert live["question"] == question
        assert (live["trouble"] == "the camera starts") == (language == "en")
