"""The page's server, as it stands in its own process: the game's steps, the viewers, and what they may ask for.

Nothing is read from the disk: all that can be had is the page, the steps, and the evidence drawn from them.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rules.catalog import LANGUAGES
from rules.events import AlertLine, Fact, GameFact
from rules.pieces import Pieces
from th_vision.closeup import CloseUp
from th_vision.closeup_drawing import draw_closeup, measure_of, title_of
from th_vision.errors import VisionError
from th_vision.page.commands import PageCommand, parse_command
from th_vision.page.guard import HEADERS, Lock, Places
from th_vision.page.html import page_of
from th_vision.page.settings import Settings
from th_vision.page.timeline import Step, Timeline
from th_vision.said import said
from th_vision.words import words_in

MAX_BODY: Final = 4096
BODY_S: Final = 5.0
MAX_PATH: Final = 300
MAX_VIEWERS: Final = 200
PING_S: Final = 15.0
SEND_S: Final = 20.0
"""A viewer who takes nothing for so long is let go."""
MAX_CROPS: Final = 200


class Service:
    """One game on a page. All of it runs in the server's event loop; ``take`` is called there too."""

    def __init__(self, settings: Settings, commands: Callable[[PageCommand], None]) -> None:
        self.settings = settings
        self._commands = commands
        self._lock = Lock(settings.code, settings.secret)
        self._places = Places(settings.hosts, settings.port)
        self._timeline: Timeline | None = None
        self._epoch = ""
        self._live: dict[str, Any] = {}
        self._live_number = 0
        self._viewers: set[asyncio.Event] = set()
        self._crops: dict[str, bytes] = {}
        self._told: dict[tuple[str, int], str] = {}

    # --- what happens in the game ---

    def take(self, kind: str, data: Any) -> None:
        """Take in what was published (see ``th_vision.page.server.Page.publish``)."""
        if kind == "game" and isinstance(data, GameFact):
            self._timeline = Timeline(data, self.settings.pieces)
            self._epoch = secrets.token_hex(4)
            self._live, self._crops, self._told = {}, {}, {}
        elif kind in ("fact", "alert") and isinstance(data, Fact | AlertLine) and self._timeline is not None:
            self._timeline.take(data)
        elif kind == "live" and isinstance(data, Mapping):
            self._live = {**self._live, **data}
            self._live_number += 1
        elif kind == "crop":
            road, jpeg = data
            self._crops[str(road)] = bytes(jpeg)
            while len(self._crops) > MAX_CROPS:
                self._crops.pop(next(iter(self._crops)))
            self._live = {**self._live, "crops": list(self._crops)}
            self._live_number += 1
        for viewer in self._viewers:
            viewer.set()

    # --- what may be asked for ---

    def app(self) -> ASGIApp:
        """The web application."""
        prefix = f"/{self.settings.token}" if self.settings.token else ""
        routes = [
            Route(f"{prefix}/", self._page),
            Route(f"{prefix}/events", _Events(self)),
            Route(f"{prefix}/picture/{{step:int}}/{{number:int}}.svg", self._picture),
            Route(f"{prefix}/crop/{{step:int}}.jpg", self._crop),
            Route(f"{prefix}/code", self._open, methods=["POST"]),
            Route(f"{prefix}/command", self._command, methods=["POST"]),
        ]
        return _Guarded(Starlette(routes=routes), self._places)

    async def _page(self, request: Request) -> Response:
        page = page_of(self._language(request.query_params.get("lang")), self.settings.control)
        headers = {"content-security-policy": page.policy}
        return Response(page.text, media_type="text/html; charset=utf-8", headers=headers)

    async def _picture(self, request: Request) -> Response:
        step = self._step(request)
        number = request.path_params["number"]
        if step is None or number >= len(step.closeups):
            return _refused(404, "there is no such picture")
        language = self._language(request.query_params.get("lang"))
        drawing = draw_closeup(step.closeups[number], self._timeline_pieces(), language)
        return Response(drawing.to_svg(), media_type="image/svg+xml")

    async def _crop(self, request: Request) -> Response:
        step = self._step(request)
        jpeg = self._crops.get(step.road or "") if step is not None else None
        if jpeg is None:
            return _refused(404, "there is no such picture")
        return Response(jpeg, media_type="image/jpeg")

    async def _open(self, request: Request) -> Response:
        body = await self._body(request)
        if isinstance(body, Response):
            return body
        try:
            code = json.loads(body)["code"]
        except (ValueError, TypeError, KeyError, RecursionError):
            code = None
        if not self.settings.control or not isinstance(code, str) or len(code) > 64:
            return _refused(403, "wrong code")
        now_s, who = time.monotonic(), request.client.host if request.client is not None else ""
        key = self._lock.open(code.strip(), now_s, who)
        if key is None:
            return _refused(429 if self._lock.shut(now_s, who) else 403, "wrong code")
        return _json({"key": key})

    async def _command(self, request: Request) -> Response:
        body = await self._body(request)
        if isinstance(body, Response):
            return body
        key = request.headers.get("x-th-key", "")
        if not self.settings.control or not self._lock.fits(key):
            return _refused(403, "wrong code")
        try:
            command = parse_command(body)
        except VisionError as error:
            return _refused(400, str(error))
        if self._timeline is None or command.seen != len(self._timeline.steps):
            return _refused(409, "the game has gone on; look again")
        self._commands(command)
        return _json({"taken": True}, status=202)

    async def _body(self, request: Request) -> bytes | Response:
        """The body of a request that comes from the page itself, and is small and quick."""
        if not self._places.own(request.headers.get("origin")):
            return _refused(403, "this page can be controlled only from itself")
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _refused(415, "expected application/json")
        body = b""
        try:
            async with asyncio.timeout(BODY_S):
                async for part in request.stream():
                    body += part
                    if len(body) > MAX_BODY:
                        return _refused(413, "too long")
        except (TimeoutError, ClientDisconnect):
            return _refused(408, "too slow")
        return body

    def _language(self, wanted: str | None) -> str:
        return wanted if wanted in LANGUAGES else self.settings.language

    def _step(self, request: Request) -> Step | None:
        number = request.path_params["step"]
        steps = self._timeline.steps if self._timeline is not None else []
        return steps[number] if number < len(steps) else None

    def _timeline_pieces(self) -> Pieces:
        return self._timeline.pieces if self._timeline is not None else self.settings.pieces

    # --- what the viewers get ---

    def news(self, language: str, at: tuple[str, int], live: int) -> tuple[list[str], tuple[str, int], int]:
        """Events for a viewer who has seen the game ``at`` (epoch, number of steps), and where that viewer is then."""
        events: list[str] = []
        epoch, seen = at
        if self._timeline is None:
            return ([] if live == self._live_number else [self._live_event(language)]), at, self._live_number
        if epoch != self._epoch or seen > len(self._timeline.steps):
            seen = 0
            events.append(_event("reset", self._game(), f"{self._epoch}-0"))
        for number in range(seen, len(self._timeline.steps)):
            events.append(self._step_event(language, number))
        if live != self._live_number:
            events.append(self._live_event(language))
        return events, (self._epoch, len(self._timeline.steps)), self._live_number

    def _live_event(self, language: str) -> str:
        live = dict(self._live)
        for name in ("warned", "trouble"):
            if isinstance(live.get(name), str):
                live[name] = said(live[name], language)
        if isinstance(live.get("question"), Mapping):
            live["question"] = live["question"].get(language, "")
        if isinstance(live.get("guide"), Mapping):
            live["guide"] = {piece: said(str(words), language) for piece, words in live["guide"].items()}
        return _event("live", live)

    def _game(self) -> dict[str, Any]:
        assert self._timeline is not None
        return game_data(self._timeline)

    def _step_event(self, language: str, number: int) -> str:
        key = (language, number)
        if key not in self._told:
            assert self._timeline is not None
            data = step_data(self._timeline.steps[number], language)
            self._told[key] = _event("step", data, f"{self._epoch}-{number + 1}")
        return self._told[key]

    def enter(self, viewer: asyncio.Event) -> bool:
        """Take in a viewer; False where there are too many."""
        if len(self._viewers) >= MAX_VIEWERS:
            return False
        self._viewers.add(viewer)
        return True

    def leave(self, viewer: asyncio.Event) -> None:
        """A viewer is gone."""
        self._viewers.discard(viewer)


def game_data(timeline: Timeline) -> dict[str, Any]:
    """What doesn't change in a game: players, their colours, sizes of the pieces."""
    fact, pieces = timeline.game.fact, timeline.pieces
    colors = {player: pieces.players[player] for player in fact.players if player in pieces.players}
    return {
        "players": list(fact.players),
        "colors": colors,
        "rules": fact.rules,
        "stick": pieces.stick.model_dump(),
        "disc": pieces.disc.model_dump(),
        "missions": timeline.game.rules.missions,
    }


def step_data(step: Step, language: str) -> dict[str, Any]:
    """A step as the page gets it."""
    return {
        "n": step.number,
        "type": step.line.type,
        "turn": step.turn,
        "player": step.player,
        "call": step.call,
        "head": step.head(language),
        "said": [[message.text, message.reason, message.kind] for message in step.said(language)],
        "newest": list(step.newest),
        "road": step.road,
        "due": next((a.cars_due for a in step.answers if a.type == "ruling"), None),
        "penalties": [[a.from_, a.to, a.discs, list(a.pieces)] for a in step.answers if a.type == "penalty"],
        "closeups": [_closeup_data(closeup, step, language) for closeup in step.closeups],
        "board": step.board,
    }


def _closeup_data(closeup: CloseUp, step: Step, language: str) -> dict[str, Any]:
    words = words_in(language, step.owners, step.kinds)
    return {
        "rule": closeup.rule,
        "call": closeup.call,
        "pays": closeup.pays,
        "at": [round(closeup.at[0], 1), round(closeup.at[1], 1)],
        "title": f"{title_of(closeup, words)} ({measure_of(closeup, words)})",
    }


class _Events:
    """Server-sent events: everything from where the viewer stopped, then each thing as it comes."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "GET":
            await _refused(405, "only GET")(scope, receive, send)
            return
        viewer = asyncio.Event()
        if not self._service.enter(viewer):
            await _refused(503, "too many viewers; try again later")(scope, receive, send)
            return
        try:
            gone = asyncio.ensure_future(_until_gone(receive, viewer))
            try:
                await self._tell(request, viewer, gone, send)
            finally:
                gone.cancel()
        except (TimeoutError, OSError):
            pass  # the viewer went away, or takes nothing any more
        finally:
            self._service.leave(viewer)

    async def _tell(self, request: Request, viewer: asyncio.Event, gone: asyncio.Future[None], send: Send) -> None:
        params = request.query_params
        language = params.get("lang", "")
        if language not in LANGUAGES:
            language = self._service.settings.language
        at = _seen(request.headers.get("last-event-id") or params.get("after", ""))
        live = -1
        headers = [(b"content-type", b"text/event-stream"), (b"x-accel-buffering", b"no")]
        await _sent(send, {"type": "http.response.start", "status": 200, "headers": headers})
        await _sent(send, _part("retry: 1500\n\n"))
        while not gone.done():
            viewer.clear()
            events, at, live = self._service.news(language, at, live)
            if events:
                await _sent(send, _part("".join(events)))
            try:
                await asyncio.wait_for(viewer.wait(), PING_S)
            except TimeoutError:
                await _sent(send, _part("event: ping\ndata:\n\n"))  # an event: scripts don't see comments


async def _until_gone(receive: Receive, viewer: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    viewer.set()


async def _sent(send: Send, message: Message) -> None:
    await asyncio.wait_for(send(message), SEND_S)


def _part(text: str) -> Message:
    return {"type": "http.response.body", "body": text.encode(), "more_body": True}


def _seen(text: str) -> tuple[str, int]:
    """Epoch and number of steps out of an event's id; nothing seen where it is none."""
    epoch, _, number = text.partition("-")
    return (epoch, int(number)) if number.isascii() and number.isdigit() and len(number) <= 7 else ("", 0)


def _event(kind: str, data: Mapping[str, Any], name: str | None = None) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{f'id: {name}' + chr(10) if name is not None else ''}event: {kind}\ndata: {text}\n\n"


def _json(data: Mapping[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(data), status_code=status, media_type="application/json")


def _refused(status: int, why: str) -> Response:
    return Response(why + "\n", status_code=status, media_type="text/plain")


class _Guarded:
    """Before anything else: only our own names, only plain requests; and the headers of every answer."""

    def __init__(self, app: ASGIApp, places: Places) -> None:
        self._app = app
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = message.setdefault("headers", [])
                there = {name.lower() for name, _ in own}
                own += [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in there]
            await send(message)

        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._places.knows(hosts[0]):
            await _refused(421, "unknown host; use the link that th-vision printed")(scope, receive, with_headers)
            return
        if len(scope["path"]) + len(scope["query_string"]) > MAX_PATH:
            await _refused(414, "too long")(scope, receive, with_headers)
            return
        app: Callable[[Scope, Receive, Send], Awaitable[None]] = self._app
        with suppress(ConnectionError):
            await app(scope, receive, with_headers)
