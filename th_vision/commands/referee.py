"""``th-vision referee``: a live game, followed at the table; or a recording, as if it were one."""

from __future__ import annotations

import contextlib
import queue
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calibration.table import TableCalibration
from rules.adjudicate import parse_options
from rules.catalog import LANGUAGES, catalog
from rules.errors import RulesError
from rules.events import GameFact, MoveFact
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from rules.record import RecordWriter
from th_vision.announce import Line
from th_vision.errors import VisionError
from th_vision.follow import Follower
from th_vision.follow_events import Output, Told
from th_vision.frame import Frame, Source
from th_vision.live.protocol import LiveSource
from th_vision.output import STDOUT, check_outputs, refuse_stdout
from th_vision.referee.commands import Recalibrate, Spoken
from th_vision.referee.events_json import JsonEvents
from th_vision.referee.keeping import DiskWatch, Keeper
from th_vision.referee.keys import Keyboard
from th_vision.referee.live import Wiring, run_live
from th_vision.referee.loop import Referee
from th_vision.referee.outputs import Outputs
from th_vision.referee.reading import ReadAside
from th_vision.referee.resume import Resumed, check_same_game, load_game
from th_vision.referee.screen import Screen
from th_vision.referee.status import Status
from th_vision.replay import game_of
from th_vision.said import in_language
from th_vision.sessions.brought import open_with_table, pieces_for
from th_vision.still_view import StillView

USUAL_RULES = "rainbow-city"


@dataclass(frozen=True)
class Asked:
    """What a user asked for. ``now``: for the name of a record that has none, ``20250102-200000``.

    ``serve``: ``HOST:PORT``, ``HOST`` or ``:PORT`` of the page; empty: no page. ``json``: a file, or ``-``.
    """

    spec: str
    calibration: Path | None
    pieces: Path | None
    rules: str
    players: str
    options: Sequence[str] = ()
    record: Path | None = None
    game: Path | None = None
    picture: Path | None = None
    json: Path | None = None
    resume: Path | None = None
    say: bool = False
    say_places: bool = False
    clips: Path | None = None
    serve: str | None = None
    lang: str = "en"
    quiet: bool = False
    color: bool = False
    terminal: bool = False
    turn_pause_s: float | None = None
    speed: float = 1.0
    now: str = ""


def run(asked: Asked) -> Outcome:
    """Referee until the source ends, somebody quits, or Ctrl-C.

    Raises:
        VisionError, CalibrationError, RulesError: an input can't be used, or an output can't be written.
    """
    _check(asked)
    source, table = open_with_table(asked.spec, asked.calibration)
    with contextlib.ExitStack() as ending:
        if isinstance(source, LiveSource):
            ending.callback(source.close)
        pieces = pieces_for(source, asked.pieces)
        resumed = None if asked.resume is None else load_game(asked.resume)
        fact = _game(asked, pieces, resumed)
        follower = (
            Follower(fact, pieces, turn_pause_s=asked.turn_pause_s)
            if resumed is None
            else resumed.follower(pieces, turn_pause_s=asked.turn_pause_s)
        )
        stdout_taken = STDOUT in (asked.game, asked.json)
        screen = Screen(
            sys.stderr if stdout_taken else sys.stdout,
            color=asked.color,
            living=asked.terminal,
            width=None if asked.terminal else 100,
            language=asked.lang,
        )
        ending.callback(screen.close)
        commands: queue.Queue[Spoken] = queue.Queue()
        seats = _Seats(asked, follower, commands, screen)
        game_path = asked.game or asked.resume or Path(f"game-{asked.now}.jsonl")
        for closing in seats.open(fact, pieces, resumed, game_path):
            ending.callback(closing)
        session = _session(asked, source, ending)
        writer, note = _writer(asked, game_path)

        def warn(text: str) -> None:
            screen.say(in_language(Line(text, kind="too_close"), asked.lang))

        keeper = Keeper(writer, patient=True, warn=warn)
        ending.callback(keeper.close)
        reader = ReadAside(pieces)
        ending.callback(reader.close)
        referee = Referee(follower, table, pieces, seats.outputs(asked, session), keeper, reader=reader)
        _begin(fact, resumed, keeper, session, elsewhere=game_path != asked.resume)
        if writer is not None:
            ending.callback(seats.keep_passes(game_path))
        for line in _greeting(asked, game_path if writer is not None else None, note, resumed, follower):
            screen.say(in_language(line, asked.lang))
        keyboard = ending.enter_context(Keyboard(commands.put, fact.players))
        disk = DiskWatch(lambda: "" if session is None else session.disk_error, warn)

        def show(status: Status) -> None:
            seats.status(status, keyboard.typed)
            disk.look()

        wiring = Wiring(
            commands,
            frame=session.frame if session is not None else _nothing,
            status=show,
            recalibrate=lambda command: _table(command, source),
        )
        status = run_live(source, referee, wiring, 0.0 if isinstance(source, LiveSource) else asked.speed)
    troubles = tuple(session.troubles) if session is not None else ()
    return Outcome("", (*getattr(source, "troubles", ()), *troubles), status)


def _nothing(frame: Frame) -> None:
    """No recording is made."""


def _check(asked: Asked) -> None:
    refuse_stdout(asked.picture, "a picture")
    refuse_stdout(asked.record, "a session")
    refuse_stdout(asked.resume, "a game to go on with")
    game = None if asked.game == asked.resume else asked.game
    check_outputs((game, asked.picture, asked.json, asked.record), (asked.spec, asked.calibration, asked.pieces))
    catalog(asked.lang)  # an unknown language is refused now, not at the first sentence
    if asked.pieces is not None:
        load_pieces(asked.pieces)
    if not 0 <= asked.speed <= 1000:
        raise VisionError(f"--speed {asked.speed:g}: is no speed; 1 is the recording's own, 0 as fast as it can")
    if asked.turn_pause_s is not None and not 1 <= asked.turn_pause_s <= 3600:
        raise VisionError(f"--turn-pause {asked.turn_pause_s:g}: give seconds, 1 to 3600")


def _game(asked: Asked, pieces: Pieces, resumed: Resumed | None) -> GameFact:
    names = tuple(name.strip() for name in asked.players.split(",") if name.strip())
    if resumed is None:
        if not names:
            example = ",".join(list(pieces.players)[:2])
            raise RulesError(f"players: nobody is named; say --players {example}, in the order of turns")
        return game_of(asked.rules or USUAL_RULES, names, parse_options(asked.options), pieces)
    if names and asked.resume is not None:
        check_same_game(resumed, game_of(resumed.game.rules, names, None, pieces), asked.resume)
    if asked.options:
        raise RulesError("--set: a game that is taken up keeps its own switches; leave --set out")
    if asked.rules and asked.rules != resumed.game.rules:
        raise RulesError(f"--rules {asked.rules}: this game goes on by {resumed.game.rules}; leave --rules out")
    return resumed.game


def _writer(asked: Asked, path: Path) -> tuple[RecordWriter | None, str]:
    """The record; a place that was not asked for may be missing without ending the game."""
    try:
        writer = RecordWriter.open(path, resume=path == asked.resume)
        return writer, "" if writer.kept is None else f"The game that was there is kept: {writer.kept}."
    except RulesError as error:
        if asked.game is not None or asked.resume is not None:
            raise
        return None, f"No record is kept: {error}"


def _session(asked: Asked, source: Source, ending: contextlib.ExitStack) -> Any:
    if asked.record is None:
        return None
    from th_vision.sessions.source_info import info_of
    from th_vision.sessions.writer import SessionWriter

    session = SessionWriter.open(
        asked.record,
        camera=source.camera,
        table_toml=asked.calibration,
        pieces_toml=asked.pieces,
        info={**info_of(source), "recorded_at": asked.now},
        live=isinstance(source, LiveSource),
    )
    ending.callback(session.close)
    return session


def _begin(fact: GameFact, resumed: Resumed | None, keeper: Keeper, session: Any, *, elsewhere: bool) -> None:
    """The record's first line, or what was cut off of its last ones; all of a game that goes on in a record
    ``elsewhere``."""
    if resumed is None:
        keeper.write(fact)
    else:
        keeper.write(*(resumed.lines if elsewhere else ()), *resumed.missing)
    if session is not None:
        session.game_line(fact, 0.0)
        for earlier in resumed.facts if resumed is not None else ():
            session.game_line(earlier, 0.0)


def _greeting(asked: Asked, path: Path | None, note: str, resumed: Resumed | None, follower: Follower) -> list[Line]:
    said = []
    if resumed is not None:
        turns = max((fact.turn for fact in resumed.facts if isinstance(fact, MoveFact)), default=0)
        said.append(Line(f"The game goes on after turn {turns}; I hold the table against its record.", kind="head"))
        said += [Line(note, kind="too_close") for note in resumed.notes]
        if follower.game.finished:
            said.append(Line("By its record this game is over; say u to take the last turn back.", kind="too_close"))
    if path is not None and path != STDOUT:
        said.append(Line(f"The game's record: {path}.", f"(th-vision referee ... --resume {path} goes on with it)"))
    if note:
        said.append(Line(note, kind="too_close"))
    if asked.terminal:
        said.append(Line("Say ? and Enter for what can be said; Ctrl-C stops."))
    return said


def _table(command: Recalibrate, source: Source) -> TableCalibration:
    """The calibration in a file, if it is this camera's."""
    from calibration.table_file import check_camera, load_table

    table = load_table(command.table)
    check_camera(table, source.camera)
    return table


class _Seats:
    """Everybody who watches: the terminal, a page, a voice, another program, a session."""

    def __init__(self, asked: Asked, follower: Follower, commands: queue.Queue[Spoken], screen: Screen) -> None:
        self._asked, self._follower, self._commands, self._screen = asked, follower, commands, screen
        self._json: JsonEvents | None = None
        self._page: Any = None
        self._passes: Any = None
        self._news = False  # something was told or corrected: other questions may be open now
        self._voice: Any = None
        self._last: Status | None = None
        self._view: StillView | None = None

    def open(self, fact: GameFact, pieces: Pieces, resumed: Resumed | None, record: Path) -> list[Callable[[], object]]:
        """Open what was asked for; gives back what closes it. Of a game that goes on, the page lets those in who were
        let in before; ``record`` is where it is written."""
        asked, closing = self._asked, list[Callable[[], object]]()
        if asked.json is not None:
            stream = sys.stdout.buffer if asked.json == STDOUT else open(asked.json, "wb")  # noqa: SIM115 - closed at the end
            self._json = JsonEvents(stream)
            closing += [] if asked.json == STDOUT else [stream.close]
        if asked.serve is not None:
            import time

            from th_vision.commands.serve import introduction
            from th_vision.page.passes import Passes, kept
            from th_vision.page.server import Page

            passes = kept(record, time.time()) if resumed is not None and record == asked.resume else None
            self._passes = passes or Passes.new()
            self._page = Page(
                commands=self._commands,
                language=asked.lang,
                pieces=pieces,
                passes=self._passes,
                **_address(asked.serve),
            )
            self._page.start()
            closing.append(self._page.close)
            for text in introduction(self._page)[:-1]:
                self._screen.text(text)
            self._page.publish("game", fact)
            for earlier in resumed.facts if resumed is not None else ():
                self._page.publish("fact", earlier)
        if asked.say or asked.say_places or asked.clips is not None:
            from th_vision.voice.voice import Voice

            self._voice = Voice(asked.lang, clips=asked.clips, places=asked.say_places)
            closing.append(self._voice.close)
        return closing

    def keep_passes(self, record: Path) -> Callable[[], object]:
        """Keep beside the record what lets viewers in; gives back what to do at the end: of a game that is over, nobody
        needs it any more."""
        if self._passes is None or record == STDOUT:
            return lambda: None
        from th_vision.page.passes import forget, keep

        keep(self._passes, record)
        return lambda: forget(record) if self._follower.state == "finished" else None

    def outputs(self, asked: Asked, session: Any) -> Outputs:
        """Where the referee sends everything."""
        outputs = Outputs(
            say=self._say, picture=asked.picture, language=asked.lang, quiet=asked.quiet, watch=self._watch
        )
        if self._page is not None:
            outputs = replace(outputs, view=self._see)
        if session is not None:
            outputs = replace(outputs, line=session.game_line, layout=session.scene)
        return replace(outputs, answer=self._speak) if self._voice is not None else outputs

    def _speak(self, line: Line) -> None:
        """An answer: who asked wants the numbers too."""
        line = in_language(line, self._asked.lang)
        if line.reason and line.kind == "info":
            self._voice.details(line)
        else:
            self._voice.say(line)

    def status(self, status: Status, typed: str) -> None:
        """How things are just now."""
        self._screen.status(status, typed)
        if self._json is not None:
            import time

            self._json.status(status, time.monotonic())
        essence = (status.state, status.trouble, status.player, status.cars)
        last = self._last
        changed = last is None or essence != (last.state, last.trouble, last.player, last.cars)
        if self._page is not None and (changed or self._news):
            self._news = False
            self._page.publish("live", self._live(status))
        self._last = status

    def _live(self, status: Status) -> dict[str, Any]:
        from th_vision.referee.questions import open_questions

        questions = {language: open_questions(self._follower, language) for language in LANGUAGES}
        return {
            "state": status.state,
            "trouble": status.trouble,
            "paused": status.state == "paused",
            "question": {language: asked[0].text if asked else "" for language, asked in questions.items()},
        }

    def _show_what_was_seen(self, output: Output) -> None:
        """The camera's own picture of a move, beside its ruling."""
        if isinstance(output, Told) and isinstance(output.fact, MoveFact) and self._view is not None:
            from th_vision.crop import crop_of_road

            picture = crop_of_road(self._view, output.fact.road)
            if picture is not None:
                self._page.publish("crop", (output.fact.road.id, picture))

    def _see(self, view: StillView) -> None:
        self._view = view

    def _say(self, line: Line) -> None:
        line = in_language(line, self._asked.lang)
        self._screen.say(line)
        if self._json is not None:
            self._json.line(line)

    def _watch(self, output: Output) -> None:
        if self._json is not None:
            self._json.output(output)
        if self._page is not None:
            self._news = True
            self._page.publish("output", output)
            self._show_what_was_seen(output)
        if self._voice is not None:
            self._voice.hear(output, self._follower.game)


def _address(text: str) -> dict[str, Any]:
    """Host and port of ``HOST:PORT``; either may be left out.

    Raises:
        VisionError: the port is none.
    """
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = (text, "") if not text.isdigit() else ("", text)
    found: dict[str, Any] = {"host": host} if host else {}
    if port:
        if not (port.isascii() and port.isdigit() and int(port) < 65536):
            raise VisionError(f"--serve {text}: {port!r} is no port; give HOST:PORT, such as 0.0.0.0:8087")
        found["port"] = int(port)
    return found
