"""table.toml and the map beside it: kept whole, comments kept, anything foreign or cut refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tomlkit

from calibration.camera import Camera
from calibration.errors import CalibrationError
from calibration.table import EmptyTable, TableCalibration
from calibration.table_file import check_camera, load_table, save_table
from tests.calibration.synthetic import looking_down, pose, rotation, small


def _table(seed: int = 1, camera: Camera | None = None) -> TableCalibration:
    rng = np.random.default_rng(seed)
    used = camera or small()
    shape = (used.depth.height, used.depth.width)
    disparity = rng.uniform(15, 25, shape).astype(np.float32)
    disparity[:, :20] = np.nan
    sigma = np.where(np.isfinite(disparity), 0.02, np.nan).astype(np.float32)
    color = rng.integers(0, 255, (360, 640, 3), dtype=np.uint8)
    empty = EmptyTable(disparity, sigma, color, np.isfinite(disparity) & (rng.random(shape) > 0.1))
    return TableCalibration(
        used, looking_down(500, 3, 1), empty, {"tilt_deg": 3.16228, "depth_scale": 1.0}, "2026-01-02T03:04:05Z", 31.5
    )


def _same(a: TableCalibration, b: TableCalibration) -> bool:
    color_a, color_b = a.empty.color_bgr, b.empty.color_bgr
    return (
        a.camera.depth == b.camera.depth
        and a.camera.color == b.camera.color
        and (a.camera.model, a.camera.serial) == (b.camera.model, b.camera.serial)
        and (a.camera.depth_unit_mm, a.camera.baseline_mm) == (b.camera.depth_unit_mm, b.camera.baseline_mm)
        and np.array_equal(a.camera.T_color_depth, b.camera.T_color_depth)
        and np.array_equal(a.T_depth_table, b.T_depth_table)
        and np.array_equal(a.empty.disparity_px, b.empty.disparity_px, equal_nan=True)
        and np.array_equal(a.empty.sigma_px, b.empty.sigma_px, equal_nan=True)
        and np.array_equal(a.empty.measured, b.empty.measured)
        and (color_a is None if color_b is None else np.array_equal(np.asarray(color_a), color_b))
        and a.residuals_mm == b.residuals_mm
        and (a.made_at, a.temperature_c) == (b.made_at, b.temperature_c)
    )


def test_what_is_saved_comes_back_bit_for_bit(tmp_path: Path) -> None:
    table = _table()
    save_table(table, tmp_path / "table.toml")
    assert _same(load_table(tmp_path / "table.toml"), table)


def test_without_colour_and_temperature_too(tmp_path: Path) -> None:
    table = _table()
    plain = replace(
        table,
        camera=replace(table.camera, color=None),
        empty=replace(table.empty, color_bgr=None),
        temperature_c=None,
    )
    save_table(plain, tmp_path / "t.toml")
    assert _same(load_table(tmp_path / "t.toml"), plain)


def test_comments_of_the_user_stay_when_it_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    save_table(_table(), path)
    text = path.read_text().replace('model = "D435"', 'model = "D435" # on the long arm\n# lamp: left')
    path.write_text(text + "\n[my_notes]\nroom = 'kitchen'\n")
    changed = replace(_table(2), made_at="2026-02-02T00:00:00Z", temperature_c=None)
    save_table(changed, path)
    again = path.read_text()
    assert "# on the long arm" in again
    assert "# lamp: left" in again
    assert "room = 'kitchen'" in again
    assert "temperature_c" not in again
    assert _same(load_table(path), changed)


def test_a_new_map_takes_the_place_of_the_old_one_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    save_table(_table(1), path)
    (tmp_path / "table-of-another.npz").write_bytes(b"mine")
    save_table(_table(2), path)
    name = str(tomlkit.parse(path.read_text()).unwrap()["map"]["file"])
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(["table.toml", "table-of-another.npz", name])


def test_calibrations_of_two_cameras_live_side_by_side(tmp_path: Path) -> None:
    save_table(_table(1), tmp_path / "left.toml")
    save_table(_table(2), tmp_path / "right.toml")
    assert _same(load_table(tmp_path / "left.toml"), _table(1))
    assert _same(load_table(tmp_path / "right.toml"), _table(2))


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def _map_path(path: Path) -> Path:
    return path.with_name(str(tomlkit.parse(path.read_text()).unwrap()["map"]["file"]))


def _cut_map(path: Path) -> None:
    blob = _map_path(path).read_bytes()
    _map_path(path).write_bytes(blob[: len(blob) // 2])


def _flip_bit(path: Path) -> None:
    blob = bytearray(_map_path(path).read_bytes())
    blob[len(blob) // 2] ^= 4
    _map_path(path).write_bytes(bytes(blob))


def _cut_toml(path: Path) -> None:
    path.write_text(path.read_text()[:900])


def _zero_map(path: Path) -> None:
    _map_path(path).write_bytes(b"")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "map missing": (lambda path: _map_path(path).unlink(), "empty-table map of table.toml is missing"),
    "map cut": (_cut_map, "cut, damaged or of another calibration"),
    "map empty": (_zero_map, "cut, damaged or of another calibration"),
    "map with one flipped bit": (_flip_bit, "cut, damaged or of another calibration"),
    "toml cut": (_cut_toml, r"table.toml: (not a TOML file|not a whole calibration)"),
    "toml empty": (lambda path: path.write_bytes(b""), "no schema"),
    "toml binary": (lambda path: path.write_bytes(b"\xff\xfe\x00"), "not a TOML file"),
    "other version": (lambda path: _edit(path, "table/1", "table/2"), "'th-vision/table/2', this version reads"),
    "a key missing": (lambda path: _edit(path, "baseline_mm", "base"), "'baseline_mm' is missing"),
    "a number as word": (lambda path: _edit(path, "depth_unit_mm = 0.1", "depth_unit_mm = 'x'"), "not a whole"),
    "a negative focal length": (lambda path: _edit(path, "fx = 215.0", "fx = -215.0"), "fx = -215 can't be"),
    "a unit that is no number": (lambda path: _edit(path, "depth_unit_mm = 0.1", "depth_unit_mm = nan"), "can't be"),
    "a pose that is none": (
        lambda path: _edit(path, "[table]", "[table]\nT_depth_table = [[1.0]]\n[old]"),
        "4 x 4 matrix",
    ),
    "a wrong shape": (
        lambda path: _edit(path, "width = 424, height = 240", "width = 240, height = 424"),
        "map of 424 x 240 pixels, the calibration's depth is 240 x 424",
    ),
    "no such file": (lambda path: path.unlink(), "no such file; make it with th-vision calibrate table"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_calibration_is_refused_in_one_line_that_names_the_file(what: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    save_table(_table(), path)
    harm, words = DAMAGE[what]
    harm(path)
    with pytest.raises(CalibrationError, match=words) as caught:
        load_table(path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_the_map_of_another_calibration_is_noticed(tmp_path: Path) -> None:
    save_table(_table(1), tmp_path / "a.toml")
    save_table(_table(2), tmp_path / "b.toml")
    _map_path(tmp_path / "a.toml").write_bytes(_map_path(tmp_path / "b.toml").read_bytes())
    with pytest.raises(CalibrationError, match=r"of another calibration than a\.toml"):
        load_table(tmp_path / "a.toml")


def test_a_file_that_is_no_calibration_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "notes.toml"
    path.write_text("not [ toml")
    with pytest.raises(CalibrationError, match="not a TOML file"):
        save_table(_table(), path)
    assert path.read_text() == "not [ toml"


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="can't be written"):
        save_table(_table(), tmp_path / "nowhere" / "table.toml")


def test_the_same_camera_is_accepted_with_its_names_many_spellings() -> None:
    check_camera(_table(), small())
    check_camera(_table(), replace(small(), model="Intel RealSense D435"))
    check_camera(_table(), replace(small(), serial=""))


def _other(what: str) -> Camera:
    camera = small()
    assert camera.color is not None
    return {
        "serial": replace(camera, serial="78"),
        "model": replace(camera, model="D415", serial=""),
        "depth size": replace(camera, depth=replace(camera.depth, width=848, height=480)),
        "colour size": replace(camera, color=replace(camera.color, width=1280, height=720)),
        "no colour": replace(camera, color=None),
        "focal length": replace(camera, depth=replace(camera.depth, fx=216.0)),
        "centre": replace(camera, color=replace(camera.color, cx=323.0)),
        "unit": replace(camera, depth_unit_mm=1.0),
        "colour's place": replace(camera, T_color_depth=pose(rotation(0.2, -0.1, 0.15), (18.0, 0.3, -0.2))),
    }[what]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("serial", "camera D435 77, frames are from D435 78"),
        ("model", "calibration is of a D435, frames are from a D415"),
        ("depth size", "depth of 424 x 240, frames have 848 x 480"),
        ("colour size", "colour of 640 x 360, frames have 1280 x 720"),
        ("no colour", "only the calibration has a colour camera"),
        ("focal length", "depth intrinsics differ"),
        ("centre", "colour intrinsics differ"),
        ("unit", "depth unit of 0.1 mm, frames have 1 mm"),
        ("colour's place", "place beside the depth camera differs"),
    ],
)
def test_another_camera_is_refused_in_one_line(what: str, words: str) -> None:
    with pytest.raises(CalibrationError, match=words) as caught:
        check_camera(_table(), _other(what))
    assert "\n" not in str(caught.value)
    assert "calibrate table" in str(caught.value)


def test_a_unit_that_the_calibration_corrected_is_still_the_cameras() -> None:
    table = _table()
    corrected = replace(
        table, camera=replace(table.camera, depth_unit_mm=0.1 * 0.99), residuals_mm={"depth_scale": 0.99}
    )
    check_camera(corrected, small())


def test_any_harm_to_the_toml_is_a_clear_error_or_harmless_never_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    save_table(_table(), path)
    whole = path.read_bytes()
    rng = np.random.default_rng(5)
    said: list[str] = []
    for _ in range(150):
        harmed = bytearray(whole)
        if rng.random() < 0.5:
            del harmed[int(rng.integers(len(harmed))) :]
        else:
            for _ in range(int(rng.integers(1, 4))):
                harmed[int(rng.integers(len(harmed)))] = int(rng.integers(256))
        path.write_bytes(bytes(harmed))
        try:
            load_table(path)
        except CalibrationError as error:
            said.append(str(error))
    assert len(said) > 75
    assert not any("\n" in line for line in said)
