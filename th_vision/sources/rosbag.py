"""A recording of the RealSense SDK as a source: ``.db3``, or the older ``.bag``.

A ``.db3`` as the SDK writes it now is read directly: each damaged frame is found by its checksum, left out and counted.
A ``.bag`` is converted by the SDK first; layouts of other versions are read by it; both in a process of their own.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from calibration.camera import Camera
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.backend import DeviceFacts
from th_vision.live.camera_model import camera_of
from th_vision.live.convert import convert_bag
from th_vision.live.gate import Gate, Passed
from th_vision.live.wire import FrameNote
from th_vision.sources.db3_reader import Db3, OtherLayoutError
from th_vision.sources.sdk_reading import SdkReading

# On a busy machine the SDK's playback may end before its first frame, more than once: so often it is asked.
_ASKED = 6
# Depth units of the SDK's options; another one was written with six decimals only, which is not enough.
_USUAL_UNITS_M = (0.001, 0.0005, 0.00025, 0.0001, 0.00005, 0.00001, 0.000001)
_UNIT_SHARE = 1e-4
_ROUNDING_M = 0.5e-6
_AGAIN = "copy it again from where it was recorded"


class SdkRecording:
    """Frames of a ``.db3`` or ``.bag``. ``troubles`` says what was wrong, as far as it has been read.

    ``by_sdk``: have the SDK read it in any case.

    Raises:
        VisionError: it can't be read at all, holds no depth, or needs pyrealsense2 and that is not there.
    """

    def __init__(self, path: Path, *, by_sdk: bool = False) -> None:
        self._path = path
        self._reading: SdkReading | None = None
        self._said: dict[str, str] = {}
        self._unchecked = False
        if path.is_file() and path.stat().st_size == 0:
            raise VisionError(f"{path}: is empty (0 bytes); {_AGAIN}")
        self._converted = path.suffix.lower() == ".bag"
        self._own = None if by_sdk else self._opened()
        if self._own is None:
            self._reading = SdkReading(path)
        try:
            self.facts: DeviceFacts = self._own.facts if self._own is not None else self._new_reading().facts()
            self._camera = camera_of(self.facts, str(path))
        except BaseException:
            self.close()
            raise
        self._check_unit()
        if self._own is not None and self._own.cut:
            self._say("cut", f"was cut short: what is whole is read; {_AGAIN}")

    @property
    def name(self) -> str:
        """The file as the user gave it."""
        return str(self._path)

    @property
    def camera(self) -> Camera:
        """The camera behind every frame."""
        return self._camera

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with the file, as far as it has been read: a sentence each."""
        return tuple(self._said.values())

    @property
    def unverified(self) -> str:
        """Why damage of its pictures can't be noticed, as far as it has been read; empty where it would be."""
        if self._own is not None and not self._unchecked and not self._converted:
            return ""
        return "its pictures have no checksums that can be looked at"

    def __iter__(self) -> Iterator[Frame]:
        given = 0
        for _ in range(1 if self._own is not None else _ASKED):
            gate = Gate(*_sizes(self._camera), self.facts.fps, start_s=None)
            for frame in self._from_file(gate) if self._own is not None else self._from_sdk(gate):
                given += 1
                yield frame
            if given:
                break
        if gate.refused:
            self._say("order", f"{gate.refused.total()} of its frames are doubled, unordered or of another size")
        if not given:
            raise VisionError(f"{self.name}: holds no frame that can be read; {_AGAIN}")

    def close(self) -> None:
        """Let go of the file, and end the process that was opened for the next reading."""
        if self._reading is not None:
            self._reading.close()
            self._reading = None

    def __del__(self) -> None:
        if getattr(self, "_reading", None) is not None:
            self.close()

    def _from_file(self, gate: Gate) -> Iterator[Frame]:
        own = self._own
        assert own is not None
        damaged = gaps = next_color = 0
        for count, row in enumerate(own.depth):
            depth = own.pixels(row, self.facts.depth, depth=True)
            self._unchecked |= not depth.checked
            found = own.partner(row, next_color)
            color = None
            if found is not None and self.facts.color is not None:
                next_color = found + 1
                picture = own.pixels(own.color[found], self.facts.color, depth=False)
                color = picture.array
                gaps += color is None
            if depth.array is None:
                damaged += 1
                continue
            partner = own.color[found] if found is not None and color is not None else None
            note = FrameNote(
                count=count,
                number=row.number,
                time_ms=row.time_ms,
                arrived_s=row.time_ms / 1000,
                depth=depth.array.shape,
                depth_kind=str(depth.array.dtype),
                color=None if color is None else color.shape,
                color_number=-1 if partner is None else partner.number,
                color_time_ms=0.0 if partner is None else partner.time_ms,
                same_clock=True,
            )
            passed = gate.judge(note)
            if isinstance(passed, Passed):
                yield Frame(passed.number, passed.time_s, depth.array, color if passed.color else None)
        if damaged:
            self._say("depth", f"{damaged} of its {len(own.depth)} frames are damaged and left out; {_AGAIN}")
        if gaps:
            self._say("color", f"{gaps} of its colour pictures are damaged and left out; {_AGAIN}")
        if own.skipped and not own.cut:
            self._say("lost", f"is damaged: frames in {own.skipped} places could not be read; {_AGAIN}")

    def _from_sdk(self, gate: Gate) -> Iterator[Frame]:
        reading, self._reading = self._new_reading(), None
        try:
            for note in reading.notes():
                passed = gate.judge(note)
                if isinstance(passed, Passed):
                    yield reading.frame(passed)
                reading.more()
        finally:
            reading.close()

    def _new_reading(self) -> SdkReading:
        if self._reading is None:
            self._reading = SdkReading(self._path)
        return self._reading

    def _opened(self) -> Db3 | None:
        try:
            if not self._converted:
                return Db3(self._path)
            with tempfile.TemporaryDirectory(prefix="th-vision-", ignore_cleanup_errors=True) as folder:
                copy = Path(folder) / "converted.db3"
                convert_bag(self._path, copy)
                return Db3(copy)  # stays open when the folder is gone
        except OtherLayoutError:
            return None
        except sqlite3.Error as error:
            raise VisionError(
                f"{self._path}: is cut short, damaged, or no recording of the RealSense SDK ({error}); {_AGAIN}"
            ) from error

    def _check_unit(self) -> None:
        unit = self.facts.depth_unit_m
        if not any(abs(unit / usual - 1) < _UNIT_SHARE for usual in _USUAL_UNITS_M):
            share = _ROUNDING_M / unit * 100
            self._say(
                "unit", f"its depth unit {unit:g} m was rounded in the file: lengths are off by up to {share:.2g} %"
            )

    def _say(self, what: str, text: str) -> None:
        self._said[what] = f"{self.name}: {text}"


def _sizes(camera: Camera) -> tuple[tuple[int, int], tuple[int, int] | None]:
    color = camera.color
    return (camera.depth.width, camera.depth.height), None if color is None else (color.width, color.height)
