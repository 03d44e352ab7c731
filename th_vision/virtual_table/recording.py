"""Writing a session as folders of images: the game, and ``calibration/`` in it, with ``truth.json`` and pieces.

DIR/depth/000000.png  DIR/color/000000.jpg  DIR/recording.json  DIR/pieces.toml  DIR/truth.json  DIR/truth.jsonl
DIR/calibration/depth/...  DIR/calibration/color/...  DIR/calibration/recording.json
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.camera import Camera, Intrinsics
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.output import write_aside
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.session import Session
from th_vision.virtual_table.telling import Telling

JPEG_QUALITY = 90
PNG_LEVEL = 4  # 9 makes files a fifth smaller and takes four times as long


class FolderWriter:
    """Writes frames as an image folder; ``close`` writes its header. The folder must be new or empty.

    Raises:
        VisionError: the place can't be written, or holds something already.
    """

    def __init__(
        self, folder: Path, camera: Camera, fps: float, jpeg_quality: int = JPEG_QUALITY, png_level: int = PNG_LEVEL
    ) -> None:
        self._folder, self._camera, self._fps = folder, camera, fps
        self._jpeg_quality, self._png_level = jpeg_quality, png_level
        self._times: list[float] = []
        self._color = True
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any((folder / name).exists() for name in ("depth", "color", "recording.json")):
                what = (
                    "a recording"
                    if (folder / "recording.json").exists()
                    else "frames (of a run that was cut, or goes on)"
                )
                raise VisionError(f"{folder}: holds {what} already; give another folder or remove it")
            (folder / "depth").mkdir()
        except OSError as error:
            raise VisionError(f"{folder}: can't be written ({error.strerror}); give another folder") from error

    def __len__(self) -> int:
        """Frames written so far."""
        return len(self._times)

    def add(self, frame: Frame) -> None:
        """Write one frame under the next number."""
        stem = f"{len(self._times):06d}"
        options = [cv2.IMWRITE_PNG_COMPRESSION, self._png_level, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_SUB]
        depth = _encoded(".png", frame.depth, options)
        write_plain(self._folder / "depth" / f"{stem}.png", depth)
        if frame.color is None:
            self._color = False
        elif self._color:
            (self._folder / "color").mkdir(exist_ok=True)
            color = _encoded(".jpg", frame.color, [cv2.IMWRITE_JPEG_QUALITY, self._jpeg_quality])
            write_plain(self._folder / "color" / f"{stem}.jpg", color)
        self._times.append(round(frame.time_s, 6))

    def close(self) -> None:
        """Write ``recording.json``: only now is this a recording."""
        header = recording_header(self._camera, self._fps, self._times)
        write_aside(self._folder / "recording.json", json.dumps(header, indent=1) + "\n")


def write_plain(path: Path, data: bytes) -> None:
    """Write a file of a folder that is no recording yet (its header comes last)."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise VisionError(f"{path}: can't be written ({error.strerror}); give another place") from error


def _encoded(suffix: str, image: np.ndarray[Any, Any], options: list[int]) -> bytes:
    done, data = cv2.imencode(suffix, image, options)
    if not done:
        raise VisionError(f"a frame can't be written as {suffix}")
    return bytes(data.tobytes())


def recording_header(camera: Camera, fps: float, times_s: list[float]) -> dict[str, Any]:
    """``recording.json`` of the contract (section 1), lengths in metres."""
    T = camera.T_color_depth.copy()
    T[:3, 3] /= 1000
    header: dict[str, Any] = {
        "depth_scale": round(camera.depth_unit_mm / 1000, 12),
        "fps": fps,
        "timestamps": times_s,
        "camera": camera.model,
        "serial": camera.serial,
        "baseline_mm": camera.baseline_mm,
        "depth_intrinsics": _intrinsics(camera.depth),
    }
    if camera.color is not None:
        header["color_intrinsics"] = _intrinsics(camera.color)
        header["T_color_depth"] = [[float(v) for v in row] for row in T]
    return header


def _intrinsics(K: Intrinsics) -> dict[str, Any]:
    return {
        "width": K.width,
        "height": K.height,
        "fx": K.fx,
        "fy": K.fy,
        "cx": K.cx,
        "cy": K.cy,
        "distortion": list(K.distortion),
    }


def write_session(
    folder: Path,
    session: Session,
    moments: Iterable[Moment],
    pieces: Pieces,
    *,
    about: dict[str, Any] | None = None,
    jpeg_quality: int = JPEG_QUALITY,
    png_level: int = PNG_LEVEL,
    log: Callable[[str], None] = lambda _: None,
) -> int:
    """Write the calibration and a game of a session; gives the number of the game's frames.

    Raises:
        VisionError: the folder can't be written, or there is nothing to write.
    """
    camera = session.camera.camera
    fps = session.setup.fps
    game = FolderWriter(folder, camera, fps, jpeg_quality, png_level)
    bench = FolderWriter(folder / "calibration", camera, fps, jpeg_quality, png_level)
    told = Telling(session, pieces, about or {}, log)
    for frame in told.calibration():
        bench.add(frame)
    bench.close()
    for frame in told.game(moments):
        game.add(frame)
    told.write(folder / "truth.json", folder / "truth.jsonl", folder / "pieces.toml")
    game.close()
    return len(game)
