"""An ``.mcap`` of another program as a source: Foxglove's schemas on the topics of a session, and its metadata record.

Our own sessions have hashes for every frame (``sessions/reader.py``). Here there are none: what can be unpacked is
taken, what can't is left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from calibration.camera import BASELINES_MM, DEFAULT_BASELINE_MM, Array, Camera, Intrinsics
from calibration.table import TableCalibration
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.sessions import header as names
from th_vision.sessions.attached import brought_table, pieces_of_file
from th_vision.sources import mcap_messages as messages
from th_vision.sources.folder_header import DEFAULT_NATIVE_FX_PX, MAX_DEPTH_SCALE_M, NATIVE_FX_PX, model_name

_ABOUT = (names.DEPTH_INFO, names.COLOR_INFO, names.TF, names.DEPTH, names.COLOR)
_SCALE, _CAMERA, _SERIAL = "depth_scale", "camera", "serial"


class OtherMcap:
    """Frames of an ``.mcap`` that is no session of ours.

    Raises:
        VisionError: no depth on the contract's topic, or its camera is not told.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._besides = messages.besides(path)
        self.camera: Camera = self._camera_of(_Head(path, self._besides))
        self._left_out = 0

    @property
    def name(self) -> str:
        """The file as the user gave it."""
        return str(self._path)

    def __iter__(self) -> Iterator[Frame]:
        topics = [names.DEPTH] if self.camera.color is None else [names.DEPTH, names.COLOR]
        start_s: float | None = None
        self._left_out = 0
        pictures = messages.told(self._path, topics, self._besides)
        for index, (depth, color) in enumerate(messages.paired(pictures, names.DEPTH)):
            start_s = depth.time_s if start_s is None else start_s
            units = messages.depth_picture(depth.message)
            picture = None if color is None else messages.color_picture(color.message)
            if units is None or (color is not None and picture is None):
                self._left_out += 1
            else:
                yield Frame(index, depth.time_s - start_s, units, picture)

    def table(self) -> TableCalibration | None:
        """The calibration that came along, None where none did.

        Raises:
            VisionError: it did, and is no whole calibration.
        """
        return brought_table(self._besides.attachments, self.name)

    def pieces(self) -> Pieces | None:
        """The pieces that came along, None where none did."""
        return pieces_of_file(self._besides.attachments)

    @property
    def unverified(self) -> str:
        """Why nobody can say whether the frames are as they were recorded."""
        return "another program wrote it, without hashes"

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with the file, as far as it has been read: a sentence each."""
        said = []
        if self._left_out:
            n = self._left_out
            said.append(f"{self.name}: {n} frame{'' if n == 1 else 's'} can't be unpacked, left out")
        if self._besides.cut:
            said.append(f"{self.name}: was cut before its end, or is damaged; what comes before that was read")
        return tuple(said)

    # --- what it says of its camera ---

    def _camera_of(self, head: _Head) -> Camera:
        about = {
            key.strip().lower().replace(" ", "_"): value
            for key, value in self._besides.metadata.get(names.NAME, {}).items()
        }
        for key in (_SCALE, _CAMERA):
            if not about.get(key, "").strip():
                raise VisionError(f"{self._path}: its metadata record {names.NAME} has no {key}; write it there")
        try:
            scale_m = float(about[_SCALE])
        except ValueError:
            scale_m = float("nan")
        if not 0 < scale_m <= MAX_DEPTH_SCALE_M:
            raise VisionError(
                f"{self._path}: depth_scale is {about[_SCALE]}; it is metres for each depth unit "
                "(0.001 where a unit is 1 mm)"
            )
        depth = head.intrinsics(names.DEPTH_INFO)
        color = head.intrinsics(names.COLOR_INFO) if head.has_color else None
        T = np.eye(4) if color is None else head.between(names.DEPTH, names.COLOR)
        model = model_name(about[_CAMERA])
        aligned = color is not None and head.one_frame and (color.width, color.fx) == (depth.width, depth.fx)
        return Camera(
            model=model,
            depth=depth,
            color=color,
            T_color_depth=T,
            depth_unit_mm=scale_m * 1000,
            baseline_mm=BASELINES_MM.get(model, DEFAULT_BASELINE_MM),
            serial=about.get(_SERIAL, ""),
            kernel_scale=depth.fx / NATIVE_FX_PX.get(model, DEFAULT_NATIVE_FX_PX) if aligned else 1.0,
        )


class _Head:
    """The first messages of every topic: as many as it takes to know the camera."""

    def __init__(self, path: Path, about: messages.Besides) -> None:
        self._path = path
        self._first: dict[str, messages.Told] = {}
        self._steps: list[tuple[str, str, Array]] = []
        for one in messages.told(path, _ABOUT, about):
            self._first.setdefault(one.topic, one)
            if one.topic == names.TF:
                self._steps += messages.transforms(one.message)
            if len(self._first) == len(_ABOUT) and (self.one_frame or self._way() is not None):
                break
        if names.DEPTH not in self._first:
            raise VisionError(
                f"{path}: has no depth on {names.DEPTH} in Foxglove's schemas (protobuf RawImage or CompressedImage)"
            )
        picture = self._first[names.DEPTH].message
        if messages.depth_picture(picture) is None:
            kind = getattr(picture, "encoding", "") or getattr(picture, "format", "")
            raise VisionError(
                f"{path}: the depth on {names.DEPTH} comes as {kind or 'nothing'}; depth is 16UC1, or a 16-bit PNG"
            )

    @property
    def has_color(self) -> bool:
        """Whether there are colour pictures."""
        return names.COLOR in self._first

    @property
    def one_frame(self) -> bool:
        """Whether depth was brought to the colour camera's frame."""
        return self.has_color and self._frame(names.DEPTH) == self._frame(names.COLOR)

    def intrinsics(self, topic: str) -> Intrinsics:
        """What one of the cameras says of itself."""
        one = self._first.get(topic)
        if one is None:
            raise VisionError(f"{self._path}: has no camera info on {topic}; its intrinsics are not known")
        found = messages.intrinsics(one.message)
        if found is None:
            raise VisionError(f"{self._path}: {topic} has no K, no size or more than five numbers of distortion")
        return found

    def between(self, start: str, goal: str) -> Array:
        """4x4, mm, from the frame of one topic's pictures to that of another's."""
        if self.one_frame:
            return np.eye(4)
        way = self._way()
        if way is None:
            raise VisionError(
                f"{self._path}: {names.TF} leads from {self._frame(start) or 'depth'} to no {self._frame(goal)}; "
                "where colour is to depth is not known"
            )
        return way

    def _way(self) -> Array | None:
        if not self.has_color or names.DEPTH not in self._first:
            return None
        return messages.way_between(self._steps, self._frame(names.DEPTH), self._frame(names.COLOR))

    def _frame(self, topic: str) -> str:
        info = names.DEPTH_INFO if topic == names.DEPTH else names.COLOR_INFO
        own = str(self._first[topic].message.frame_id)
        return own or (str(self._first[info].message.frame_id) if info in self._first else "")
