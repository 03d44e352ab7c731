"""The command: a file that can be read and believed, words about what is doubtful, and refusals that cost nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import tomlkit

from calibration.camera import Camera
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from th_vision.commands import calibrate_pieces as command
from th_vision.enroll.arrange import arrange
from th_vision.enroll.enrolled import Entry, judge
from th_vision.enroll.moments import await_layout, layout_view
from th_vision.enroll.pieces_file import pieces_toml
from th_vision.enroll.sizes import Size
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.protocol import CameraState

from .laid import Example, laid_example
from .test_sizes import EXAMPLES

NOW = "2026-01-02T03:04:05+00:00"


@dataclass(frozen=True)
class Recording:
    """Frames in memory as a source."""

    camera: Camera
    frames: tuple[Frame, ...]
    name: str = "recording"

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames)


@pytest.fixture(scope="module")
def example() -> Example:
    return laid_example(*EXAMPLES[0])


@dataclass(frozen=True)
class Measured:
    """What the command said, and the file that it wrote."""

    outcome: Outcome
    path: Path


@pytest.fixture(scope="module")
def measured(example: Example, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    """The whole command once, from frames to file."""
    folder = tmp_path_factory.mktemp("pieces")
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield Measured(run(example, folder, monkeypatch), folder / "pieces.toml")


@pytest.fixture
def seen(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the frames show and measure is known already."""
    monkeypatch.setattr("th_vision.enroll.moments.layout_view", lambda source, table: (example.plan, example.things))
    monkeypatch.setattr("th_vision.enroll.sizes.measure", lambda plan, laid, usual: example.sizes)


def run(
    example: Example, folder: Path, monkeypatch: pytest.MonkeyPatch, old: Path | None = None, name: str = "pieces.toml"
) -> Outcome:
    monkeypatch.setattr(command, "open_source", lambda spec, table: Recording(example.camera, example.frames))
    monkeypatch.setattr("calibration.table_file.load_table", lambda path: example.table)
    return command.run(
        "recording",
        folder / "table.toml",
        folder / name,
        players="red,green",
        cars="sedan,highway_bus",
        city="",
        pieces=old,
        made_at=NOW,
    )


def test_the_file_holds_what_was_measured(measured: Measured, example: Example) -> None:
    pieces = load_pieces(measured.path)
    assert pieces.stick.length == pytest.approx(example.pieces.stick.length, abs=0.8)
    assert pieces.stick.ends == "square"
    assert pieces.disc.height == pytest.approx(example.pieces.disc.height, abs=0.4)
    assert list(pieces.players) == ["red", "green"]
    assert set(pieces.cars) == {"sedan", "highway_bus"}
    assert measured.outcome.status == 0
    assert measured.outcome.text.startswith("pieces: all measured\n")


def test_every_value_has_a_comment_that_says_how_sure_it_is(measured: Measured) -> None:
    text = measured.path.read_text()
    assert NOW in text.splitlines()[0]
    lines = [line for line in text.splitlines() if " = " in line]
    assert len(lines) >= 4 + 2 + 3 + 2 + 6
    assert [line for line in lines if "# measured: " not in line] == []
    sizes = [line for line in lines if '"' not in line]
    assert [line for line in sizes if "+- " not in line] == []


@pytest.mark.usefixtures("seen")
def test_an_old_files_other_values_and_words_stay(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old.toml"
    old.write_text(
        "# our set\n[stick]\nlength = 99.0 # by eye\n\n[cars.limousine]\nlength = 24.0 # by calipers\nwidth = 8.0\n"
        'height = 7.0\n\n[players]\nzoe = "#ffffff"\n'
    )
    run(example, tmp_path, monkeypatch, old=old)
    text = (tmp_path / "pieces.toml").read_text()
    assert "# our set" in text
    assert "length = 24.0 # by calipers" in text
    assert "by eye" not in text
    assert list(load_pieces(tmp_path / "pieces.toml").players) == ["zoe", "red", "green"]


@pytest.mark.usefixtures("seen")
def test_measuring_again_leaves_one_heading(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(example, tmp_path, monkeypatch)
    run(example, tmp_path, monkeypatch, old=tmp_path / "pieces.toml", name="again.toml")
    text = (tmp_path / "again.toml").read_text()
    assert text.count("Measured by") == 1
    assert tomlkit.parse(text).unwrap() == tomlkit.parse((tmp_path / "pieces.toml").read_text()).unwrap()


def test_a_file_that_is_there_is_not_overwritten(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pieces.toml").write_text("mine")
    with pytest.raises(VisionError, match="is there already"):
        run(example, tmp_path, monkeypatch)
    assert (tmp_path / "pieces.toml").read_text() == "mine"


def test_what_is_too_unsure_keeps_the_usual_value_and_is_said(example: Example) -> None:
    sizes = replace(
        example.sizes, sizes=example.sizes.sizes | {"stick.thickness": Size(1.2, 0.8, "volume"), "disc.height": _four()}
    )
    enrolled = judge(example.plan, example.laid, sizes, example.layout, Pieces(), "the usual value")
    values = {entry.key: entry for entry in enrolled.entries}
    assert values["stick.thickness"].value == Pieces().stick.thickness
    assert not values["stick.thickness"].measured
    assert "1.2 +- 0.8 mm is too unsure" in values["stick.thickness"].comment
    assert any("stick.thickness" in doubt and "by hand" in doubt for doubt in enrolled.doubts)
    assert any("looks like 4" in doubt for doubt in enrolled.doubts)
    assert values["disc.height"].value == Pieces().disc.height


def test_a_box_that_lacks_a_size_is_left_out_and_said(example: Example) -> None:
    """A file with half a box can't be read."""
    layout = replace(example.layout, city=("tower",))
    tower = {f"city.tower.{side}": Size(30.0, 0.5, "outline") for side in ("length", "width")}
    sizes = replace(
        example.sizes, sizes=example.sizes.sizes | tower, failed={"city.tower.height": "depth shows no flat top"}
    )
    enrolled = judge(example.plan, example.laid, sizes, layout, Pieces(), "the usual value")
    assert [entry for entry in enrolled.entries if entry.key.startswith("city.")] == []
    assert any(doubt.startswith("city.tower: not all of its sizes") for doubt in enrolled.doubts)


@pytest.mark.parametrize(
    "old",
    [
        "stick = {length = 99.0, width = 9.0}\n",
        "stick.length = 99.0\n",
        "[cars.sedan]\nlength = 9.0\nwidth = 8.0\nheight = 7.0\n[disc]\nheight = 9.0\n[cars.limousine]\n"
        "length = 24.0\nwidth = 8.0\nheight = 7.0\n",
        "",
    ],
)
def test_an_old_file_may_be_written_anyhow(old: str, tmp_path: Path) -> None:
    entries = (
        Entry("stick.length", 114.5, "measured: so", True),
        Entry("cars.sedan.length", 16.5, "measured: so", True),
        Entry("cars.sedan.width", 8.0, "measured: so", True),
        Entry("cars.sedan.height", 7.0, "measured: so", True),
        Entry("players.a.b", "#123456", "measured: so", True),
    )
    (tmp_path / "pieces.toml").write_text(pieces_toml(entries, "now", old))
    pieces = load_pieces(tmp_path / "pieces.toml")
    assert pieces.stick.length == 114.5
    assert pieces.cars["sedan"].length == 16.5
    assert pieces.players == {"a.b": "#123456"}
    assert pieces.disc.height == (9.0 if "disc" in old else 10.0)


def _four() -> Size:
    """What a stack of four discs makes of a disc of 8 mm."""
    return Size(6.4, 0.13, "stack of 5, depth")


def test_what_is_not_laid_keeps_the_usual_value_and_is_said(example: Example) -> None:
    laid = replace(example.laid, yellow=None)
    sizes = replace(example.sizes, tops={k: v for k, v in example.sizes.tops.items() if k != "colors.yellow"})
    enrolled = judge(example.plan, laid, sizes, example.layout, Pieces(), "the usual value")
    (yellow,) = [entry for entry in enrolled.entries if entry.key == "colors.yellow"]
    assert yellow.value == Pieces().colors.yellow
    assert yellow.comment == "not measured: the usual value"
    assert any("no yellow disc" in doubt for doubt in enrolled.doubts)


def test_players_whose_cars_look_alike_are_said(example: Example) -> None:
    tops = example.sizes.tops | {"players.green": example.sizes.tops["players.red"]}
    sizes = replace(example.sizes, tops=tops)
    enrolled = judge(example.plan, example.laid, sizes, example.layout, Pieces(), "the usual value")
    assert any("the cars of red and the cars of green look alike" in doubt for doubt in enrolled.doubts)


def test_the_moment_with_most_on_the_table_is_taken(example: Example) -> None:
    recording = renumbered((*example.empty, *example.frames, *example.empty))
    plan, things = layout_view(recording, example.table)
    assert len(things) == len(example.things)
    assert plan.view.frames <= len(example.frames)


class Live(Recording):
    """Frames as if they came from a camera."""

    closed = False
    state = CameraState()

    def read_latest(self, max_age_s: float) -> Frame | None:
        return None

    def close(self) -> None:
        Live.closed = True


def test_a_live_camera_waits_for_the_layout_and_is_closed(example: Example) -> None:
    told: list[str] = []
    frames = renumbered((*example.empty, *example.frames, *example.empty, *example.empty))
    Live.closed = False
    _, things = await_layout(
        Live(example.camera, tuple(frames)),
        example.table,
        lambda plan, things: arrange(plan, things, example.layout),
        told.append,
    )
    assert len(things) == len(example.things)
    assert Live.closed
    assert "lay the pieces out" in told[0]
    assert told[1].startswith("not yet: nothing lies on the table")


def test_a_live_layout_without_a_disc_is_taken_after_a_while(example: Example) -> None:
    told: list[str] = []
    frames = [replace(frame, time_s=6.0 * k) for k, frame in enumerate(renumbered(example.frames * 4))]
    without = replace(example.laid, yellow=None)
    await_layout(Live(example.camera, tuple(frames)), example.table, lambda plan, things: without, told.append)
    assert "no yellow disc" in told[1]


def test_an_empty_table_shows_nothing(example: Example) -> None:
    assert layout_view(renumbered(example.empty), example.table)[1] == []


def test_a_hand_that_never_leaves_is_said(example: Example) -> None:
    with pytest.raises(VisionError, match="a hand is over the table all the time"):
        layout_view([with_hand(frame, k) for k, frame in enumerate(renumbered(example.frames))], example.table)


def test_frames_without_colour_are_refused(example: Example) -> None:
    frames = [replace(frame, color=None) for frame in example.frames]
    with pytest.raises(VisionError, match="no colour picture"):
        layout_view(frames, example.table)


def test_no_frames_are_refused(example: Example) -> None:
    with pytest.raises(VisionError, match="no frame"):
        layout_view([], example.table)


def test_another_light_is_refused(example: Example) -> None:
    def tinted(frame: Frame) -> Frame:
        assert frame.color is not None
        halves = frame.color.astype(np.float32)
        halves[:, : halves.shape[1] // 2] *= np.array([0.5, 1.0, 1.0], np.float32)
        return replace(frame, color=halves.astype(np.uint8))

    with pytest.raises(VisionError, match="looks different from when it was calibrated"):
        layout_view([tinted(frame) for frame in example.frames], example.table)


@pytest.mark.parametrize(("missing", "says"), [("spec", "SOURCE is missing"), ("calibration", "-c"), ("output", "-o")])
def test_what_is_missing_is_said(missing: str, says: str, tmp_path: Path) -> None:
    given = {"spec": "recording", "calibration": tmp_path / "t.toml", "output": tmp_path / "p.toml"} | {missing: None}
    with pytest.raises(VisionError, match=says):
        command.run(
            given["spec"],  # type: ignore[arg-type]  # one of them is None, the others have their own kind
            given["calibration"],  # type: ignore[arg-type]
            given["output"],  # type: ignore[arg-type]
            players=None,
            cars="sedan",
            city="",
            pieces=None,
            made_at=NOW,
        )


def renumbered(frames: tuple[Frame, ...]) -> list[Frame]:
    """The frames in order of time, a fifteenth of a second apart."""
    return [replace(frame, number=k, time_s=k / 15) for k, frame in enumerate(frames)]


def with_hand(frame: Frame, k: int) -> Frame:
    """The frame with something large 80 mm above the table that moves on."""
    depth = frame.depth.copy()
    part = depth[250:420, 200 + 60 * k : 520 + 60 * k]
    part[part > 0] -= 800
    return replace(frame, depth=depth)
