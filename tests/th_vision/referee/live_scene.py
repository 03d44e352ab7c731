"""A game before a camera for tests of the live loop: each scene carries its number in a corner, so that eyes that look
there see the right layout, whatever frames were lost on the way."""

from __future__ import annotations

import functools
import queue
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from calibration.camera import Camera
from rules.events import GameFact
from rules.layout import Layout
from rules.pieces import Pieces
from rules.record import RecordWriter
from tests.th_vision.games import FIRST, PIECES, RAMPS, SECOND, THIRD, game_line
from tests.th_vision.still_scene import CAMERA, Scene, table
from th_vision.announce import Line
from th_vision.follow import Follower
from th_vision.follow_events import Output
from th_vision.frame import Frame
from th_vision.live.protocol import CameraState
from th_vision.referee.commands import Spoken
from th_vision.referee.keeping import Keeper
from th_vision.referee.keys import understood
from th_vision.referee.live import Wiring, run_live
from th_vision.referee.loop import Referee
from th_vision.referee.outputs import Outputs
from th_vision.referee.reading import ReadAside
from th_vision.referee.status import Status
from th_vision.still_view import StillView

LAYOUTS = (Layout(), RAMPS, FIRST, SECOND, THIRD)
STILL = 7
"""Still frames of each scene."""
_BASE, _STEP = 40, 24


def scenes() -> list[Frame]:
    """All frames: in every scene after the first a hand, then stillness with one stick more than before."""
    return list(_scenes())


@functools.cache
def _scenes() -> tuple[Frame, ...]:
    scene = Scene()
    frames: list[Frame] = []
    for i in range(len(LAYOUTS)):
        if i:
            frames.append(marked(scene.frame(hand=(0, 0)), i - 1))
            scene.stick(-120 + 50 * i, 30 * i - 60, 12 + 10 * i, 40 * i)
        frames += [marked(scene.frame(), i) for _ in range(STILL)]
    return tuple(frames)


def marked(frame: Frame, number: int) -> Frame:
    """The frame with the scene's number in a corner."""
    assert frame.color is not None
    color = frame.color.copy()
    color[:12, :12] = _BASE + _STEP * number
    return replace(frame, color=color)


def read(view: StillView, pieces: Pieces, prior: Layout | None) -> Layout:
    """What the corner says is there."""
    assert view.color_bgr is not None
    return LAYOUTS[round((float(view.color_bgr[2:10, 2:10].mean()) - _BASE) / _STEP)]


@dataclass
class Film:
    """A plain source; ``spoil`` does what it likes with the frames."""

    frames: list[Frame] = field(default_factory=scenes)
    spoil: Callable[[list[Frame]], Iterable[Frame]] | None = None
    name: str = "a film"
    camera: Camera = CAMERA

    def __iter__(self) -> Iterator[Frame]:
        yield from self.frames if self.spoil is None else self.spoil(list(self.frames))


class Camera2(Film):
    """The same as a live source; ``state`` is what the test makes of it."""

    state = CameraState("running")
    closed = 0

    def read_latest(self, max_age_s: float) -> Frame | None:
        return None

    def close(self) -> None:
        self.closed += 1


@dataclass
class Evening:
    """One game played live: what was said, told and shown, and how it ended."""

    follower: Follower
    lines: list[Line] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    status: int = -1

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    @property
    def facts(self) -> list[str]:
        return [fact.type for fact in self.follower.told if fact.type != "said"]


def evening(
    source: Film | None = None,
    *,
    record: Path | None = None,
    words: Iterable[str] = (),
    keeper: Keeper | None = None,
    commands: queue.Queue[Spoken] | None = None,
    game: GameFact | None = None,
    follower: Follower | None = None,
    on_status: Callable[[Status, queue.Queue[Spoken]], None] | None = None,
    on_output: Callable[[Output, queue.Queue[Spoken]], None] | None = None,
    clock: Callable[[], float] | None = None,
) -> Evening:
    """Play a source through the live loop. ``words`` are said before it begins."""
    fact = game or game_line()
    night = Evening(follower or Follower(fact, PIECES))
    said = commands or queue.Queue()
    for text in words:
        said.put(understood(text, fact.players))

    def watch(output: Output) -> None:
        night.outputs.append(output)
        if on_output is not None:
            on_output(output, said)

    outputs = Outputs(say=night.lines.append, watch=watch)
    kept = keeper or Keeper(None if record is None else RecordWriter.open(record, resume=follower is not None))
    if follower is None:
        kept.write(fact)
    reader = ReadAside(PIECES, read, process=False)
    referee = Referee(night.follower, table(), PIECES, outputs, kept, reader=reader)

    def status(now: Status) -> None:
        night.statuses.append(now)
        if on_status is not None:
            on_status(now, said)

    wiring = Wiring(said, status=status)
    if clock is not None:
        wiring.clock = clock
    try:
        night.status = run_live(source or Film(), referee, wiring, speed=0)
    finally:
        kept.close()
        reader.close()
    return night


def dark(frame: Frame) -> Frame:
    """The frame with the light out."""
    assert frame.color is not None
    return replace(frame, color=np.zeros_like(frame.color))


def half(frame: Frame) -> Frame:
    """The frame with most of its depth gone."""
    depth = frame.depth.copy()
    depth[:, : depth.shape[1] * 2 // 3] = 0
    return replace(frame, depth=depth)
