"""Recording a source as it is: from a camera until it is stopped, or a copy of another recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from th_vision.errors import VisionError
from th_vision.frame import Source
from th_vision.live.protocol import LiveSource
from th_vision.sessions.source_info import info_of
from th_vision.sessions.writer import Counts, SessionWriter

TELL_EVERY_S = 10.0


@dataclass(frozen=True)
class Recorded:
    """What became of a recording. ``stopped``: by Ctrl-C. ``seconds``: of the source's clock."""

    path: Path
    counts: Counts
    seconds: float
    size_bytes: int
    troubles: tuple[str, ...]
    stopped: bool

    def __str__(self) -> str:
        counts = self.counts
        text = f"{self.path}: {counts.frames} frame{'' if counts.frames == 1 else 's'} in {self.seconds:.1f} s"
        if counts.thinned:
            text += f" ({counts.thinned} more showed nothing new; --all-frames keeps them)"
        return f"{text}, {self.size_bytes / 1e6:.1f} MB"


def record(
    source: Source,
    path: Path,
    *,
    table_toml: Path | None,
    pieces_toml: Path | None,
    recorded_at: str,
    all_frames: bool,
    exact_color: bool = False,
    seconds: float | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Recorded:
    """Record ``source`` into the new file ``path`` until it ends, ``seconds`` of its clock have gone by, or Ctrl-C.

    From a live source only frames that show something new are kept, unless ``all_frames``; a recording is copied whole.
    ``exact_color``: colour bit by bit, at five times the size.

    Raises:
        VisionError: the file can't be made, the disk is full (of a copy), or the source can't be read.
    """
    live = isinstance(source, LiveSource)
    info = {**info_of(source), "recorded_at": recorded_at}
    writer = SessionWriter.open(
        path,
        camera=source.camera,
        table_toml=table_toml,
        pieces_toml=pieces_toml,
        info=info,
        all_frames=all_frames or not live,
        live=live,
        color="png" if exact_color else "jpeg",
    )
    began = told = last = 0.0
    first, stopped = True, False
    try:
        for frame in source:
            if first:
                began = told = frame.time_s
                first = False
            last = frame.time_s
            if seconds is not None and last - began >= seconds:
                break
            writer.frame(frame)
            if not live and writer.disk_error:
                raise VisionError(f"{path}: can't be written ({writer.disk_error}); make room or give another place")
            if last - told >= TELL_EVERY_S:
                told = last
                tell(f"{last - began:.0f} s, {writer.counts.frames} frames, {writer.written_bytes / 1e6:.0f} MB")
    except KeyboardInterrupt:
        stopped = True
    finally:
        writer.close()
    return Recorded(path, writer.counts, last - began, writer.written_bytes, writer.troubles, stopped)
