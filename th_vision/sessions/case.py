"""A call to look at again, in one small file: the frames around a turn, what stood before and after, and the ruling.

``case.zip`` holds ``case.json``, ``session.mcap`` (calibration and pieces in it, everything beside the field left out),
``before.json``, ``after.json`` and ``game.jsonl``. ``th-vision replay case.zip`` rules on it again.
"""

from __future__ import annotations

import json
import platform
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibration.errors import CalibrationError
from calibration.table import TableCalibration
from calibration.table_file import save_table
from rules.events import Answer, Fact, GameFact, Line
from rules.layout import Layout
from rules.pieces import Pieces
from rules.record import parse_record
from th_vision.errors import VisionError
from th_vision.sessions import limits
from th_vision.sessions.attached import digest
from th_vision.sessions.crop import AROUND_MM, crop_of, field_outline
from th_vision.sessions.header import PIECES, TABLE
from th_vision.sessions.reader import Session, open_session
from th_vision.sessions.thinning import Thinning
from th_vision.sessions.timeline import Timeline
from th_vision.sessions.writer import SessionWriter, software

SCHEMA: Literal["th-vision/case/1"] = "th-vision/case/1"
CASE, SESSION, GAME, BEFORE, AFTER, README = (
    "case.json",
    "session.mcap",
    "game.jsonl",
    "before.json",
    "after.json",
    "README.txt",
)
# The frames that the table was read from before the turn are searched so far back, and those of the turn itself so far
# on: a long look takes 3 s at 6 frames/s, and a thinned session has a frame in five seconds at least.
BEFORE_S, AFTER_S = 12.0, 3.0
CLOCK_S = 1e-6  # times in the file are rounded to nanoseconds
# Of a long turn only frames that show something new are kept.
MOST_FRAMES = 240
MOST_UNPACKED_BYTES = 2_000_000_000
_PACKAGES = ("numpy", "opencv-python-headless", "scipy", "shapely", "mcap")


class About(BaseModel):
    """``case.json``. Times in s, of the recording's clock; ``ruling``: the lines of the turn, as they were said;
    ``known_lines``: so many lines of ``game.jsonl``, after its first, were there before the first frame."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    schema_name: Literal["th-vision/case/1"] = Field(default=SCHEMA, alias="schema")
    turn: int
    rules: str
    players: tuple[str, ...]
    source: str
    known_lines: int
    start_s: float
    end_s: float
    ruled_s: float
    software: str
    versions: dict[str, str] = Field(default_factory=dict)
    ruling: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Case:
    """An opened case. ``facts``: all that happened before its turn; ``answers``: what was ruled in it."""

    path: Path
    about: About
    session: Session
    game: GameFact
    facts: tuple[Fact, ...]
    answers: tuple[Answer, ...]
    before: Layout
    after: Layout


# --- making one ---


def make_case(
    session: Session,
    timeline: Timeline,
    turn: int,
    output: Path,
    *,
    table: TableCalibration,
    pieces_toml: bytes | None,
    around_mm: float = AROUND_MM,
) -> str:
    """Write the case of one turn into the new file ``output``; what it holds, in a sentence.

    ``around_mm``: so much of the table is kept around the pieces.

    Raises:
        VisionError: there is no such turn, its frames are lost, or the place can't be written.
    """
    if output.exists():
        raise VisionError(f"{output}: is there already; give another name, or remove it")
    of_turn = timeline.of_turn(turn)
    first = min(of_turn, key=lambda said: said.order)
    stood = None if turn == 0 else timeline.stood_before(first)
    ruled = timeline.reading_of(max(of_turn, key=lambda said: said.order))
    before, after = Layout() if stood is None else stood.layout, ruled.layout
    wanted = _wanted(session, None if stood is None else stood.time_s, ruled.time_s)
    if not wanted:
        raise VisionError(f"{session.path}: the frames of turn {turn} are not in it, or damaged; no case to make")
    lines = [said for said in timeline.lines if said.turn <= turn]
    was_known = [stood is not None and said.order < stood.order and said.turn < turn for said in lines]
    lines = [said for said, known in zip(lines, was_known, strict=True) if known] + [
        said for said, known in zip(lines, was_known, strict=True) if not known
    ]
    about = About(
        turn=turn,
        rules=timeline.game.rules,
        players=timeline.game.players,
        source=session.path.name,
        known_lines=sum(was_known),
        start_s=wanted[0][1],
        end_s=wanted[-1][1],
        ruled_s=ruled.time_s,
        software=software(),
        versions=versions(),
        ruling=tuple(_plain(said.line) for said in of_turn),
    )
    outline = field_outline((before, after), table, around_mm)
    crop = crop_of(outline, table) if outline else None
    with tempfile.TemporaryDirectory(prefix=".th-vision-", dir=output.parent) as folder:
        aside = Path(folder)
        _save_table(table if crop is None else crop.table(table), aside / TABLE, output)
        if pieces_toml is not None:
            (aside / PIECES).write_bytes(pieces_toml)
        writer = SessionWriter.open(
            aside / SESSION,
            camera=session.camera,
            table_toml=aside / TABLE,
            pieces_toml=aside / PIECES if pieces_toml is not None else None,
            info={**session.header.info, "case": f"turn {turn}"},
            session=digest(f"{session.header.session} {turn}".encode())[:32],
            all_frames=True,
            live=False,
            color="png" if _kind(session, wanted[0][1]) == "png" else "jpeg",
        )
        with writer:
            indices = {index for index, _ in wanted}
            for stored in session.stored(wanted[0][1], wanted[-1][1]):
                if stored.index in indices:
                    frame = stored.frame()
                    writer.frame(frame if crop is None else crop.frame(frame))
        if writer.troubles:
            raise VisionError(f"{output}: can't be written ({writer.troubles[0]}); make room or give another place")
        texts = {
            CASE: about.model_dump_json(by_alias=True, indent=1) + "\n",
            BEFORE: before.to_json() + "\n",
            AFTER: after.to_json() + "\n",
            GAME: "".join(line.to_line() + "\n" for line in (timeline.game, *(said.line for said in lines))),
            README: _readme(about, output.name),
        }
        _zip(output, aside, texts)
    return f"{output}: turn {turn}, {len(wanted)} frames, {output.stat().st_size / 1e6:.1f} MB"


def _wanted(session: Session, before_s: float | None, last_s: float) -> list[tuple[int, float]]:
    """Index and time (the file's) of the frames that the ruling came from: those that stood still when the table was
    read before the turn, all between, and those that stood still as it was ruled on."""
    start_s = None if before_s is None else max(0.0, before_s - BEFORE_S)
    found: list[tuple[int, float, bool]] = []
    look = Thinning(session.camera)
    first = 0
    for stored in session.stored(start_s, last_s + AFTER_S):
        time_s = stored.time_ns / 1e9
        kept = look.see(stored.frame()) is not None
        if time_s > last_s + CLOCK_S and look.run == 1:
            break  # somebody goes on
        found.append((stored.index, time_s, kept))
        if before_s is not None and time_s <= before_s + CLOCK_S:
            first = len(found) - min(look.run, limits.STILL_KEPT)
    found = found[first:]
    if len(found) > MOST_FRAMES:
        found = [one for one in found if one[2]]
    return [(index, time_s) for index, time_s, _ in found]


def _save_table(table: TableCalibration, path: Path, output: Path) -> None:
    try:
        save_table(table, path)
    except CalibrationError as error:
        reason = str(error).partition(": ")[2]  # the file aside is nothing that the user knows
        raise VisionError(f"{output}: {reason}") from error


def _kind(session: Session, time_s: float) -> str:
    return next((stored.color_kind for stored in session.stored(time_s)), "jpeg")


def _plain(line: Line) -> dict[str, Any]:
    return dict(json.loads(line.to_line()))


def _zip(output: Path, aside: Path, texts: dict[str, str]) -> None:
    from th_vision.sessions.repair import put_in_place

    packed = aside / "case.zip"
    try:
        with zipfile.ZipFile(packed, "x", zipfile.ZIP_DEFLATED) as made:
            for name, text in texts.items():
                made.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
            made.writestr(zipfile.ZipInfo(SESSION), (aside / SESSION).read_bytes(), zipfile.ZIP_STORED)  # is packed
        put_in_place(packed, output)
    except FileExistsError as error:
        raise VisionError(f"{output}: is there already; give another name, or remove it") from error
    except OSError as error:
        raise VisionError(f"{output}: can't be written ({error.strerror}); give another place") from error


def versions() -> dict[str, str]:
    """What this program runs on: rulings may differ with it."""
    found = {"python": platform.python_version(), "system": platform.platform()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def _readme(about: About, name: str) -> str:
    return (
        f"Turn {about.turn} of a game of Tokyo Highway ({about.rules}), as {about.software} saw it.\n\n"
        f"  th-vision info {name}              what is in it\n"
        f"  th-vision replay {name}            rule on the turn again, and compare\n"
        f"  th-vision export {name} -o frames  the pictures\n\n"
        f"{CASE}: what was ruled, and with which versions. {GAME}: the game up to this turn.\n"
        f"{BEFORE}, {AFTER}: the table before and after it, mm. {SESSION}: the frames (opens in Foxglove);\n"
        "what is beside the field of play is left out of the pictures.\n"
    )


# --- opening one ---


@contextmanager
def open_case(path: Path) -> Iterator[Case]:
    """Open a case; its session is unpacked aside and gone afterwards.

    Raises:
        VisionError: it is none, or damaged.
    """
    with tempfile.TemporaryDirectory(prefix="th-vision-") as folder:
        texts = _unpacked(path, Path(folder))
        inside = Path(folder) / SESSION
        try:
            session = open_session(inside)
        except VisionError as error:
            raise VisionError(str(error).replace(str(inside), f"{path}: {SESSION}")) from error
        session.path = path  # what messages name
        try:
            yield _case(path, texts, session)
        finally:
            session.close()


def _unpacked(path: Path, folder: Path) -> dict[str, bytes]:
    wanted = (CASE, BEFORE, AFTER, GAME, SESSION)
    try:
        with zipfile.ZipFile(path) as packed:
            missing = [name for name in wanted if name not in packed.namelist()]
            if missing:
                raise VisionError(f"{path}: is no case of th-vision (it has no {missing[0]})")
            if sum(packed.getinfo(name).file_size for name in wanted) > MOST_UNPACKED_BYTES:
                raise VisionError(f"{path}: is too large for a case of th-vision; check where it comes from")
            packed.extract(SESSION, folder)
            return {name: packed.read(name) for name in wanted if name != SESSION}
    except OSError as error:
        raise VisionError(f"{path}: can't be read ({error.strerror or error}); check its name") from error
    except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, VisionError):
            raise
        raise VisionError(f"{path}: is damaged, or no zip file ({error}); have it sent again") from error
    except zlib.error as error:
        raise VisionError(f"{path}: is damaged ({error}); have it sent again") from error


def _case(path: Path, texts: dict[str, bytes], session: Session) -> Case:
    try:
        about = About.model_validate_json(texts[CASE])
        before, after = (Layout.model_validate_json(texts[name]) for name in (BEFORE, AFTER))
    except ValidationError as error:
        what = " ".join(str(error).split())[:120]
        raise VisionError(f"{path}: is no whole case ({what}); have it sent again") from error
    record = parse_record(texts[GAME], name=f"{path}: {GAME}")
    lines = [line for line in record.lines if not isinstance(line, GameFact)]
    of_turn = [line for line in lines[about.known_lines :] if getattr(line, "turn", 0) == about.turn]
    return Case(
        path=path,
        about=about,
        session=session,
        game=record.game,
        facts=tuple(line for line in lines[: about.known_lines] if isinstance(line, Fact)),
        answers=tuple(line for line in of_turn if isinstance(line, Answer)),
        before=before,
        after=after,
    )


def case_pieces(case: Case) -> Pieces:
    """The pieces that the case was ruled with."""
    return case.session.pieces() or Pieces()
