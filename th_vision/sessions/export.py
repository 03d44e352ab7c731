"""A recording in other forms: a folder of images as the contract has it, or one frame of it as a point cloud."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import TableCalibration, transform
from th_vision.errors import VisionError
from th_vision.frame import Frame, Source
from th_vision.output import write_aside
from th_vision.sessions.messages import encode_color
from th_vision.sessions.reader import Session
from th_vision.sources.session import SessionSource
from th_vision.virtual_table.recording import recording_header

Array = NDArray[np.float64]
_PNG = [cv2.IMWRITE_PNG_COMPRESSION, 4, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_SUB]
_STEP_S = 1e-6  # between two frames whose clock stood still or went back


@dataclass(frozen=True)
class Exported:
    """What was written. ``notes``: what is otherwise than in the recording."""

    output: Path
    frames: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.output}: {self.frames} frame{'' if self.frames == 1 else 's'}"


def export_folder(source: Source, folder: Path, tell: Callable[[str], None] = lambda _: None) -> Exported:
    """Write all frames as a new folder of images; of a session also its calibration, pieces and game.

    JPEGs of a session are written as they are, so that not a pixel changes.

    Raises:
        VisionError: the folder is there already or can't be written, or there is no frame to write.
    """
    aside = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    if folder.exists():
        raise VisionError(f"{folder}: is there already; give another name, or remove it")
    try:
        aside.mkdir(parents=True)
        done = _write_frames(source, aside, folder, tell)
        if isinstance(source, SessionSource):
            _write_rest(source.session, aside)
        os.rename(aside, folder)
    except OSError as error:
        raise VisionError(f"{folder}: can't be written ({error.strerror}); give another place") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return done


def _write_frames(source: Source, folder: Path, name: Path, tell: Callable[[str], None]) -> Exported:
    times: list[float] = []
    uncolored = shifted = 0
    with_color = source.camera.color is not None
    (folder / "depth").mkdir()
    for frame, encoded in _frames(source):
        if with_color and encoded is None:
            uncolored += 1  # a folder's frames all have their partner
            continue
        stem = f"{len(times):06d}"
        done, depth = cv2.imencode(".png", frame.depth, _PNG)
        if not done:
            raise VisionError(f"{source.name}: frame {frame.number} can't be written as PNG")
        (folder / "depth" / f"{stem}.png").write_bytes(depth.tobytes())
        if encoded is not None:
            (folder / "color").mkdir(exist_ok=True)
            suffix = "png" if encoded.startswith(b"\x89PNG") else "jpg"
            (folder / "color" / f"{stem}.{suffix}").write_bytes(encoded)
        time_s = round(frame.time_s, 9)
        if times and time_s <= times[-1]:
            shifted, time_s = shifted + 1, round(times[-1] + _STEP_S, 9)
        times.append(time_s)
        if len(times) % 100 == 0:
            tell(f"{len(times)} frames")
    if not times:
        raise VisionError(f"{source.name}: has no frame that could be exported")
    fps = 30.0 if len(times) < 2 else float(1 / np.median(np.diff(times)))
    header = recording_header(source.camera, round(fps, 6), times)
    (folder / "recording.json").write_text(json.dumps(header, indent=1) + "\n", encoding="utf-8")
    notes = []
    if uncolored:
        notes.append(f"{source.name}: {uncolored} frames without colour left out")
    if shifted:
        notes.append(f"{source.name}: the clock of {shifted} frames did not rise; they come just after the one before")
    return Exported(name, len(times), tuple(notes))


def _frames(source: Source) -> Iterator[tuple[Frame, bytes | None]]:
    """Each frame with its colour as a JPEG or PNG."""
    if isinstance(source, SessionSource):
        for stored in source.session.stored():
            yield Frame(stored.number, stored.time_s, stored.depth), stored.color
        return
    for frame in source:
        yield frame, None if frame.color is None else encode_color(frame.color, "png")


def _write_rest(session: Session, folder: Path) -> None:
    for name, data in session.attachments.items():
        (folder / name).write_bytes(data)
    lines = session.game_lines()
    if lines:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for _, line in lines)
        (folder / "game.jsonl").write_text(text, encoding="utf-8")


# --- clouds ---


def export_cloud(source: Source, path: Path, *, table: TableCalibration | None, at_s: float | None) -> Exported:
    """Write one frame, the last one or the first from ``at_s`` on, as an organised ``.pcd`` or a ``.ply``.

    With ``table`` in the table's frame (mm, its depth corrected as the calibration says), else in the camera's (m).

    Raises:
        VisionError: there is no such frame, or the place can't be written.
    """
    frame = _frame_at(source, at_s)
    points, colors = frame_points(frame, source, table)
    unit = "camera frame, m" if table is None else "table frame, mm"
    make = ply_of if path.suffix.lower() == ".ply" else pcd_of
    write_aside(path, make(points, colors, unit))
    return Exported(path, 1)


def _frame_at(source: Source, at_s: float | None) -> Frame:
    if isinstance(source, SessionSource):
        return _frame_of_session(source, at_s)
    last = None
    for frame in source:
        last = frame
        if at_s is not None and frame.time_s >= at_s:
            return frame
    if last is None or at_s is not None:
        raise VisionError(f"{source.name}: has no frame{'' if at_s is None else f' from {at_s:g} s on'}")
    return last


def _frame_of_session(source: SessionSource, at_s: float | None) -> Frame:
    """By the file's index: only what is needed is read."""
    session = source.session
    if at_s is not None:
        found = next(session.frames(at_s), None)
    else:
        found = None
        for chunk in reversed(session.part.chunks):
            for stored in session.frames_in(chunk):
                found = stored.frame()
            if found is not None:
                break
    if found is None:
        raise VisionError(f"{source.name}: has no frame{'' if at_s is None else f' from {at_s:g} s on'}")
    return found


def frame_points(
    frame: Frame, source: Source, table: TableCalibration | None
) -> tuple[Array, NDArray[np.uint8] | None]:
    """(h, w, 3) points of a frame, NaN without depth, and their (h, w, 3) BGR colours where the frame has colour."""
    camera = source.camera if table is None else table.camera
    v, u = np.mgrid[0 : camera.depth.height, 0 : camera.depth.width]
    z = frame.depth.astype(np.float64) * camera.depth_unit_mm
    z[frame.depth == 0] = np.nan
    points = camera.depth.rays(np.stack([u, v], axis=-1).astype(np.float64)) * z[:, :, None]
    colors = None
    if frame.color is not None and camera.color is not None:
        seen = np.isfinite(z)
        pixels = np.rint(camera.color.project(transform(camera.T_color_depth, points[seen]))).astype(np.int64)
        height, width = frame.color.shape[:2]
        inside = (pixels >= 0).all(axis=1) & (pixels[:, 0] < width) & (pixels[:, 1] < height)
        of_seen = np.zeros((len(pixels), 3), np.uint8)
        of_seen[inside] = frame.color[pixels[inside, 1], pixels[inside, 0]]
        colors = np.zeros((*z.shape, 3), np.uint8)
        colors[seen] = of_seen
    return (points / 1000 if table is None else transform(table.T_table_depth, points)), colors


def pcd_of(points: Array, bgr: NDArray[np.uint8] | None, unit: str) -> bytes:
    """A binary PCD that keeps the grid: (h, w, 3) points, NaN where there is none."""
    height, width = points.shape[:2]
    rows = np.zeros(
        height * width, dtype=[("x", "<f4"), ("y", "<f4"), ("z", "<f4")] + ([("rgb", "<u4")] if bgr is not None else [])
    )
    for i, axis in enumerate("xyz"):
        rows[axis] = points[:, :, i].ravel()
    if bgr is not None:
        b, g, r = (bgr[:, :, i].ravel().astype(np.uint32) for i in range(3))
        rows["rgb"] = r << 16 | g << 8 | b
    names, types = ("x y z rgb", "F F F U") if bgr is not None else ("x y z", "F F F")
    count = len(names.split())
    head = (
        f"# .PCD v0.7 - th-vision, {unit}\nVERSION 0.7\nFIELDS {names}\nSIZE {' '.join('4' * count)}\nTYPE {types}\n"
        f"COUNT {' '.join('1' * count)}\nWIDTH {width}\nHEIGHT {height}\nVIEWPOINT 0 0 0 1 0 0 0\n"
        f"POINTS {height * width}\nDATA binary\n"
    )
    return head.encode() + rows.tobytes()


def ply_of(points: Array, bgr: NDArray[np.uint8] | None, unit: str) -> bytes:
    """A binary PLY of the points that are there."""
    from th_vision.cloud import ply_bytes

    seen = np.isfinite(points[:, :, 2])
    data = ply_bytes(points[seen], None if bgr is None else bgr[seen])
    return data.replace(b"comment th-vision, table frame, mm", f"comment th-vision, {unit}".encode(), 1)
