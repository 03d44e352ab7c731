"""The game record: JSON Lines, one fact or answer a line. A forgiving reader, and writers that lose nothing.

Reading never loses a game: a line that can't be used is kept aside with its number and the reason, and the reading
goes on. Only a file that can't be opened is an error. Writing a whole record goes through a file aside that is renamed
at the end; a running game is appended line by line, each line on the disk before the next one is taken.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from pydantic import ValidationError
from pydantic_core import from_json

from rules.errors import RulesError
from rules.events import LINE_TYPES, VERSION, Answer, Fact, GameFact, Line

MAX_LINE_BYTES = 1 << 20
"""No line of a game is longer (a move takes some 500 bytes); longer ones are skipped without being held in memory."""

MAX_LINES = 20_000
"""No game has more lines (one of 4 players has some 300); what follows isn't read: no file can fill the memory."""

MAX_BAD = 1_000
MAX_BAD_BYTES = 8 << 20
"""So many bad lines, and so many bytes of them, are kept aside with their text; the others are only counted."""

Migration = Callable[[dict[str, Any]], dict[str, Any]]

MIGRATIONS: dict[int, Migration] = {}
"""From version n of the format to n + 1: what turns one line's object of version n into one of n + 1."""


@dataclass(frozen=True)
class Entry:
    """A readable line and its number in the file (from 1)."""

    number: int
    line: Line


@dataclass(frozen=True)
class BadLine:
    """A line kept aside: its number, why it can't be used, and its text as it stands."""

    number: int
    reason: str
    text: str

    def __str__(self) -> str:
        return f"line {self.number}: {self.reason}"


@dataclass(frozen=True)
class Record:
    """A record as read. ``name``: where from. ``bad_count`` counts all bad lines, ``bad`` holds the first ones."""

    name: str
    entries: tuple[Entry, ...]
    bad: tuple[BadLine, ...] = ()
    bad_count: int = 0
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """All readable lines in order."""
        return tuple(entry.line for entry in self.entries)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The input lines in order."""
        return tuple(line for line in self.lines if isinstance(line, Fact))

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The ruling lines in order."""
        return tuple(line for line in self.lines if isinstance(line, Answer))

    @property
    def game(self) -> GameFact:
        """The game line.

        Raises:
            RulesError: the record holds none.
        """
        for line in self.lines:
            if isinstance(line, GameFact):
                return line
        why = f"; {self.bad[0]}" if self.bad else ""
        raise RulesError(f'{self.name}: no "game" line that can be read{why}; a record begins with one')


def read_record(path: Path | str) -> Record:
    """Read a record from a file, or from standard input for ``-``.

    Raises:
        RulesError: the file can't be opened or read.
    """
    if str(path) == "-":
        return parse_record(sys.stdin.buffer, name="standard input")
    try:
        with open(path, "rb") as stream:
            return parse_record(stream, name=str(path))
    except OSError as error:
        raise RulesError(f"{path}: can't be read ({error.strerror}); give a game record (.jsonl)") from error


def parse_record(source: BinaryIO | bytes | str, *, name: str = "record") -> Record:
    """Read a record from a binary stream or from text. Never fails on what the lines hold."""
    if isinstance(source, str):
        source = source.encode("utf-8", errors="surrogatepass")
    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    entries: list[Entry] = []
    bad: list[BadLine] = []
    notes: list[str] = []
    bad_count = bad_bytes = 0
    version = VERSION
    has_game = False
    for number, raw in _raw_lines(stream):
        if len(entries) >= MAX_LINES:
            notes.append(f"line {number}: more than {MAX_LINES} lines, no game is that long; the rest is not read")
            break
        try:
            data = _object(raw)
            if data.get("type") == "game":
                if has_game:
                    raise _BadLineError("a second game line; the first one counts, put each game into its own file")
                version, note = _version(data)
                if note is not None:
                    notes.append(f"line {number}: {note}")
            line = _line(_migrated(data, version))
        except _BadLineError as error:
            bad_count += 1
            bad_bytes += len(raw)
            if len(bad) < MAX_BAD and bad_bytes <= MAX_BAD_BYTES:
                bad.append(BadLine(number, str(error), raw.decode("utf-8", errors="replace")))
            continue
        has_game = has_game or isinstance(line, GameFact)
        entries.append(Entry(number, line))
    return Record(name, tuple(entries), tuple(bad), bad_count, tuple(notes))


class _BadLineError(ValueError):
    """Why a line is kept aside."""


def _raw_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line that is not empty; of an overlong line only the beginning."""
    number = 0
    while chunk := stream.readline(MAX_LINE_BYTES):
        number += 1
        raw = chunk
        while chunk and not chunk.endswith(b"\n"):
            chunk = stream.readline(MAX_LINE_BYTES)
            if chunk:
                raw = raw[:MAX_LINE_BYTES] + b"\n"  # full length, and so the sign of an overlong line
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if raw.strip():
            yield number, raw


def _object(raw: bytes) -> dict[str, Any]:
    """The JSON object of a line."""
    if len(raw) > MAX_LINE_BYTES:
        raise _BadLineError(f"longer than {MAX_LINE_BYTES} bytes; no line of a game is")
    try:
        data = from_json(raw.strip(), allow_inf_nan=False)
    except ValueError as error:
        reason = str(error).replace(" at line 1 column", ", column")
        cut = "; the line seems cut off" if "EOF" in reason else ""
        raise _BadLineError(f"is no JSON ({_short(reason)}){cut}") from error
    if not isinstance(data, dict):
        raise _BadLineError('is no JSON object; a line looks like {"type": ...}')
    return data


def _version(data: dict[str, Any]) -> tuple[int, str | None]:
    """Version of the format that the game line tells, and a note where it is newer than this software."""
    version = data.get("version", VERSION)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise _BadLineError(f"version: expected a whole number from 1, got {_short(repr(version))}")
    if version > VERSION:
        data["version"] = VERSION
        note = f"written in format version {version}, newer than {VERSION}; read as {VERSION}, update th-vision"
        return VERSION, note
    return version, None


def _migrated(data: dict[str, Any], version: int) -> dict[str, Any]:
    """The object as the present version would have it."""
    for step in range(version, VERSION):
        try:
            data = MIGRATIONS[step](data)
        except (LookupError, TypeError, ValueError) as error:
            raise _BadLineError(f"can't be brought from format version {step} to {step + 1} ({error!r})") from error
    if version < VERSION and data.get("type") == "game":
        data["version"] = VERSION
    return data


def _line(data: dict[str, Any]) -> Line:
    """The model of an object."""
    kind = data.get("type")
    model = LINE_TYPES.get(kind) if isinstance(kind, str) else None
    if model is None:
        got = "there is none" if kind is None else f"got {_short(repr(kind))}"
        raise _BadLineError(f"type: expected one of {', '.join(LINE_TYPES)}; {got}")
    try:
        line = model.model_validate(data)
    except ValidationError as error:
        raise _BadLineError(_reason(error)) from error
    except RecursionError as error:
        raise _BadLineError("is nested too deeply") from error
    if not isinstance(line, Line):  # for the type checker: LINE_TYPES holds nothing else
        raise _BadLineError(f"type: {kind} is none of the record's")
    return line


def _reason(error: ValidationError) -> str:
    """What is wrong with a line, in one line: the first places and how many more."""
    problems = error.errors(include_url=False, include_context=False)
    first = problems[0]
    where = ".".join(str(part) for part in first["loc"])
    got = "" if first["type"] in ("missing", "value_error") else f" (got {_short(repr(first['input']))})"
    more = f"; and {len(problems) - 1} more" if len(problems) > 1 else ""
    message = first["msg"].removeprefix("Value error, ")
    return f"{where + ': ' if where else ''}{_lower_first(message)}{got}{more}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _short(text: str, limit: int = 80) -> str:
    """At most ``limit`` printable characters of a text."""
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[: limit + 1])
    return text if len(text) <= limit else text[: limit - 3] + "..."


def write_record(path: Path | str, lines: Iterable[Line]) -> None:
    """Write a whole record: aside, to the disk, and renamed. What stood in ``path`` before is replaced.

    Raises:
        RulesError: the file can't be written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        _write_through(target, lines)
        return
    try:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise RulesError(f"{path}: can't be written ({error.strerror}); choose another place") from error
    try:
        with open(descriptor, "wb") as stream:
            for line in lines:
                stream.write(line.to_line().encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o666 & ~_umask())  # mkstemp's files are for their owner only
        os.replace(name, target)
    except OSError as error:
        raise RulesError(f"{path}: can't be written ({error.strerror}); choose another place") from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)
    _sync_folder(target.parent)


def _write_through(target: Path, lines: Iterable[Line]) -> None:
    """Write into what is no file (a pipe, a terminal), where nothing can be renamed."""
    try:
        with open(target, "wb") as stream:
            stream.writelines(line.to_line().encode() + b"\n" for line in lines)
    except OSError as error:
        raise RulesError(f"{target}: can't be written ({error.strerror}); choose another place") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Bring a new name of a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class RecordWriter:
    """The record of a running game: every line is on the disk when ``write`` returns.

    Used as a context manager. A file of an earlier game is moved aside (``game.jsonl.1``), never overwritten;
    ``resume`` goes on in it instead, on a line of its own even where its last line was cut off. ``kept``: where a file
    of an earlier game was moved to.
    """

    def __init__(self, stream: BinaryIO | io.FileIO, *, owned: bool = True, kept: Path | None = None) -> None:
        self._stream = stream
        self._owned = owned
        self.kept = kept

    @classmethod
    def open(cls, path: Path | str, *, resume: bool = False) -> RecordWriter:
        """Open a record for writing; ``-`` is standard output.

        Raises:
            RulesError: the file can't be opened for writing, or another program is writing its game into it.
        """
        if str(path) == "-":
            return cls(sys.stdout.buffer, owned=False)
        target = Path(path)
        try:
            kept = None if resume else _move_aside(target)
            stream = open(target, "ab", buffering=0)  # noqa: SIM115 - the writer is the context manager
            _claim(stream)
            if stream.tell() > 0 and not _ends_with_newline(target):
                stream.write(b"\n")
        except OSError as error:
            raise RulesError(f"{path}: can't be written ({error.strerror}); choose another place") from error
        _sync_folder(target.parent)
        return cls(stream, kept=kept)

    def write(self, line: Line) -> None:
        """Append one line and bring it to the disk. A line that doesn't fit leaves nothing of it behind.

        Raises:
            RulesError: it can't be written (a full disk); it may be tried again.
            BrokenPipeError: it goes into a pipe that nobody reads any more.
        """
        try:
            _append(self._stream, line.to_line().encode() + b"\n")
        except BrokenPipeError:
            raise  # whoever read the record went away: no fault of the disk
        except OSError as error:
            raise RulesError(f"the game record can't be written ({error.strerror}); make room on the disk") from error
        with contextlib.suppress(OSError):  # a pipe can't be synced, and needs it not
            os.fsync(self._stream.fileno())

    def close(self) -> None:
        """Close the file; writing is over."""
        if self._owned:
            self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _append(stream: BinaryIO | io.FileIO, data: bytes) -> None:
    """Write all of it, or, in a file, nothing: half a line would spoil the next one."""
    if not isinstance(stream, io.FileIO):
        stream.write(data)
        stream.flush()
        return
    before, rest = os.fstat(stream.fileno()).st_size, memoryview(data)
    try:
        while rest:
            rest = rest[stream.write(rest) or 0 :]
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(stream.fileno(), before)
        raise


def _move_aside(target: Path) -> Path | None:
    """Give an earlier, not empty file the first free name of ``NAME.1``, ``NAME.2``, ...: that name."""
    if not target.exists() or target.stat().st_size == 0:
        return None
    with open(target, "ab") as stream:
        _claim(stream)
    number = 1
    while (aside := target.with_name(f"{target.name}.{number}")).exists():
        number += 1
    os.rename(target, aside)
    return aside


def _claim(stream: BinaryIO | io.FileIO) -> None:
    """Keep a record to one writer, where the system can: lines of two games between each other are no game's."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        stream.close()
        name = os.fsdecode(stream.name)
        raise RulesError(f"{name}: another game is being written into it just now; choose another name") from error
    except OSError:
        return  # a pipe, or a disk that knows no locks


def _ends_with_newline(path: Path) -> bool:
    with open(path, "rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"
