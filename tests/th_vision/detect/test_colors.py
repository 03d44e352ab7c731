"""Whose car a colour is, on a table that has a player's colour itself."""

from __future__ import annotations

import numpy as np

from calibration.calibrate import calibrate_table
from th_vision.detect.colors import bgr, palette
from th_vision.reconstruct import reconstruct
from th_vision.still_view import fuse
from th_vision.virtual_table.examples import static_example
from th_vision.virtual_table.simulate import pieces_for

WOOD = np.array([74.0, 110.0, 160.0])  # BGR, an orange brown


def test_wood_is_nobodys_car_and_an_orange_car_on_wood_is_oranges() -> None:
    pieces = pieces_for(4)[0]
    colors = palette(pieces, None)
    orange = bgr(pieces.players["orange"])
    samples, bare = np.array([WOOD, 0.6 * WOOD, orange, 0.8 * orange]), np.tile(WOOD, (4, 1))
    index, _ = colors.nearest(samples.astype(np.float32), bare.astype(np.float32))
    names = [colors.names[k] if k >= 0 else None for k in index]
    assert names == [None, None, "orange", "orange"]


def test_four_players_on_wood_no_stick_shows_cars_of_the_table_beside_it() -> None:
    pieces = pieces_for(4)[0]
    example = static_example(3141, "D415", 600.0, "wood", 3, roads=3, columns=4, pieces=pieces)
    table, _ = calibrate_table(example.camera.camera, ((f.depth, f.color) for f in example.calibration_frames))
    layout = reconstruct(fuse(example.frames, table), example.pieces)
    assert sorted(car.player for car in layout.cars) == sorted(car.player for car in example.truth.cars)
