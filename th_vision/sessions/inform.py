"""What a recording holds, in a few lines of text: ``th-vision info``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from pathlib import Path

from calibration.camera import Camera, Intrinsics
from rules.messages import messages
from rules.record import read_record
from th_vision.errors import VisionError
from th_vision.sessions import header as names
from th_vision.sessions.reader import NotOursError, Session, being_written, open_session
from th_vision.sessions.writer import many
from th_vision.sources import CLOUD_SUFFIXES, open_source
from th_vision.wrapping import in_columns


@dataclass
class Info:
    """``rows``: (what, value) pairs; ``troubles``: what is wrong, a sentence each."""

    rows: list[tuple[str, str]] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def add(self, what: str, value: object) -> None:
        """One row more, unless there is nothing to say."""
        if value not in ("", None, "unknown"):
            self.rows.append((what, str(value)))

    def __str__(self) -> str:
        return in_columns(self.rows)


def inform(path: Path, *, check: bool = False, language: str = "en") -> Info:
    """Say what is in a file or folder. ``check``: read every frame of it, and hold it against its hashes. Of a case
    also its rulings, in the language.

    Raises:
        VisionError, RulesError: there is no such thing, or nothing of it can be read.
    """
    suffix = path.suffix.lower()
    if not path.exists():
        raise VisionError(f"{path}: there is no such file or folder; check its name")
    if path.is_dir():
        return _folder(path, check)
    if suffix == ".zip":
        return _case(path, check, language)
    of_kind: dict[str, Callable[[Path, bool], Info]] = {
        ".mcap": _session,
        ".jsonl": _record,
        ".db3": _other,
        ".bag": _other,
        **dict.fromkeys(CLOUD_SUFFIXES, _cloud),
    }
    if suffix not in of_kind:
        known = ", ".join((*of_kind, ".zip"))
        raise VisionError(f"{path}: is no kind of recording that is known ({known}, or a folder of images)")
    return of_kind[suffix](path, check)


def _session(path: Path, check: bool) -> Info:
    try:
        session = open_session(path)
    except NotOursError:
        return _other(path, check)
    try:
        return _about_session(session, check)
    finally:
        session.close()


def _about_session(session: Session, check: bool) -> Info:
    info = Info()
    info.add("what", f"session, {session.file.size / 1e6:.1f} MB")
    info.add("recorded", session.header.info.get("recorded_at"))
    info.add("from", session.header.info.get("source"))
    info.add("by", session.header.software)
    _camera(info, session.camera)
    for key, what in (("firmware", "firmware"), ("preset", "preset"), ("usb_type", "USB")):
        info.add(what, session.header.info.get(key))
    start_s, end_s = session.span()
    frames = session.expected_frames
    counted = ""
    if check or frames is None:
        found = sum(1 for _ in session.stored())
        frames = found
        counted = " (all read, all as they were recorded)" if check and not session.losses else ""
    info.add("frames", f"{frames}{counted}, {_duration(end_s - start_s)}")
    kept = "all" if session.header.all_frames else "those that show something new"
    end = session.end or {}
    if end.get("thinned", "0") not in ("0", "unknown"):
        kept += f"; {end['thinned']} showed nothing new"
    info.add("kept", kept)
    lines = session.game_lines()
    if lines:
        turns = {int(line["turn"]) for _, line in lines if isinstance(line.get("turn"), int)} - {0}  # 0: the set-up
        info.add("game", f"{many(len(lines), 'line')}, {many(len(turns), 'turn')}")
    info.add("layouts", len(session.layouts()) or "")
    for name in session.header.attachments:
        info.add("with it", f"{name}{' (damaged)' if name in session.damaged_attachments else ''}")
    _troubles(info, session)
    return info


def _troubles(info: Info, session: Session) -> None:
    """What is wrong with a session, as far as it has been read."""
    end = session.end or {}
    if not session.ended and being_written(session.path):
        info.troubles.append("is being recorded just now; this is what is in it by now")
    elif not session.ended:
        info.troubles.append("cut before its end; th-vision repair makes a whole file of it")
    if session.losses.frames:
        info.troubles.append(f"{session.losses.frames} frames are damaged or missing")
    if session.losses.game_lines:
        info.troubles.append(f"{session.losses.game_lines} lines of the game are damaged or missing")
    if session.damaged_attachments:
        info.troubles.append(f"damaged attachments: {', '.join(session.damaged_attachments)}")
    if session.parts > 1:
        info.troubles.append(f"{session.parts} sessions joined; this is the first, th-vision repair parts them")
    if end.get("dropped", "0") not in ("0", "unknown"):
        info.troubles.append(
            f"{end['dropped']} frames were dropped while recording: disk or computer too slow, or full"
        )
    if end.get("lost", "0") not in ("0", "unknown"):
        info.troubles.append(f"{end['lost']} frames had been lost before it was repaired")


def _folder(path: Path, check: bool) -> Info:
    source = open_source(str(path))
    info = Info()
    info.add("what", "folder of images")
    _camera(info, source.camera)
    if check:
        times = [frame.time_s for frame in source]  # every picture is read; a bad one is an error with its name
        info.add("frames", f"{len(times)} (all read), {_duration(times[-1] - times[0])}")
    else:
        info.add("frames", len(source) if isinstance(source, Sized) else "")
    for name in (names.TABLE, names.PIECES, "game.jsonl", "truth.json"):
        if (path / name).exists():
            info.add("with it", name)
    return info


def _cloud(path: Path, check: bool) -> Info:
    import numpy as np

    from th_vision.sources.cloud_file import read_cloud

    cloud = read_cloud(path)
    finite = np.isfinite(cloud.points).all(axis=1)
    info = Info()
    info.add("what", f"point cloud, {len(cloud.points)} points, {int(finite.sum())} of them seen")
    organised = cloud.height > 1
    info.add("grid", f"{cloud.width} x {cloud.height}" if organised else "none: not organised")
    info.add("colours", "yes" if cloud.bgr is not None else "no")
    if finite.any():
        low, high = cloud.points[finite].min(axis=0), cloud.points[finite].max(axis=0)
        for axis, a, b in zip("xyz", low, high, strict=True):
            info.add(axis, f"{a:.4g} to {b:.4g}")
        unit = "mm, the table's frame" if float(np.abs(high - low).max()) > 20 else "metres, the camera's frame"
        info.add("unit", f"probably {unit}")
    return info


def _record(path: Path, check: bool) -> Info:
    record = read_record(path)
    info = Info()
    info.add("what", f"game record, {len(record.entries)} lines")
    game = record.game
    info.add("rules", game.rules)
    info.add("players", ", ".join(game.players))
    kinds = Counter(type(line).model_fields["type"].default for line in record.lines)
    info.add("lines", ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())))
    info.add("turns", max((int(getattr(line, "turn", 0) or 0) for line in record.lines), default=0))
    if record.bad_count:
        info.troubles.append(f"{record.bad_count} lines can't be read; the first: {record.bad[0]}")
    info.troubles += record.notes
    return info


def _case(path: Path, check: bool, language: str) -> Info:
    from th_vision.sessions.case import open_case

    with open_case(path) as case:
        info = Info()
        info.add("what", f"a call to look at again: turn {case.about.turn}")
        info.add("rules", case.about.rules)
        info.add("players", ", ".join(case.about.players))
        for answer in case.answers:
            for message in messages(answer, language=language):
                info.add("ruled", f"{message.text} {message.reason}".strip())
        with_frames = _about_session(case.session, check)
        info.rows += with_frames.rows[1:]
        info.troubles += with_frames.troubles
        return info


def _other(path: Path, check: bool) -> Info:
    source = open_source(str(path))
    info = Info()
    size = f"{path.stat().st_size / 1e6:.1f} MB"
    mcap = path.suffix.lower() == ".mcap"
    info.add("what", f"session of another program, {size}" if mcap else f"RealSense recording, {size}")
    _camera(info, source.camera)
    if check:
        times = [frame.time_s for frame in source]
        info.add("frames", f"{len(times)}, {_duration(times[-1] - times[0]) if times else 'none'}")
        unverified = getattr(source, "unverified", "its frames have no hashes")
        info.add("pixels", f"can't be verified: {unverified}" if unverified else "as recorded, by their checksums")
    info.troubles += [text.removeprefix(f"{path}: ") for text in getattr(source, "troubles", ())]
    return info


def _camera(info: Info, camera: Camera) -> None:
    info.add("camera", f"{camera.model} {camera.serial}".strip())
    info.add("depth", f"{_size(camera.depth)}, unit {camera.depth_unit_mm:.6g} mm")
    info.add("colour", "none" if camera.color is None else _size(camera.color))


def _size(K: Intrinsics) -> str:
    return f"{K.width}x{K.height}, f {K.fx:.1f} px"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(0.0, seconds):.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d} h" if hours else f"{minutes}:{rest:02d} min"
