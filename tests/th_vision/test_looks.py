"""One table, view after view: what is read in part is what reading all of it says, and no change is missed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pytest

import th_vision.looks
from calibration.calibrate import calibrate_table
from rules.layout import CityObject, Layout, Road
from rules.pieces import Pieces
from th_vision.detect.assembly import Measured
from th_vision.detect.changes import changes, glance_at
from th_vision.detect.plan import PlanView
from th_vision.looks import Looks
from th_vision.reconstruct import reconstruct
from th_vision.referee.reading import READING_FAULTS
from th_vision.still_view import StillView, fuse
from th_vision.virtual_table.alongside import across, before_last, column_pairs, road_pairs
from th_vision.virtual_table.examples import calibration_frames, camera_over_table, table_for
from th_vision.virtual_table.scene import Scene, StickBody
from th_vision.virtual_table.sensor_model import make_sensor, shoot
from th_vision.virtual_table.static_scenes import random_static_scene

PIECES = Pieces()
NUDGE_MM = 1.5


@dataclass(frozen=True)
class Table:
    """Views of one table: before a move, after it, once more, and with a road (``nudged``) pushed by ``NUDGE_MM``."""

    before: StillView
    after: StillView
    still: StillView
    pushed: StillView
    truth: Layout
    new: str
    nudged: str


@lru_cache(maxsize=1)
def table() -> Table:
    """A camera over wood and eight roads."""
    rng = np.random.default_rng(4151)
    camera = camera_over_table(rng, "D415", 580.0)
    scene = random_static_scene(rng, PIECES, 8, 10, field_mm=(560.0, 320.0))
    scene = replace(scene, table=table_for(rng, "wood"))
    sensor = make_sensor("fast", camera, rng, None)
    shots = calibration_frames(scene, camera, sensor, rng, board_frames=4, empty=8)
    calibrated, _ = calibrate_table(camera.camera, ((frame.depth, frame.color) for frame in shots))
    below = {name for stick in scene.sticks for name in stick.rests_on}
    top = [stick for stick in scene.sticks if stick.id not in below]
    scenes = before_last(scene), scene, scene, _pushed(scene, top[0])
    views = [fuse(shoot(one, camera, sensor, rng, 4, elapsed_s=20.0), calibrated) for one in scenes]
    return Table(*views, scene.layout(), top[-1].id, top[0].id)


def _pushed(scene: Scene, stick: StickBody) -> Scene:
    """A stick pushed sideways."""
    a, b = (np.array(end) for end in stick.ends)
    side = np.array([a[1] - b[1], b[0] - a[0], 0.0]) / np.hypot(*(b - a)[:2]) * NUDGE_MM
    (ax, ay, az), (bx, by, bz) = a + side, b + side
    moved = replace(stick, ends=((float(ax), float(ay), float(az)), (float(bx), float(by), float(bz))))
    return replace(scene, sticks=tuple(moved if other is stick else other for other in scene.sticks))


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which looks were taken: at "all", or at a "part"."""
    taken: list[str] = []
    at_all, at_part = th_vision.looks.look_at_all, th_vision.looks.look_at_part

    def look_at_all(plan: PlanView, pieces: Pieces, prior: Layout | None) -> tuple[Layout, Measured]:
        taken.append("all")
        return at_all(plan, pieces, prior)

    def look_at_part(plan: PlanView, pieces: Pieces, known: Layout, prior: Layout, kept: Measured) -> Layout:
        taken.append("part")
        return at_part(plan, pieces, known, prior, kept)

    monkeypatch.setattr(th_vision.looks, "look_at_all", look_at_all)
    monkeypatch.setattr(th_vision.looks, "look_at_part", look_at_part)
    return taken


def _road(layout: Layout, truth: Layout, name: str) -> Road:
    """The road that stands for a true one."""
    return next(road for road, true in road_pairs(layout, truth) if true.id == name)


def _off(road: Road, other: Road) -> float:
    return float(np.abs(np.subtract(road.ends, other.ends)).max())


def test_a_move_is_read_in_part_and_as_well(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.before, PIECES, None)
    layout = looks(seen.after, PIECES, known)
    assert looked_at == ["all", "part"]
    whole = reconstruct(seen.after, PIECES, known)
    assert {road.id for road in layout.roads} == {road.id for road in whole.roads}
    assert len(road_pairs(layout, seen.truth)) == len(seen.truth.roads) == len(layout.roads)
    assert len(column_pairs(layout, seen.truth)) == len(seen.truth.columns) == len(layout.columns)
    assert all(found.levels == true.levels for found, true in column_pairs(layout, seen.truth))
    errors = [error for pair in road_pairs(layout, seen.truth) for error in across(*pair)]
    assert np.sqrt(np.mean(np.square(errors))) < 0.6
    assert {(k.id, k.player, k.on) for k in layout.cars} == {(k.id, k.player, k.on) for k in whole.cars}


def test_what_looks_as_it_did_is_where_it_was_read(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.before, PIECES, None)
    layout = looks(seen.after, PIECES, known)
    there = {road.id: road for road in layout.roads}
    same = [road.id for road in known.roads if there[road.id].ends == road.ends]
    assert len(same) >= len(known.roads) / 2


def test_at_leisure_everything_is_measured_again(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.before, PIECES, None)
    layout = looks(seen.after, PIECES, known)
    looks.think()
    looks.think()  # once is enough
    assert looked_at == ["all", "part", "all"]
    later = looks(seen.still, PIECES, layout)
    measured = {road.id: road for road in reconstruct(seen.after, PIECES, known).roads}
    there = {road.id: road for road in later.roads}
    again = [road for road in known.roads if _off(there[road.id], measured[road.id]) < 0.05]
    assert len(again) >= len(known.roads) / 2
    assert sum(_off(there[road.id], road) > 0.001 for road in known.roads) >= len(known.roads) / 2


def test_where_nothing_changed_nothing_is_looked_at(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.after, PIECES, None)
    assert looks(seen.still, PIECES, known) == known
    assert looked_at == ["all"]


def test_a_road_pushed_a_little_is_noticed(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.after, PIECES, None)
    layout = looks(seen.pushed, PIECES, known)
    assert looked_at == ["all", "part"]
    old, new = _road(known, seen.truth, seen.nudged), _road(layout, seen.truth, seen.nudged)
    assert np.abs(across(new, old)) == pytest.approx([NUDGE_MM, NUDGE_MM], abs=0.4)
    assert old.id == new.id


def test_a_road_that_was_taken_away_is_gone(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.after, PIECES, None)
    layout = looks(seen.before, PIECES, known)
    assert looked_at == ["all", "part"]
    assert {road.id for road in known.roads} - {road.id for road in layout.roads} == {
        _road(known, seen.truth, seen.new).id
    }


def test_what_is_known_otherwise_than_it_was_read_is_looked_at(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.after, PIECES, None)
    road = _road(known, seen.truth, seen.new)
    fewer = known.model_copy(
        update={
            "roads": tuple(r for r in known.roads if r is not road),
            "cars": tuple(k for k in known.cars if k.on != road.id),
        }
    )
    layout = looks(seen.still, PIECES, fewer)
    assert looked_at == ["all", "part"]
    assert len(layout.roads) == len(known.roads)


def test_light_that_changes_as_a_whole_is_no_change(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.after, PIECES, None)
    assert seen.still.color_bgr is not None
    darker = np.rint(seen.still.color_bgr * 0.93).astype(np.uint8)
    assert looks(replace(seen.still, color_bgr=darker), PIECES, known) == known


def test_views_that_cannot_be_compared_are_read_whole() -> None:
    view = table().still
    assert glance_at(replace(view, color_bgr=None)) is None  # depth alone doesn't show a small push
    one, other = glance_at(view), glance_at(replace(view, table=replace(view.table)))
    assert one is not None
    assert other is not None
    assert changes(one, other) is None  # the camera was moved and measured anew


def test_after_a_view_that_cannot_be_read_everything_is(looked_at: list[str]) -> None:
    looks, seen = Looks(), table()
    known = looks(seen.after, PIECES, None)
    odd = replace(seen.still, rise_px=np.zeros((3, 5), np.float32))
    with pytest.raises(READING_FAULTS):
        looks(odd, PIECES, known)
    assert looks(seen.still, PIECES, known).roads
    assert looked_at[-1] == "all"


def test_the_same_views_give_the_same_layouts() -> None:
    seen = table()

    def run() -> list[str]:
        looks, known, out = Looks(), None, []
        for view in (seen.after, seen.pushed):
            known = looks(view, PIECES, known)
            out.append(known.model_dump_json())
        return out

    assert run() == run()


def test_noise_is_no_change_and_a_pushed_road_is() -> None:
    seen = table()
    assert _share(seen.after, seen.still) == 0.0
    assert 0 < _share(seen.after, seen.pushed) < 0.05


@pytest.mark.parametrize("aside", [True, False])
def test_a_city_that_nothing_touches_is_known(
    monkeypatch: pytest.MonkeyPatch, looked_at: list[str], aside: bool
) -> None:
    seen = table()
    road = next(road for road in seen.truth.roads if road.id == seen.new)
    x, y = (-220.0, 120.0) if aside else np.mean(road.ends, axis=0)[:2]
    corners = tuple((float(x + dx), float(y + dy)) for dx, dy in ((-9, -9), (9, -9), (9, 9), (-9, 9)))
    card = CityObject(id="o1", kind="development_area", outline=corners, height=2.0)
    at_all = th_vision.looks.look_at_all

    def with_card(plan: PlanView, pieces: Pieces, prior: Layout | None) -> tuple[Layout, Measured]:
        layout, measured = at_all(plan, pieces, prior)
        return layout.model_copy(update={"city": (card,)}), measured

    monkeypatch.setattr(th_vision.looks, "look_at_all", with_card)
    looks = Looks()
    known = looks(seen.before, PIECES, None)
    layout = looks(seen.after, PIECES, known)
    assert looked_at == ["all", "part" if aside else "all"]
    assert layout.city == (card,)
    assert len(road_pairs(layout, seen.truth)) == len(seen.truth.roads)


def _share(before: StillView, now: StillView) -> float:
    one, other = glance_at(before), glance_at(now)
    assert one is not None
    assert other is not None
    changed = changes(one, other)
    assert changed is not None
    return changed.share
