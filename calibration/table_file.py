"""``table.toml`` and the map file beside it: what a table's calibration looks like on disk.

The map's file carries part of its own hash in its name and the whole hash in the toml. So writing the toml is the one
moment at which the new calibration takes the place of the old; a cut or a foreign map can't pass for the right one.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import tomlkit
import tomlkit.exceptions
from numpy.typing import NDArray

from calibration.camera import Camera, Intrinsics
from calibration.errors import CalibrationError
from calibration.files import write_aside
from calibration.table import EmptyTable, TableCalibration
from calibration.tolerances import TOLERANCES

SCHEMA = "th-vision/table/1"

_COMMENTS = {
    "schema": "Where the table is, seen from one camera. Written by th-vision calibrate table; lengths in mm.",
    "camera": "The camera this calibration belongs to; with another one, or another resolution, it is refused.",
    "table": "Takes points of the table frame (origin at the board's centre, z up) to the depth camera.",
    "residuals": "How good it is. Keys say the unit.",
    "map": "The empty table as the depth camera sees it, pixel by pixel; the hash guards against a wrong or cut file.",
}


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise CalibrationError where ``path`` holds something that a calibration must not be written over."""
    target = Path(path)
    try:
        if target.exists():
            _read_document(target)
    except CalibrationError as error:
        if isinstance(error.__cause__, OSError):
            raise
        raise CalibrationError(
            f"{target}: holds something that is not a TOML file, perhaps a cut calibration; remove it or choose "
            "another place with -o"
        ) from error


def save_table(table: TableCalibration, path: str | os.PathLike[str]) -> None:
    """Write ``path`` (toml) and the map beside it, each aside and renamed. Comments in an existing file are kept.

    Raises CalibrationError where the directory can't be written.
    """
    target = Path(path)
    check_target(target)
    old_map = _map_name(target)
    document = _read_document(target) if target.exists() else tomlkit.document()
    blob = _map_bytes(table.empty)
    digest = hashlib.sha256(blob).hexdigest()
    map_path = target.with_name(f"{target.stem}-{digest[:8]}.npz")
    _fill(document, table, map_path.name, digest)
    try:
        write_aside(map_path, blob)
        write_aside(target, tomlkit.dumps(document).encode())
    except OSError as error:
        raise CalibrationError(
            f"{target}: can't be written ({error.strerror}); choose another place with -o"
        ) from error
    if old_map and old_map != map_path.name and old_map.startswith(f"{target.stem}-"):
        target.with_name(old_map).unlink(missing_ok=True)


def load_table(path: str | os.PathLike[str]) -> TableCalibration:
    """Read ``table.toml`` and its map. Raises CalibrationError, one line, for anything missing, cut or foreign."""
    source = Path(path)
    document = _read_document(source)
    plain = document.unwrap()
    schema = plain.get("schema")
    if schema != SCHEMA:
        what = f"schema {schema!r}" if schema else "no schema"
        raise CalibrationError(f"{source}: {what}, this version reads {SCHEMA!r}; run th-vision calibrate table again")
    try:
        camera = _camera_from(plain["camera"])
        T = _matrix(plain["table"]["T_depth_table"])
        map_name, digest = str(plain["map"]["file"]), str(plain["map"]["sha256"])
        residuals = {str(key): float(value) for key, value in plain.get("residuals", {}).items()}
        temperature = plain.get("temperature_c")
        made_at = str(plain.get("made_at", ""))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        detail = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise CalibrationError(
            f"{source}: not a whole calibration ({detail}); run th-vision calibrate table again"
        ) from error
    return TableCalibration(
        camera=camera,
        T_depth_table=T,
        empty=_load_map(source, map_name, digest, camera),
        residuals_mm=residuals,
        made_at=made_at,
        temperature_c=None if temperature is None else float(temperature),
    )


def check_camera(table: TableCalibration, camera: Camera) -> None:
    """Raise CalibrationError where ``camera`` isn't the one the calibration was made with, or runs otherwise."""
    then, now = table.camera, camera
    again = "run th-vision calibrate table with this camera"
    if then.serial and now.serial and then.serial != now.serial:
        raise CalibrationError(
            f"calibration is of camera {then.model} {then.serial}, frames are from {now.model} {now.serial}: {again}"
        )
    if _model(then.model) and _model(now.model) and _model(then.model) != _model(now.model):
        raise CalibrationError(f"calibration is of a {then.model}, frames are from a {now.model}: {again}")
    for what, a, b in (("depth", then.depth, now.depth), ("colour", then.color, now.color)):
        if a is None or b is None:
            if (a is None) != (b is None):
                side = "the calibration has" if a is not None else "the frames have"
                raise CalibrationError(f"only {side} a {what} camera: {again}")
            continue
        if (a.width, a.height) != (b.width, b.height):
            raise CalibrationError(
                f"calibration is for {what} of {a.width} x {a.height}, frames have {b.width} x {b.height}: "
                f"set that resolution or {again}"
            )
        if not _same_intrinsics(a, b):
            raise CalibrationError(
                f"{what} intrinsics differ from the calibration's (fx {a.fx:.1f} there, {b.fx:.1f} now): {again}"
            )
    raw_unit = then.depth_unit_mm / then_scale(table)
    if abs(now.depth_unit_mm / raw_unit - 1) > TOLERANCES.depth_unit_share:
        raise CalibrationError(
            f"calibration is for a depth unit of {raw_unit:g} mm, frames have {now.depth_unit_mm:g} mm: {again}"
        )
    if then.color is not None and not _same_extrinsics(then.T_color_depth, now.T_color_depth):
        raise CalibrationError(
            f"the colour camera's place beside the depth camera differs from the calibration's: {again}"
        )


def then_scale(table: TableCalibration) -> float:
    """Factor by which the calibration corrected the camera's depth unit (1 where it left it alone)."""
    return float(table.residuals_mm.get("depth_scale", 1.0))


def _model(name: str) -> str:
    """``Intel RealSense D435I`` and ``d435i`` are one model."""
    words = name.upper().split()
    return words[-1] if words else ""


def _same_intrinsics(a: Intrinsics, b: Intrinsics) -> bool:
    return (
        abs(a.fx / b.fx - 1) <= TOLERANCES.focal_share
        and abs(a.fy / b.fy - 1) <= TOLERANCES.focal_share
        and max(abs(a.cx - b.cx), abs(a.cy - b.cy)) <= TOLERANCES.centre_px
        and max(abs(p - q) for p, q in zip(a.distortion, b.distortion, strict=True)) <= TOLERANCES.distortion
    )


def _same_extrinsics(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    apart = np.linalg.inv(a) @ b
    angle = np.degrees(np.arccos(np.clip((np.trace(apart[:3, :3]) - 1) / 2, -1, 1)))
    return bool(np.linalg.norm(apart[:3, 3]) <= TOLERANCES.extrinsic_mm and angle <= TOLERANCES.extrinsic_deg)


# --- toml


def _fill(document: tomlkit.TOMLDocument, table: TableCalibration, map_name: str, digest: str) -> None:
    camera = table.camera
    fresh = "schema" not in document
    if fresh:
        document.add(tomlkit.comment(_COMMENTS["schema"]))
    document["schema"] = SCHEMA
    document["made_at"] = table.made_at
    if table.temperature_c is not None:
        document["temperature_c"] = table.temperature_c
    elif "temperature_c" in document:
        del document["temperature_c"]
    cameras = _section(document, "camera")
    for key, value in (
        ("model", camera.model),
        ("serial", camera.serial),
        ("depth_unit_mm", camera.depth_unit_mm),
        ("baseline_mm", camera.baseline_mm),
        ("kernel_scale", camera.kernel_scale),
        ("depth", _intrinsics_toml(camera.depth)),
        ("color", None if camera.color is None else _intrinsics_toml(camera.color)),
        ("T_color_depth", _rows(camera.T_color_depth)),
    ):
        if value is not None:
            cameras[key] = value
        elif key in cameras:
            del cameras[key]
    _section(document, "table")["T_depth_table"] = _rows(table.T_depth_table)
    residuals = _section(document, "residuals")
    for key in [key for key in residuals if key not in table.residuals_mm]:
        del residuals[key]
    for key, number in table.residuals_mm.items():
        residuals[key] = float(f"{number:.6g}") if key != "depth_scale" else float(number)
    maps = _section(document, "map")
    maps["file"] = map_name
    maps["sha256"] = digest


def _section(document: tomlkit.TOMLDocument, name: str) -> Any:
    if name not in document:
        table = tomlkit.table()
        if name in _COMMENTS:
            table.comment(_COMMENTS[name])
        document[name] = table
    return document[name]


def _intrinsics_toml(one: Intrinsics) -> Any:
    table = tomlkit.inline_table()
    for key in ("width", "height", "fx", "fy", "cx", "cy"):
        table[key] = getattr(one, key)
    table["distortion"] = list(one.distortion)
    return table


def _rows(T: NDArray[np.float64]) -> Any:
    array = tomlkit.array().multiline(True)
    for row in T:
        array.append([float(value) for value in row])
    return array


def _camera_from(data: dict[str, Any]) -> Camera:
    return Camera(
        model=str(data["model"]),
        depth=_intrinsics_from(data["depth"]),
        color=_intrinsics_from(data["color"]) if "color" in data else None,
        T_color_depth=_matrix(data["T_color_depth"]),
        depth_unit_mm=_positive(data, "depth_unit_mm"),
        baseline_mm=_positive(data, "baseline_mm"),
        serial=str(data["serial"]),
        kernel_scale=_positive(data, "kernel_scale"),
    )


def _intrinsics_from(data: dict[str, Any]) -> Intrinsics:
    distortion = tuple(float(value) for value in data["distortion"])
    if len(distortion) != 5:
        raise ValueError(f"distortion has {len(distortion)} numbers, expected 5")
    k1, k2, p1, p2, k3 = distortion
    return Intrinsics(
        width=int(_positive(data, "width")),
        height=int(_positive(data, "height")),
        fx=_positive(data, "fx"),
        fy=_positive(data, "fy"),
        cx=float(data["cx"]),
        cy=float(data["cy"]),
        distortion=(k1, k2, p1, p2, k3),
    )


def _positive(data: dict[str, Any], key: str) -> float:
    value = float(data[key])
    if not 0 < value < float("inf"):
        raise ValueError(f"{key} = {value:g} can't be")
    return value


def _matrix(rows: Any) -> NDArray[np.float64]:
    T = np.array(rows, dtype=np.float64)
    if T.shape != (4, 4) or not np.isfinite(T).all() or abs(np.linalg.det(T[:3, :3]) - 1) > 1e-3:
        raise ValueError("a pose must be a 4 x 4 matrix of turn and shift")
    return T


def _read_document(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8-sig"))  # some editors begin with a mark
    except FileNotFoundError as error:
        raise CalibrationError(f"{path}: no such file; make it with th-vision calibrate table") from error
    except OSError as error:
        raise CalibrationError(f"{path}: can't be read ({error.strerror})") from error
    except (tomlkit.exceptions.TOMLKitError, ValueError, RecursionError) as error:  # ValueError: no UTF-8, huge numbers
        text = " ".join(str(error).split())
        raise CalibrationError(f"{path}: not a TOML file ({text}); run th-vision calibrate table again") from error


def _map_name(path: Path) -> str | None:
    """Name of the map an existing calibration uses, or None."""
    if not path.exists():
        return None
    try:
        name = _read_document(path).unwrap()["map"]["file"]
    except (CalibrationError, KeyError, TypeError):
        return None
    return str(name)


# --- map


def _map_bytes(empty: EmptyTable) -> bytes:
    arrays: dict[str, NDArray[Any]] = {
        "disparity_px": empty.disparity_px.astype(np.float32),
        "sigma_px": empty.sigma_px.astype(np.float32),
        "measured": np.packbits(empty.measured),
    }
    if empty.color_bgr is not None:
        done, png = cv2.imencode(".png", empty.color_bgr)
        if not done:
            raise CalibrationError("the colour picture of the empty table can't be packed")
        arrays["color_png"] = np.asarray(png, dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _load_map(source: Path, name: str, digest: str, camera: Camera) -> EmptyTable:
    path = source.with_name(Path(name).name)
    again = "run th-vision calibrate table again"
    try:
        blob = path.read_bytes()
    except FileNotFoundError as error:
        raise CalibrationError(
            f"{path}: the empty-table map of {source.name} is missing; put it back or {again}"
        ) from error
    except OSError as error:
        raise CalibrationError(f"{path}: can't be read ({error.strerror})") from error
    if hashlib.sha256(blob).hexdigest() != digest:
        raise CalibrationError(f"{path}: cut, damaged or of another calibration than {source.name}; {again}")
    try:
        with np.load(io.BytesIO(blob), allow_pickle=False) as data:
            disparity = np.asarray(data["disparity_px"], dtype=np.float32)
            sigma = np.asarray(data["sigma_px"], dtype=np.float32)
            bits = np.asarray(data["measured"], dtype=np.uint8)
            png = np.asarray(data["color_png"], dtype=np.uint8) if "color_png" in data else None
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise CalibrationError(f"{path}: not an empty-table map ({error}); {again}") from error
    shape = (camera.depth.height, camera.depth.width)
    if disparity.shape != shape or sigma.shape != shape or bits.size != (shape[0] * shape[1] + 7) // 8:
        raise CalibrationError(
            f"{path}: map of {' x '.join(str(n) for n in disparity.shape[::-1])} pixels, the calibration's depth is "
            f"{shape[1]} x {shape[0]}; {again}"
        )
    measured = np.unpackbits(bits, count=shape[0] * shape[1]).reshape(shape).astype(bool)
    color = None if png is None else np.asarray(cv2.imdecode(png, cv2.IMREAD_COLOR), dtype=np.uint8)
    return EmptyTable(disparity, sigma, color, measured)
