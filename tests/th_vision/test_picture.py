"""The picture of the table: to scale, coloured by owner, with what is new and what is in doubt."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.events import Crossing
from rules.layout import Layout
from tests.th_vision.games import C3, FIRST, K1, PIECES, R1, R2, RAMPS, SECOND, THIRD, column, follow, plus, road
from th_vision.canvas import Canvas, bgr
from th_vision.follow_events import Told
from th_vision.picture import Legend, Standing, draw_table, save_picture
from th_vision.standings import doubts_of, legend_of

OWNERS = {"r1": "blue", "c1": "blue", "r2": "pink", "c2": "pink"}
BLUE, PINK = bgr(PIECES.players["blue"]), bgr(PIECES.players["pink"])


def count(image: np.ndarray, color: tuple[int, int, int]) -> int:
    return int((np.abs(image.astype(int) - color).max(axis=2) < 6).sum())


def test_roads_have_their_owners_colour_in_like_measure() -> None:
    image = draw_table(RAMPS, PIECES, OWNERS)
    assert count(image, BLUE) > 3000
    assert count(image, BLUE) == pytest.approx(count(image, PINK), rel=0.2)


def test_roads_of_nobody_are_gray() -> None:
    image = draw_table(plus(Layout(), R1, R2), PIECES, {})
    assert count(image, BLUE) == count(image, PINK) == 0


def test_the_picture_is_to_scale() -> None:
    """The scale bar of 100 mm is as long as 100 mm of a stick that lies along x."""
    left, right = column("c1", -52, 0), column("c2", 52, 0)
    flat = road("r1", left, right)
    image = draw_table(plus(Layout(), flat), PIECES, {"r1": "blue"})
    columns = np.nonzero((np.abs(image.astype(int) - BLUE).max(axis=2) < 6).sum(axis=0) > 3)[0]
    length = flat.ends[1][0] - flat.ends[0][0]
    px_per_mm = (columns.max() - columns.min()) / length
    ink = (image.max(axis=2) < 70) & (np.indices(image.shape[:2])[0] > image.shape[0] - 40)
    bar = np.nonzero(ink[:, : image.shape[1] - 300].sum(axis=0))[0]
    assert bar.max() - bar.min() == pytest.approx(100 * px_per_mm, rel=0.05)


def test_a_junction_is_yellow() -> None:
    yellow = (60, 205, 245)
    plain = draw_table(plus(RAMPS, C3), PIECES, OWNERS)
    junction = draw_table(plus(RAMPS, C3.model_copy(update={"junction": True})), PIECES, OWNERS)
    assert count(junction, yellow) > count(plain, yellow) + 300


def test_the_newest_move_glows_and_doubts_are_ringed() -> None:
    plain = draw_table(RAMPS, PIECES, OWNERS)
    glow = draw_table(RAMPS, PIECES, OWNERS, Legend(newest=frozenset({"r1", "c1"})))
    ringed = draw_table(RAMPS, PIECES, OWNERS, Legend(doubts={"c2": "levels", "nothing": "x"}))
    assert count(glow, (40, 140, 255)) > count(plain, (40, 140, 255)) + 300
    assert count(ringed, (60, 50, 215)) > count(plain, (60, 50, 215)) + 100


def test_what_lies_higher_is_drawn_over_what_lies_lower() -> None:
    a, b = column("c5", 0, -52, 3), column("c6", 0, 52, 3)
    low_a, low_b = column("c7", -52, 0, 1), column("c8", 52, 0, 1)
    table = plus(Layout(), a, b, low_a, low_b, road("r5", a, b), road("r6", low_a, low_b))
    for first, second in ((0, 1), (1, 0)):
        turned = table.model_copy(update={"roads": (table.roads[first], table.roads[second])})
        image = draw_table(turned, PIECES, {"r5": "blue", "r6": "pink"})
        (middle_y, middle_x) = (image.shape[0] - 74) // 2 + 74, (image.shape[1] - 300) // 2
        patch = image[middle_y - 3 : middle_y + 3, middle_x - 3 : middle_x + 3]
        assert count(patch, BLUE) == 36


def test_words_marks_and_standings_of_a_whole_game() -> None:
    follower, said = follow([RAMPS, FIRST, SECOND, THIRD])
    last = [output for output in said if isinstance(output, Told)][-1]
    legend = legend_of(follower.known.layout, follower.game, last, follower.newest)
    assert legend.title == "Turn 3: blue builds road r5 from column c3 to the new column c5, 3 levels high."
    assert [(s.player, s.turn, s.cars_on_roads, s.sticks) for s in legend.standings] == [
        ("blue", False, 1, 12),
        ("pink", True, 1, 13),
    ]
    assert legend.newest == {"r5", "c5"}
    image = draw_table(follower.known.layout, PIECES, follower.game.owners, legend)
    assert image.shape[1] > 700


def test_doubts_are_what_is_less_than_sure() -> None:
    table = plus(
        Layout(),
        column("c1", 0, 0, 2, levels_probability=0.8),
        column("c2", 50, 0, 2, junction=True, junction_probability=0.7),
        column("c3", 90, 0, 2),
        K1.model_copy(update={"player_probability": 0.6}),
    )
    assert doubts_of(table) == {"c1": "levels", "c2": "yellow", "k1": "whose"}


def test_an_empty_table_and_strange_names_are_drawn() -> None:
    legend = Legend(
        title="Türme, 高速, نعم", standings=(Standing("Zoë " * 12),), notes=("", "a long word " * 40, "x" * 300)
    )
    crossing = Crossing(
        road="r9", owner="pink", side="over", gap=3, at=(0, 0), pays=True, reason="first", call="too_close"
    )
    for chosen in (legend, Legend(crossings=(crossing,))):
        image = draw_table(Layout(), PIECES, {}, chosen)
        assert image.dtype == np.uint8
        assert image.shape[2] == 3


def test_the_file_is_a_whole_png_and_replaces_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "table.png"
    path.write_bytes(b"old")
    image = draw_table(RAMPS, PIECES, OWNERS)
    save_picture(path, image)
    assert np.array_equal(cv2.imread(str(path)), image)
    assert list(tmp_path.iterdir()) == [path]


def test_no_label_is_written_over_another_while_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ends of roads near one column, a car beside them, and a doubt."""
    canvas = Canvas((0.0, 0.0, 300.0, 200.0), 1400, 0)
    written: list[tuple[float, float]] = []
    monkeypatch.setattr(canvas, "text_at", lambda point, *_: written.append((float(point[0]), float(point[1]))))
    canvas.keep_free(100.0, 100.0, 6.0)
    canvas.label([(100.0, 100.0), (100.0, 120.0)], "35", 12, (0, 0, 0))
    canvas.label([(101.0, 121.0), (100.0, 80.0)], "sedan", 12, (0, 0, 0))
    canvas.label([(100.0, 120.0)], "?", 12, (0, 0, 0))  # it has no other place
    assert written == [(100.0, 120.0), (100.0, 80.0), (100.0, 120.0)]
