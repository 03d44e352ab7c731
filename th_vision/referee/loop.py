"""One game being refereed: frames and words in; states, rulings, sentences and the record out.

Watching, reading, following and saying, frame by frame. Live and recorded games go through the same ``Referee``; only
who reads (at once, or aside) differs, and whether trouble with the disk waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from calibration.board import Board, BoardFinder
from calibration.table import TableCalibration
from rules.events import AlertLine, ScoreLine, SupplyLine
from rules.events import Line as RecordLine
from rules.layout import Road
from rules.messages import messages
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.announce import Announcer, Line
from th_vision.evidence import stands_in, stirred_in
from th_vision.fallen import fallen_sticks
from th_vision.follow import Follower
from th_vision.follow_events import Ended, Event, HandSeen, Moving, Output, Paused, Settled, Told, Waited, Warned
from th_vision.frame import Frame
from th_vision.picture import draw_table, save_picture
from th_vision.referee.commands import CommandError, Spoken
from th_vision.referee.hearing import Do, Hearing
from th_vision.referee.keeping import Keeper
from th_vision.referee.outputs import Outputs
from th_vision.referee.reading import Read, Reader, Reading, ReadNow
from th_vision.referee.status import Pace, Status, status_of
from th_vision.referee.steady import Steady, drift_mm
from th_vision.rim import field_of
from th_vision.standings import kinds_of, legend_of
from th_vision.still_view import StillView
from th_vision.stillness import Moment, Seen, Stillness

BOARD_CORNERS = 4
"""So many corners of the calibration board in view make a frame one of the board, not of the game."""
MOST_WAITING = 6
"""So many still moments may wait to be read; of more, the oldest ones are left out."""


@dataclass(frozen=True)
class Timing:
    """How long the last ruling took, s: from the first still frame to the moment's last one by the source's clock, and
    by the computer's waiting for the reader, fusing, reading, fetching what was read, and following with saying.
    ``first_s`` and ``last_s``: when those frames were taken, by the source's clock."""

    first_s: float
    last_s: float
    waiting_s: float
    fusing_s: float
    reading_s: float
    fetching_s: float
    telling_s: float

    @property
    def watching_s(self) -> float:
        """How long still frames were gathered."""
        return self.last_s - self.first_s


class Referee:
    """One game being refereed. ``see`` takes frames, ``hear`` what players say, ``work`` goes on with what is read
    aside; ``finish`` ends it. ``timing`` is of the last moment that was read."""

    def __init__(
        self,
        follower: Follower,
        table: TableCalibration,
        pieces: Pieces,
        outputs: Outputs,
        keeper: Keeper | None,
        read: Read | None = None,
        *,
        reader: Reader | None = None,
    ) -> None:
        self.follower = follower
        self._pieces, self._outputs = pieces, outputs
        self._keeper = keeper or Keeper(None)
        self._reader: Reader = reader or ReadNow(pieces, read)
        self._announcer = Announcer(language=outputs.language, quiet=outputs.quiet)
        self._hearing = Hearing(outputs.language)
        self._board = BoardFinder(Board())
        self._use(table)
        self._last_view: StillView | None = None
        self._last: Told | None = None
        # Moments to read, with when they came (``perf_counter``); what happened after them, by the frames' clock.
        self._waiting: deque[tuple[Moment | Event, float]] = deque()
        self._read_with = table
        self._frames = self._moments = 0
        self._sight: Seen | None = None
        self._blind_since_s: float | None = None
        self._blind_said = self._bumped = self._drift_said = False
        self._pace = Pace()
        self.timing: Timing | None = None

    @property
    def table(self) -> TableCalibration:
        """The calibration in use."""
        return self._table

    def _use(self, table: TableCalibration) -> None:
        self._table = table
        self._stillness = Stillness(table)
        x, y, z = np.linalg.inv(table.T_color_table)[:3, 3]
        self._eye = (float(x), float(y), float(z))
        self._field = field_of(table)
        self._steady = Steady(table)

    def recalibrated(self, table: TableCalibration) -> None:
        """Go on with another calibration of the same table; the game stays. What stands is read anew."""
        self._use(table)
        self._last_view = None
        self._drift_said = self._bumped = False
        self._waiting.clear()

    # --- frames ---

    def see(self, frame: Frame, now_s: float | None = None) -> None:
        """Take the next frame; ``now_s``: when it came, by the clock of whoever shows the frame rate."""
        self._frames += 1
        self._pace.frame(frame.time_s if now_s is None else now_s)
        if not self.follower.game.roads and self._shows_board(frame):
            return
        seen = self._sight = self._stillness.see(frame)
        self._blind(seen)
        self._watch_the_camera(frame, seen)
        if seen.moment is not None and not self.follower.paused:
            self._waiting.append((seen.moment, perf_counter()))
            self._drop_the_oldest()
        self.work()
        if seen.state == "hand":
            self._in_turn(HandSeen(seen.hand_from_deg), seen.time_s)
        elif seen.state == "moving":
            self._in_turn(Moving(), seen.time_s)
        elif seen.state == "still" and not self.busy:
            self._happened(Waited(), seen.time_s)

    def _in_turn(self, event: Event, time_s: float) -> None:
        """A hand, or something that moves, after moments that are still to be read: it is told after them, so that the
        next player's hand is not taken for the one that made the move before."""
        if self.busy:
            self._waiting.append((event, time_s))
        else:
            self._happened(event, time_s)

    @property
    def _moments_waiting(self) -> int:
        return sum(isinstance(what, Moment) for what, _ in self._waiting)

    def _drop_the_oldest(self) -> None:
        """More moments than can be read in time: the oldest is left out; what happened around it is not."""
        while self._moments_waiting > MOST_WAITING:
            oldest = next(i for i, (what, _) in enumerate(self._waiting) if isinstance(what, Moment))
            del self._waiting[oldest]

    @property
    def busy(self) -> bool:
        """Still moments are being read, or wait to be."""
        return self._reader.busy or (bool(self._waiting) and not self._steady.suspicious)

    @property
    def behind(self) -> bool:
        """A moment waits while another one is read: a source that can wait, should."""
        return self._reader.busy and self._moments_waiting > 0

    def work(self) -> None:
        """Take in what was read meanwhile, and begin with what waits; try again what could not be written."""
        self._keeper.retry()
        while True:
            reading = self._reader.done()
            if reading is not None:
                if self._read_with is self._table:  # not where the camera was moved meanwhile
                    self._settled(reading)
            elif self._reader.busy or not self._begin():
                return

    def _begin(self) -> bool:
        """Have the next waiting moment read; False where none waits."""
        while self._waiting and not self._steady.suspicious:
            what, came_s = self._waiting.popleft()
            if not isinstance(what, Moment):
                self._happened(what, came_s)
                continue
            if what.longer and not self.follower.wants_another_look:
                continue
            self._waited_s = perf_counter() - came_s
            prior = None if self.follower.takes_fresh_look() else self.follower.expected()
            known = prior is not None and (prior.columns or prior.roads or prior.city)
            self._read_with = self._table
            self._reader.start(what, self._table, prior if known else None)
            return True
        return False

    def _settled(self, reading: Reading) -> None:
        moment, view, layout = reading.moment, reading.view, reading.layout
        self._moments += 1
        if view is None or layout is None:  # one odd view must not end a game
            what = f"At {moment.time_s:.1f} s the table could not be read"
            self._outputs.say(Line(f"{what}; the next still moment will tell.", f"({reading.error})", "too_close"))
            return
        told_s = perf_counter()
        before = self._last_view

        def fallen(standing: object) -> list[Road]:
            return [] if before is None else fallen_sticks(before, view, standing, self._pieces)  # type: ignore[arg-type]  # a layout

        stands, stirred = stands_in(before, view, self._pieces), stirred_in(before, view, self._pieces)
        self._outputs.view(view)
        self._happened(Settled(layout, stands, fallen, self._eye, self._field, stirred), moment.time_s)
        self._outputs.layout(self.follower.known.layout, moment.time_s)
        self._last_view = view
        self._steady.settled(view)
        self._look_after_drift(view, moment.time_s)
        seen_s = moment.frames[0].time_s, moment.frames[-1].time_s
        fetched_s = max(0.0, told_s - reading.done_s)
        self.timing = Timing(*seen_s, self._waited_s, *reading.took_s, fetched_s, perf_counter() - told_s)

    def _blind(self, seen: Seen) -> None:
        """Frames that can't be used, one after the other: say so, and say when it is over."""
        if seen.state != "unusable":
            if self._blind_said:
                self.answer(Line("I see the table again.", kind="legal"))
                self._stillness.again()
            self._blind_since_s, self._blind_said = None, False
            return
        if self._blind_since_s is None:
            self._blind_since_s = seen.time_s
        if not self._blind_said and seen.time_s - self._blind_since_s >= tol.BLIND_S:
            self._blind_said = True
            line = AlertLine(kind="frames-lost", turn=self.follower.game.turn)
            words = f"I see nothing I can use: {seen.reason}. Please look after light and camera; the game waits."
            self._out([Warned(line, words, seen.time_s)])

    def _watch_the_camera(self, frame: Frame, seen: Seen) -> None:
        """A bump is measured and taken into account, or the game pauses until it is put right."""
        noticed = self._steady.see(frame, seen)
        if noticed is None:
            return
        turn = self.follower.game.turn
        if noticed.kind == "measured" and noticed.table is not None:
            self.recalibrated(noticed.table)
            line = AlertLine(kind="camera-moved", value=noticed.value, sigma=noticed.sigma, turn=turn)
            words = f"The camera or the table was moved by {noticed.value:.1f} mm; I measured it and go on."
            self._out([Warned(line, words, seen.time_s)])
            self._go_on()
        elif noticed.kind == "moved":
            line = AlertLine(kind="camera-moved", value=noticed.value, turn=turn)
            moved = f"moved by about {noticed.value:.0f} mm" if noticed.value else "moved far"
            words = (
                f"The camera or the table was {moved}, and I can't measure how. Put it back, or calibrate again and "
                "say recalibrate table.toml; go goes on as it is."
            )
            self._waiting.clear()
            self._bumped = True
            self._happened(Paused(True, words, line), seen.time_s)
        elif noticed.kind == "back":
            self._go_on()
        else:
            line = AlertLine(kind="recalibrate", value=noticed.value, unit="times", turn=turn)
            words = f"The light is {noticed.value:.1f} times what it was; colours may be misread, look at new cars."
            self._out([Warned(line, words, seen.time_s)])

    def _go_on(self) -> None:
        """The camera looks as it should again: a game that was paused for that goes on."""
        if self._bumped:
            self._bumped = False
            self.tell(Paused(on=False))
            self.answer(Line("The game goes on.", kind="legal"))
        self._stillness.again()

    def _look_after_drift(self, view: StillView, time_s: float) -> None:
        drift = drift_mm(view)
        if abs(drift) < tol.DRIFT_MM or self._drift_said:
            return
        self._drift_said = True
        line = AlertLine(kind="recalibrate", value=drift, turn=self.follower.game.turn)
        words = f"Depth has drifted by {drift:.0f} mm since the calibration; calibrate again when it suits you."
        self._out([Warned(line, words, time_s)])

    def _shows_board(self, frame: Frame) -> bool:
        if frame.color is None or frame.color.ndim != 3:
            return False
        view = self._board.find(frame.color)
        return view is not None and len(view) >= BOARD_CORNERS

    # --- words ---

    def hear(self, spoken: Spoken) -> Do:
        """Answer what somebody said; gives back what is left to do for whoever runs the loop."""
        try:
            heard = self._hearing.hear(spoken, self.follower)
        except CommandError as error:
            self.answer(Line(f"{str(error)[:1].upper()}{str(error)[1:]}", kind="too_close"))
            return ""
        time_s = self._sight.time_s if self._sight is not None else 0.0
        for event in heard.events:
            self._happened(event, time_s)
        for line in heard.lines:
            self.answer(line)
        if heard.do == "look again":
            self._stillness.again()
            self._steady, self._bumped = Steady(self._table), False
            return ""
        return heard.do

    # --- the end ---

    def last_look(self) -> None:
        """The source is over: what still stands is read."""
        self._steady = Steady(self._table)
        last = self._stillness.finish()
        if last is not None and not self.follower.paused:
            self._waiting.append((last, perf_counter()))
        self.work()

    def finish(self, *, read: bool = True) -> None:
        """The game is over: read what still stands (if ``read``), then say the score and draw the picture."""
        if read:
            self.last_look()
        self._happened(Ended(), 0.0)
        if not self._moments and not self.follower.game.roads:
            said = "no frame" if not self._frames else f"in none of {self._frames} frames did the table stand still"
            self._outputs.say(Line(f"Nothing to referee: {said}.", kind="fault"))
        elif not self.follower.game.roads:
            self._outputs.say(Line("No game seen: not every player's ramp with its car was found.", kind="fault"))
        else:
            self._say_score()
        self.close()

    def close(self) -> None:
        """Draw the picture of the table as it was last known."""
        if self._outputs.picture is None:
            return
        layout, game = self.follower.known.layout, self.follower.game
        legend = legend_of(layout, game, self._last, self.follower.newest, self._outputs.language)
        save_picture(self._outputs.picture, draw_table(layout, self._pieces, game.owners, legend))

    def status(self, now_s: float, trouble: str = "") -> Status:
        """How things are; ``now_s`` by the clock that ``see`` was given."""
        sight = self._sight
        reason = sight.reason if sight is not None and sight.state == "unusable" else ""
        return status_of(
            self.follower,
            sight=sight.state if sight is not None else None,
            fps=self._pace.fps,
            age_s=self._pace.age_s(now_s),
            reading=self.busy,
            trouble=trouble or reason,
        )

    # --- out ---

    def _happened(self, event: Event, time_s: float) -> None:
        self._out(self.follower.handle(event, time_s))

    def tell(self, event: Event) -> None:
        """Something that is neither seen nor said, such as a pause because the camera was moved."""
        self._happened(event, self._sight.time_s if self._sight is not None else 0.0)

    def answer(self, line: Line) -> None:
        """Say something that follows from no output."""
        self._outputs.say(line)
        self._outputs.answer(line)

    def warn(self, line: AlertLine, words: str) -> None:
        """Something that the players should know, and the record."""
        self._out([Warned(line, words, self._sight.time_s if self._sight is not None else 0.0)])

    def _out(self, said: Sequence[Output]) -> None:
        for output in said:
            if isinstance(output, Told):
                self._record(output.time_s, output.fact, *output.answers)
                self._last = output
            elif isinstance(output, Warned):
                self._record(output.time_s, output.line)
            game = self.follower.game
            self._outputs.watch(output)
            for line in self._announcer.lines(output, game.owners, kinds_of(game)):
                self._outputs.say(line)

    def _record(self, time_s: float, *lines: RecordLine) -> None:
        self._keeper.write(*lines)
        for line in lines:
            self._outputs.line(line, time_s)

    def _say_score(self) -> None:
        """What is too late now, the score where missions are played, and what everyone still holds."""
        game, language = self.follower.game, self._outputs.language
        for late in self._announcer.turn_over():
            self._outputs.say(late)
        self._outputs.say(Line("At the end", kind="head"))
        lines: list[ScoreLine | SupplyLine] = [SupplyLine(turn=game.turn, players=dict(game.supplies))]
        if game.rules.missions:
            lines.insert(0, ScoreLine(turn=game.turn, players=game.score()))
        for line in lines:
            for message in messages(line, language=language):
                self._outputs.say(Line(message.text, message.reason))
