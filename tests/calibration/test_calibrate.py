"""From a recording to a calibration: which frames count, what comes out, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import Board
from calibration.calibrate import calibrate_table, run_calibrate_table
from calibration.errors import CalibrationError
from calibration.frames import sort_frames
from calibration.table_file import check_camera, load_table
from calibration.tolerances import TOLERANCES
from tests.calibration.synthetic import Thing, World, looking_down, small

FrameData = tuple[np.ndarray, np.ndarray | None]

HAND = Thing(10, -20, 90, 110, 70)
DISC = Thing(80, 40, 19, 19, 10)
CARD = Thing(-80, 30, 70, 70, 0)


class Recording:
    """Frames of a small camera over one table, written down as words; counts how many were read."""

    def __init__(self, world: World, story: Iterable[str], seed: int = 1) -> None:
        self.world, self.story, self.read = world, list(story), 0
        self.rng = np.random.default_rng(seed)
        self._colors: dict[str, np.ndarray] = {}

    def __iter__(self) -> Iterator[FrameData]:
        for word in self.story:
            self.read += 1
            yield self.frame(word)

    def frame(self, word: str) -> FrameData:
        things = {"hand": [HAND], "hand on board": [HAND], "disc": [DISC]}.get(word, [])
        if word not in self._colors:
            board = word in ("board", "board without depth")
            self._colors[word] = self.world.color(self.rng, board, [CARD] if word == "card" else [])
        depth = self.world.depth(self.rng, things)
        if word == "board without depth":
            depth[:] = 0
        if word == "covered":
            depth[:, 100:300] = 0
        return depth, None if word == "no colour" else self._colors[word]


@pytest.fixture
def world() -> World:
    return World(small(), looking_down(500, 3, -2, turn_deg=20, at=(20, 10)), ripple=0.004)


def _error_mm_deg(world: World, T_depth_table: np.ndarray) -> tuple[float, float]:
    apart = np.linalg.inv(world.T_depth_table) @ T_depth_table
    angle = np.degrees(np.arccos(np.clip((np.trace(apart[:3, :3]) - 1) / 2, -1, 1)))
    return float(np.linalg.norm(apart[:3, 3])), float(angle)


GAME = ["board"] * 5 + ["hand"] * 3 + ["empty"] * 8 + ["hand"] * 2 + ["disc"] * 6 + ["empty"] * 3


def test_of_a_whole_game_only_the_frames_before_the_first_piece_count(world: World) -> None:
    game = Recording(world, GAME)
    told: list[str] = []
    found = sort_frames(world.camera, game, world.board, told.append)
    assert [shot.number for shot, _ in found.board] == [0, 1, 2, 3, 4]
    assert [shot.number for shot in found.empty] == list(range(8, 16))
    assert game.read == 17  # the rest of the game isn't read
    assert told == ["frame 0: board seen", "frame 8: empty table"]
    assert "something stands on the table" in found.rejected[0].reason


def test_pose_and_map_of_a_whole_game(world: World) -> None:
    table, report = calibrate_table(world.camera, Recording(world, GAME), made_at="2026-01-02T03:04:05Z")
    shift, turn = _error_mm_deg(world, table.T_depth_table)
    assert shift < 0.5
    assert turn < 0.15
    assert table.made_at == "2026-01-02T03:04:05Z"
    assert report.empty_frames == 8
    assert report.board_frames == 5
    expected = world.disparity() / report.depth_scale
    measured = table.empty.measured
    off = (table.empty.disparity_px - expected)[measured]
    assert np.sqrt((off**2).mean()) < 0.035  # ripple is in the map; what is left is noise of 0.05 px over sqrt(8)
    assert measured[:, 30:].mean() > 0.98
    assert table.empty.color_bgr is not None
    assert table.empty.color_bgr.shape == (360, 640, 3)


def test_a_single_disc_put_down_unseen_ends_the_empty_frames(world: World) -> None:
    found = sort_frames(world.camera, Recording(world, ["board"] * 3 + ["empty"] * 6 + ["disc"] * 5), world.board)
    assert [shot.number for shot in found.empty] == [3, 4, 5, 6, 7, 8]


def test_a_flat_card_put_down_unseen_ends_them_too(world: World) -> None:
    found = sort_frames(world.camera, Recording(world, ["board"] * 3 + ["empty"] * 6 + ["card"] * 5), world.board)
    assert [shot.number for shot in found.empty] == [3, 4, 5, 6, 7, 8]
    assert "something flat was put down" in found.rejected[0].reason


def test_the_table_may_be_shown_empty_before_the_board(world: World) -> None:
    table, report = calibrate_table(
        world.camera, Recording(world, ["empty"] * 6 + ["hand"] * 2 + ["board"] * 4 + ["hand"] + ["disc"] * 3)
    )
    assert report.empty_frames == 6
    assert _error_mm_deg(world, table.T_depth_table)[0] < 0.5


def test_without_empty_frames_the_free_table_around_the_board_is_the_map_and_the_report_says_so(world: World) -> None:
    table, report = calibrate_table(world.camera, Recording(world, ["board"] * 6 + ["disc"] * 3))
    assert report.empty_frames == 0
    assert any("no frames of the empty table" in line for line in report.lines())
    u, v = world.camera.depth.project(world.T_depth_table[:3, 3]).round().astype(int)
    assert not table.empty.measured[v, u]  # under the board
    assert table.empty.measured[v - 90, u]  # beside it
    off = table.empty.disparity_px - world.disparity() / report.depth_scale
    assert abs(float(off[v - 20 : v + 20, u - 30 : u + 30].mean())) < 0.05
    assert table.empty.color_bgr is None
    assert _error_mm_deg(world, table.T_depth_table)[0] < 0.6


def test_a_thick_board_does_not_lift_the_table() -> None:
    world = World(small(), looking_down(500, 2, 1), board=Board(thickness_mm=5.0))
    # Depth shows the board's face 5 mm above the table.
    face = Thing(0, 0, world.board.width_mm, world.board.height_mm, 5.0)
    rng = np.random.default_rng(4)
    frames: list[FrameData] = [(world.depth(rng, [face]), world.color(rng)) for _ in range(4)]
    with_empty = [*frames, *((world.depth(rng), world.color(rng, board=False)) for _ in range(6))]
    # With empty frames, depth with and without the board tells its thickness, whatever was said of it.
    for story, said in ((frames, world.board), (with_empty, world.board), (with_empty, Board())):
        table, report = calibrate_table(world.camera, story, said)
        assert report.board_thickness_mm == pytest.approx(5.0, abs=0.6)
        assert _error_mm_deg(world, table.T_depth_table)[0] < 0.6
        u, v = world.camera.depth.project(world.T_depth_table[:3, 3]).round().astype(int)
        off = table.empty.disparity_px[v, u] - world.disparity()[v, u] / report.depth_scale
        assert abs(off) * 500**2 / world.camera.disparity_gain < 1.5  # mm, of 5


def test_depth_with_a_scale_error_is_corrected_to_the_print(world: World) -> None:
    stretched = replace(world, scale=1.012)
    table, report = calibrate_table(world.camera, Recording(stretched, GAME))
    assert report.scale_ratio == pytest.approx(1.012, abs=0.002)
    assert report.depth_scale == pytest.approx(1 / 1.012, abs=0.001)
    assert table.camera.depth_unit_mm == pytest.approx(0.1 / 1.012, rel=0.001)
    assert _error_mm_deg(world, table.T_depth_table)[0] < 0.7
    check_camera(table, world.camera)  # the correction is the calibration's own; the camera is still the same
    believed, _ = calibrate_table(world.camera, Recording(stretched, GAME), scale="depth")
    assert believed.camera.depth_unit_mm == 0.1
    assert believed.distance_mm == pytest.approx(1.012 * table.distance_mm, rel=0.001)


def test_a_board_fitted_to_the_page_is_complained_about_and_depth_left_alone(world: World) -> None:
    shrunk = replace(world, printed=0.96)
    table, report = calibrate_table(world.camera, Recording(shrunk, GAME))
    assert not report.good
    assert report.scale_ratio == pytest.approx(0.96, abs=0.004)
    assert table.camera.depth_unit_mm == world.camera.depth_unit_mm
    assert any("check the ruler" in line for line in report.lines())


def test_a_moved_board_and_covered_frames_are_left_out(world: World) -> None:
    elsewhere = Recording(
        replace(world, T_depth_table=looking_down(500, 3, -2, turn_deg=20, at=(60, 10))), ["board"] * 2
    )
    story = [*elsewhere, *Recording(world, ["board"] * 4 + ["covered", "no colour"] + ["empty"] * 6)]
    _, report = calibrate_table(world.camera, story)
    reasons = {one.frame: one.reason for one in report.rejected}
    assert report.board_frames == 4
    assert "moved" in reasons[0]
    assert "no depth" in reasons[6]
    # A frame without colour can't say that the board is gone, but depth alone does: nothing stands there.
    assert report.empty_frames == 7


@pytest.mark.parametrize(
    ("story", "words"),
    [
        ([], "no frames to calibrate from"),
        (["empty"] * 3, "no frame of 3 shows the board"),
        (["no colour"] * 3, "no frame of 3 shows the board"),
        (["board without depth"] * 3, "of the table have depth"),
    ],
)
def test_what_gives_no_calibration_is_said_in_one_line(world: World, story: list[str], words: str) -> None:
    with pytest.raises(CalibrationError, match=words) as caught:
        calibrate_table(world.camera, Recording(world, story))
    assert "\n" not in str(caught.value)


def test_frames_of_another_size_are_named(world: World) -> None:
    depth, color = Recording(world, []).frame("board")
    with pytest.raises(CalibrationError, match="frame 1: depth of 424 x 200"):
        calibrate_table(world.camera, [(depth, color), (depth[:200], color)])
    assert color is not None
    with pytest.raises(CalibrationError, match="frame 0: colour of 600 x 360, expected 640 x 360"):
        calibrate_table(world.camera, [(depth, color[:, :600])])
    with pytest.raises(CalibrationError, match="float32"):
        calibrate_table(world.camera, [(depth.astype(np.float32), color)])


def test_the_command_writes_the_file_and_says_how_good_it_is(world: World, tmp_path: Path) -> None:
    out = tmp_path / "table.toml"
    status, lines = run_calibrate_table(world.camera, Recording(world, GAME), out)
    table = load_table(out)
    assert lines[-1] == f"written to {out}"
    assert lines[0].startswith("table calibration: ")
    assert status == (0 if "good enough to play" in lines[0] else 1)
    assert table.distance_mm == pytest.approx(500, abs=5)


def test_a_long_recording_keeps_a_bounded_number_of_frames(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibration.frames.TOLERANCES", replace(TOLERANCES, max_frames=8))
    short = Recording(world, ["board", "empty"])
    board, empty = short.frame("board"), short.frame("empty")

    def endless() -> Iterator[FrameData]:
        for _ in range(25):
            yield board
        while True:
            yield empty

    found = sort_frames(world.camera, endless(), world.board)
    assert 4 <= len(found.board) <= 8
    assert 4 <= len(found.empty) <= 8
    assert found.board[-1][0].number >= 16  # spread over the whole stay of the board


def test_a_table_that_never_gets_empty_is_given_up_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibration.frames.TOLERANCES", replace(TOLERANCES, patience_frames=12))
    game = Recording(world, ["board"] * 3 + ["disc"] * 100)
    found = sort_frames(world.camera, game, world.board)
    assert found.empty == []
    assert game.read == 15


def test_a_camera_bumped_while_the_board_was_taken_away_is_noticed_in_depth(world: World) -> None:
    lower = replace(world, T_depth_table=looking_down(496, 3, -2, turn_deg=20, at=(20, 10)))
    story = [*Recording(world, ["board"] * 4), *Recording(lower, ["empty"] * 6)]
    _, report = calibrate_table(world.camera, story)
    assert report.bump_mm == pytest.approx(4.0, abs=0.7)
    assert not report.good
    assert any("the camera moved between board and empty table" in line for line in report.lines())
    _, steady = calibrate_table(world.camera, Recording(world, GAME))
    assert steady.bump_mm is not None
    assert steady.bump_mm < 0.5


def test_the_shadow_of_the_arm_that_leaves_is_not_the_empty_table(world: World) -> None:
    found = sort_frames(world.camera, Recording(world, ["board"] * 4 + ["card"] * 2 + ["empty"] * 7), world.board)
    assert [shot.number for shot in found.empty] == list(range(6, 13))
    assert found.rejected[0].reason == "the picture was still changing"


def test_depth_aligned_to_a_distorted_colour_picture_calibrates_too() -> None:
    # As in Open3D's RGB-D folders: one grid for both, millimetre steps, the stereo kernel wider by the focal lengths.
    camera = small()
    assert camera.color is not None
    lens = replace(camera.color, distortion=(0.09, -0.12, 0.0004, 0.0006, 0.02))
    aligned = replace(
        camera,
        depth=lens,
        color=lens,
        T_color_depth=np.eye(4),
        depth_unit_mm=1.0,
        kernel_scale=lens.fx / camera.depth.fx,
    )
    straight = replace(aligned, color=camera.color)  # the synthetic picture is drawn without distortion, then bent
    world = World(straight, looking_down(420, 3, -4, turn_deg=30), noise_px=0.04)
    rng = np.random.default_rng(7)

    def bent(picture: np.ndarray) -> np.ndarray:
        v, u = np.mgrid[0 : lens.height, 0 : lens.width].astype(np.float64)
        from_px = camera.color.project(lens.rays(np.stack([u, v], axis=-1))) if camera.color else np.zeros(0)
        maps = [np.ascontiguousarray(from_px[..., i], dtype=np.float32) for i in (0, 1)]
        return np.asarray(cv2.remap(picture, maps[0], maps[1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE))

    board, bare = bent(world.color(rng)), bent(world.color(rng, board=False))
    frames = [(world.depth(rng), board) for _ in range(4)] + [(world.depth(rng), bare) for _ in range(6)]
    table, report = calibrate_table(aligned, frames)
    shift, turn = _error_mm_deg(world, table.T_depth_table)
    assert shift < 0.5
    assert turn < 0.2
    assert report.empty_frames == 6
    assert report.corner_residual_px < 0.2
