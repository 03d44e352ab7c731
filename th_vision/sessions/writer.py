"""Writing a session: frames, the game's lines and the reconstructed pieces go into one MCAP file while the game runs.

Who hands in a frame never waits for the disk (``live``) and never meets an error of it: a thread packs the frames,
another one writes them. What did not fit is counted and said in ``troubles``; the game goes on.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from uuid import uuid4

from pydantic import BaseModel

from calibration.camera import Camera
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.sessions import limits
from th_vision.sessions.attached import attachments_of, pieces_of_file, table_of
from th_vision.sessions.disk import PatientFile, RawFile
from th_vision.sessions.header import Header
from th_vision.sessions.pack import Packer
from th_vision.sessions.thinning import Thinning

IfExists = Literal["refuse", "number"]
ColorKind = Literal["jpeg", "png"]


@dataclass(frozen=True)
class Counts:
    """What became of the frames handed in: ``frames`` kept, ``thinned`` left out because they showed nothing new,
    ``dropped`` for want of room or time, ``refused`` because they are none of this camera. And the lines."""

    frames: int = 0
    thinned: int = 0
    dropped: int = 0
    refused: int = 0
    game_lines: int = 0
    scenes: int = 0
    dropped_lines: int = 0


@dataclass(frozen=True)
class _Line:
    obj: BaseModel | Mapping[str, Any]
    time_s: float


@dataclass(frozen=True)
class _Scene:
    layout: Layout
    time_s: float


@dataclass(frozen=True)
class _Kept:
    frame: Frame
    reason: str


_Item = _Line | _Scene | _Kept


class SessionWriter:
    """One session being written. Made by ``open``; a context manager. Not for several threads at once."""

    def __init__(
        self,
        raw: RawFile,
        path: Path,
        header: Header,
        attached: Mapping[str, bytes],
        *,
        live: bool,
        color: ColorKind,
        retry_s: float = limits.RETRY_S,
    ) -> None:
        self.path = path
        self.header = header
        self._file = PatientFile(raw, retry_s=retry_s)
        pieces = pieces_of_file(attached)
        self._packer = Packer(self._file, header, attached, pieces or Pieces(), color)
        self._thinning = None if header.all_frames else Thinning(header.camera)
        self._left_out: Frame | None = None
        self._live = live
        self._queue: deque[_Item] = deque()  # in the order they came
        self._queued_frames = self._packed_to = 0
        self._counts = Counts()
        self._changed = threading.Condition()
        self._ended = self._closed = self._unended = False
        self._faults: dict[str, int] = {}
        self._thread = threading.Thread(target=self._run, name="session-pack", daemon=True)
        self._thread.start()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        camera: Camera,
        table_toml: Path | None,
        pieces_toml: Path | None,
        info: Mapping[str, str],
        all_frames: bool = False,
        live: bool = True,
        color: ColorKind = "jpeg",
        if_exists: IfExists = "refuse",
        session: str | None = None,
    ) -> SessionWriter:
        """Begin a session at ``path``; it is readable from now on, whatever happens.

        ``info``: what the source knows besides the camera: ``firmware``, ``preset``, ``usb_type``, ``recorded_at``, ...
        ``all_frames``: keep every frame; else those that show a change, what stands still after it, and one in five
        seconds. ``live``: drop frames rather than wait; a source that can wait (a file) sets it False.
        ``color``: ``png`` keeps colour bit by bit, at five times the size. ``if_exists``: an earlier file is never
        written over: ``refuse``, or take the next free name (``game-2.mcap``). ``session``: a name that no other
        session has; None: a random one.

        Raises:
            VisionError: the file can't be made, is there already, or the calibration or pieces can't be read.
            CalibrationError, RulesError: they can be read, and are none.
        """
        attached = attachments_of(table_toml, pieces_toml)
        table_of(attached)  # what can't be used is refused before there is a file
        pieces_of_file(attached)
        header = Header(
            session=session or uuid4().hex,
            software=software(),
            camera=camera,
            attachments={},
            all_frames=all_frames,
            info={str(key): str(value) for key, value in info.items()},
        )
        raw, made = _create(path, if_exists)
        return cls(raw, made, header, attached, live=live, color=color)

    def frame(self, frame: Frame) -> None:
        """Take the next frame. Its arrays must not be written to afterwards."""
        if self._closed or not self._fits(frame):
            return
        if self._thinning is None:
            self._take(frame, "all")
            return
        reason = self._thinning.see(frame)
        before, self._left_out = self._left_out, None
        if reason is None:
            self._left_out = frame
            self._count(thinned=1)
            return
        if reason == "still" and self._thinning.run == 2 and before is not None:
            # Motion seemed to go on in the frame before; now it is the first of those that stand still.
            self._count(thinned=-1)
            self._take(before, reason)
        self._take(frame, reason)

    def _take(self, frame: Frame, reason: str) -> None:
        with self._changed:
            while not (self._live or self._has_room() or self._file.error):
                self._changed.wait(0.02)  # the disk's thread tells nobody what it took
            if not self._has_room():
                self._counts = replace(self._counts, dropped=self._counts.dropped + 1)
                return
            self._queue.append(_Kept(frame, reason))
            self._queued_frames += 1
            self._changed.notify_all()

    def game_line(self, obj: BaseModel | Mapping[str, Any], time_s: float) -> None:
        """Take a line of the game record (a fact, a ruling, an alert)."""
        self._put(_Line(obj, time_s))

    def scene(self, layout: Layout, time_s: float) -> None:
        """Take the pieces as they stand now."""
        self._put(_Scene(layout, time_s))

    @property
    def counts(self) -> Counts:
        """What became of everything so far."""
        with self._changed:
            return self._counts

    @property
    def written_bytes(self) -> int:
        """What is on the disk."""
        return self._file.written

    @property
    def disk_error(self) -> str:
        """Why the disk takes nothing at the moment; empty while it does."""
        return self._file.error

    @property
    def troubles(self) -> tuple[str, ...]:
        """What went wrong so far, a sentence each; empty where everything is well."""
        with self._changed:
            counts, faults = self._counts, dict(self._faults)
        said = []
        if self._file.failures:
            why = self._file.error or "it had no room for a while"
            said.append(f"{self.path}: the disk did not take the recording ({why}); make room")
        if counts.dropped:
            said.append(f"{self.path}: {many(counts.dropped, 'frame')} dropped, the disk or computer is too slow")
        if counts.dropped_lines:
            said.append(f"{self.path}: {many(counts.dropped_lines, 'line')} of the game dropped")
        if counts.refused:
            said.append(f"{self.path}: {many(counts.refused, 'frame')} of another size than the camera's left out")
        said += [f"{self.path}: {many(n, 'time')}: {what}" for what, n in faults.items()]
        if self._unended:
            said.append(f"{self.path}: its end could not be written; it is readable all the same (th-vision repair)")
        return tuple(said)

    def close(self) -> None:
        """Write what waits, and the end. Waits for the disk some seconds at most."""
        if self._closed:
            return
        self._closed = True
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._thread.join()  # packing waits for nothing but the processor
        self._unended = not self._file.close(limits.CLOSE_PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- taking ---

    def _fits(self, frame: Frame) -> bool:
        depth, color = self.header.camera.depth, self.header.camera.color
        fits = frame.depth.shape == (depth.height, depth.width) and frame.depth.dtype == "uint16"
        if fits and frame.color is not None:
            fits = color is not None and frame.color.shape == (color.height, color.width, 3)
        if not fits:
            self._count(refused=1)
        return fits

    def _has_room(self) -> bool:
        return self._queued_frames < limits.QUEUE_FRAMES and self._file.pending < limits.PENDING_BYTES

    def _put(self, item: _Line | _Scene) -> None:
        if self._closed:
            return
        with self._changed:
            waiting = len(self._queue) - self._queued_frames
            if waiting >= limits.QUEUE_LINES or self._file.pending >= limits.PENDING_BYTES + limits.LINES_BYTES:
                self._counts = replace(self._counts, dropped_lines=self._counts.dropped_lines + 1)
                return
            self._queue.append(item)
            self._changed.notify_all()

    def _count(self, **more: int) -> None:
        with self._changed:
            self._counts = replace(self._counts, **{key: getattr(self._counts, key) + n for key, n in more.items()})

    # --- packing, in its own thread ---

    def _run(self) -> None:
        self._guarded(self._packer.start)
        self._packed_to = self._file.tell()
        while (item := self._next()) is not None:
            if isinstance(item, _Kept):
                self._guarded(partial(self._pack, item))
            elif isinstance(item, _Line):
                if self._guarded(partial(self._packer.game_line, item.obj, item.time_s)):
                    self._count(game_lines=1)
            elif self._guarded(partial(self._packer.scene, item.layout, item.time_s)):
                self._count(scenes=1)
        self._guarded(partial(self._packer.finish, end_record(self.header, self.counts, self._packer.last_time_s)))

    def _pack(self, kept: _Kept) -> None:
        self._packer.frame(kept.frame, kept.reason)
        self._count(frames=1)
        if self._thinning is not None:
            # All since the last frame, for chunks are closed between frames too: right in the mean.
            size = self._file.tell()
            self._thinning.packed(size - self._packed_to)
            self._packed_to = size

    def _next(self) -> _Item | None:
        """What is to be packed next; None at the end. An open chunk is closed while nothing comes."""
        while True:
            with self._changed:
                if self._queue:
                    item = self._queue.popleft()
                    self._queued_frames -= isinstance(item, _Kept)
                    self._changed.notify_all()
                    return item
                if self._ended:
                    return None
                self._changed.wait_for(lambda: self._queue or self._ended, limits.FLUSH_S)
            self._guarded(lambda: self._packer.flush_if_old(time.monotonic()))

    def _guarded(self, act: Callable[[], object]) -> bool:
        """Whether it worked; what went wrong is kept for ``troubles``: a fault of packing must not end a game."""
        try:
            act()
        except Exception as error:
            text = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            with self._changed:
                self._faults[text] = self._faults.get(text, 0) + 1
            return False
        return True


def end_record(header: Header, counts: Counts, last_time_s: float) -> dict[str, str]:
    """The metadata record ``th-vision-end``: what must be in the file for it to be whole."""
    return {
        "session": header.session,
        "frames": str(counts.frames),
        "game_lines": str(counts.game_lines),
        "scenes": str(counts.scenes),
        "thinned": str(counts.thinned),
        "dropped": str(counts.dropped),
        "last_time_s": repr(last_time_s),
    }


def software() -> str:
    """Which program wrote this."""
    with contextlib.suppress(PackageNotFoundError):
        return f"th-vision {version('th-vision')}"
    return "th-vision"


def many(n: int, what: str) -> str:
    """``1 frame``, ``2 frames``."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def _create(path: Path, if_exists: IfExists) -> tuple[RawFile, Path]:
    """Make the file, which must not be there yet, and open it; and the name that it got."""
    number = 1
    made = path
    while True:
        try:
            descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            break
        except FileExistsError as error:
            if if_exists == "refuse":
                raise VisionError(f"{path}: is there already; give another name, or remove it") from error
            number += 1
            made = path.with_name(f"{path.stem}-{number}{path.suffix}")
        except OSError as error:
            raise VisionError(f"{path}: can't be written ({error.strerror}); give another place") from error
    with contextlib.suppress(ImportError, OSError):  # not on Windows, nor on every disk
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return open(descriptor, "wb", buffering=0), made
