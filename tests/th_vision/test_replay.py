"""The referee's loop on a source: what it says, records and draws, however the source behaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.camera import Camera
from rules.errors import RulesError
from rules.events import MoveFact, RulingLine
from rules.layout import Layout
from rules.pieces import Pieces
from rules.record import read_record
from tests.th_vision.games import FIRST, PIECES, RAMPS, SECOND, THIRD
from tests.th_vision.still_scene import CAMERA, Scene, table
from th_vision.announce import Line
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.replay import Outputs, game_of, replay
from th_vision.still_view import StillView

GAME = game_of("rainbow-city", ("blue", "pink"), None, PIECES)
LAYOUTS = [Layout(), RAMPS, FIRST, SECOND, THIRD]


class Recording:
    """Moments of two frames, a hand before each; a stick more in each, so that they differ."""

    def __init__(
        self, moments: int = len(LAYOUTS), spoil: Callable[[list[Frame]], Iterator[Frame]] | None = None
    ) -> None:
        self._moments, self._spoil = moments, spoil

    @property
    def name(self) -> str:
        return "a recording"

    @property
    def camera(self) -> Camera:
        return CAMERA

    def __iter__(self) -> Iterator[Frame]:
        scene = Scene()
        frames = [scene.frame(), scene.frame()]
        for i in range(1, self._moments):
            frames.append(scene.frame(hand=(0, 0)))
            scene.stick(-120 + 50 * i, 30 * i - 60, 12 + 10 * i, 40 * i)
            frames += [scene.frame(), scene.frame()]
        yield from self._spoil(frames) if self._spoil else iter(frames)


def reader() -> Callable[[StillView, Pieces, Layout | None], Layout]:
    """Eyes that see the next layout at each moment."""
    coming = iter(LAYOUTS)
    return lambda view, pieces, prior: next(coming)


def run(source: Recording, **outputs: object) -> tuple[int, list[str]]:
    said: list[str] = []

    def say(line: Line) -> None:
        said.append(line.text)

    status = replay(source, table(), PIECES, GAME, Outputs(say=say, **outputs), read=reader())  # type: ignore[arg-type]  # paths and flags
    return status, said


def test_a_recording_is_refereed_from_ramps_to_score(tmp_path: Path) -> None:
    status, said = run(Recording(), record=tmp_path / "game.jsonl", picture=tmp_path / "table.png")
    assert status == 0
    assert [text.split(":")[0] for text in said if text.startswith(("Set-up", "Turn"))] == [
        "Set-up",
        "Set-up",
        "Turn 1",
        "Turn 2",
        "Turn 3",
    ]
    assert said[-1].startswith("Pink")
    record = read_record(tmp_path / "game.jsonl")
    assert not record.bad
    kinds = [json.loads(line)["type"] for line in (tmp_path / "game.jsonl").read_text().splitlines()]
    assert kinds[0] == "game"
    assert kinds.count("move") == 3
    assert kinds.count("ruling") == 5
    picture = cv2.imread(str(tmp_path / "table.png"))
    assert picture is not None
    assert picture.shape[1] > 500


def test_the_record_replays_to_the_same_rulings(tmp_path: Path) -> None:
    from rules.game import Game

    run(Recording(), record=tmp_path / "game.jsonl")
    lines = read_record(tmp_path / "game.jsonl").lines
    game = Game(GAME)
    written = [line for line in lines if isinstance(line, RulingLine)]
    again = []
    for line in lines[1:]:
        if isinstance(line, MoveFact) or line.type == "ramp":
            again += [a for a in game.apply(line) if isinstance(a, RulingLine)]  # type: ignore[arg-type]  # facts only
    assert again == written


def test_an_earlier_record_is_moved_aside(tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_text("an old game\n")
    run(Recording(), record=tmp_path / "game.jsonl")
    assert (tmp_path / "game.jsonl.1").read_text() == "an old game\n"


def test_ctrl_c_keeps_what_was_recorded(tmp_path: Path) -> None:
    def interrupted(frames: list[Frame]) -> Iterator[Frame]:
        yield from frames[:11]
        raise KeyboardInterrupt

    status, said = run(Recording(spoil=interrupted), record=tmp_path / "game.jsonl", picture=tmp_path / "table.png")
    assert status == 130
    assert any(text.startswith("Turn 2") for text in said)
    assert (tmp_path / "table.png").exists()
    assert '"turn":2' in (tmp_path / "game.jsonl").read_text()


def test_a_source_that_breaks_off_keeps_what_was_recorded_and_says_why(tmp_path: Path) -> None:
    def broken(frames: list[Frame]) -> Iterator[Frame]:
        yield from frames[:9]
        raise VisionError("depth/000009.png: is cut off; take it out")

    with pytest.raises(VisionError, match="000009"):
        run(Recording(spoil=broken), record=tmp_path / "game.jsonl", picture=tmp_path / "table.png")
    assert '"turn":1' in (tmp_path / "game.jsonl").read_text()
    assert (tmp_path / "table.png").exists()


def test_bad_frames_change_no_ruling() -> None:
    def spoilt(frames: list[Frame]) -> Iterator[Frame]:
        for i, frame in enumerate(frames):
            half = np.array(frame.depth)
            half[:, : half.shape[1] * 2 // 3] = 0
            yield Frame(frame.number, frame.time_s - 3.0 * (i % 2), frame.depth, frame.color)
            yield Frame(frame.number, frame.time_s, half, frame.color)
            yield Frame(frame.number, 0.0, frame.depth, None)
            yield Frame(frame.number, frame.time_s, np.zeros_like(frame.depth), np.zeros_like(frame.color))

    assert run(Recording(spoil=spoilt)) == run(Recording())


def test_a_source_without_any_frame_says_so() -> None:
    status, said = run(Recording(spoil=lambda frames: iter(())))
    assert status == 1
    assert said == ["Nothing to referee: no frame."]


def test_a_table_that_never_stands_still_says_so() -> None:
    def restless(frames: list[Frame]) -> Iterator[Frame]:
        scene = Scene()
        for i in range(6):
            yield scene.frame(hand=(i * 20 - 60, 0))

    status, said = run(Recording(spoil=restless))
    assert status == 1
    assert said == ["Nothing to referee: in none of 6 frames did the table stand still."]


def test_a_recording_without_ramps_is_no_game() -> None:
    status, said = run(Recording(moments=1))
    assert status == 1
    assert said == ["No game seen: not every player's ramp with its car was found."]


def test_a_view_that_can_t_be_read_ends_no_game() -> None:
    coming = iter(LAYOUTS)
    said: list[str] = []

    def read(view: StillView, pieces: Pieces, prior: Layout | None) -> Layout:
        layout = next(coming)
        if layout is FIRST:
            raise np.linalg.LinAlgError("singular matrix")
        return layout

    status = replay(Recording(), table(), PIECES, GAME, Outputs(say=lambda line: said.append(line.text)), read=read)
    assert status == 0
    assert sum("could not be read" in text for text in said) == 1
    assert [text.split(":")[0] for text in said if text.startswith("Turn")] == ["Turn 1", "Turn 2", "Turn 3"]


def test_quiet_says_only_how_it_stands_in_the_end() -> None:
    _, said = run(Recording(), quiet=True)
    assert said[0] == "At the end"


def test_missions_end_with_a_score() -> None:
    said: list[str] = []
    game = game_of("rainbow-city-missions", ("blue", "pink"), None, PIECES)
    replay(Recording(), table(), PIECES, game, Outputs(say=lambda line: said.append(line.text)), read=reader())
    assert any("point" in text for text in said[said.index("At the end") :])


@pytest.mark.parametrize(
    ("rules", "players", "options", "message"),
    [
        ("rainbow-city", ("blue",), {}, "1 given"),
        ("rainbow-city", (), {}, "0 given"),
        ("rainbow-city", ("blue", "purple"), {}, "'purple' has no colour"),
        ("rainbow-city", ("blue", "blue"), {}, "same name"),
        ("rainbow-city", ("blue", "pink", "green", "green2", "green3"), {}, "5 given"),
        ("tokyo", ("blue", "pink"), {}, "unknown rules 'tokyo'"),
        ("classic", ("blue", "pink", "green"), {}, "players"),
        ("rainbow-city", ("blue", "pink"), {"first": "perhaps"}, "first"),
        ("rainbow-city", ("blue", "pink"), {"second": "state"}, "second"),
    ],
)
def test_a_game_that_can_t_be_is_one_clear_line(
    rules: str, players: tuple[str, ...], options: dict[str, object], message: str
) -> None:
    with pytest.raises(RulesError, match=message) as caught:
        game_of(rules, players, options, PIECES)
    assert "\n" not in str(caught.value)


def test_a_picture_in_a_missing_folder_is_refused_before_the_game_begins(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="no such folder"):
        run(Recording(), picture=tmp_path / "nowhere" / "table.png")
