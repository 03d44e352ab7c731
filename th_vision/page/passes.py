"""What lets viewers in: the link's random part, the code, and the secret that keys are made with.

They are kept in a file beside the game's record, never in it, so that a referee that is started again with ``--resume``
lets the same phones in. The file is for its owner's eyes alone: one that others could have read or written, that is
older than a day, or that belongs to another game is not used, and everybody gets a new code.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from th_vision.page.guard import CODE_DIGITS, new_code, new_token

SECRET_BYTES: Final = 32
SUFFIX: Final = ".page"
MAX_AGE_S: Final = 24 * 3600.0
"""A game that is taken up later than this begins with a new code."""
_MAX_BYTES: Final = 1000
_PRIVATE: Final = 0o600


@dataclass(frozen=True)
class Passes:
    """``token``: part of every path; ``code``: what players type in; ``secret``: of :class:`guard.Lock`'s keys."""

    token: str
    code: str
    secret: bytes

    @classmethod
    def new(cls) -> Passes:
        """Ones that nobody knows."""
        return cls(new_token(), new_code(), secrets.token_bytes(SECRET_BYTES))


def place_of(record: Path) -> Path:
    """Where the passes of a game are kept."""
    return record.with_name(record.name + SUFFIX)


def kept(record: Path, now_s: float) -> Passes | None:
    """The passes of the game whose record this is; None where there are none that can be trusted.

    ``now_s``: seconds of the system's clock, as file times are.
    """
    try:
        data = json.loads(_private(place_of(record), now_s))
        token, code, secret = data["token"], data["code"], bytes.fromhex(data["secret"])
        if data["game"] != _game(record):
            return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    good = isinstance(token, str) and re.fullmatch(r"[A-Za-z0-9_-]{8,64}", token)
    good = good and isinstance(code, str) and re.fullmatch(rf"[0-9]{{{CODE_DIGITS}}}", code)
    return Passes(token, code, secret) if good and len(secret) == SECRET_BYTES else None


def keep(passes: Passes, record: Path) -> bool:
    """Keep the passes beside the record; False where that can't be done safely. The game goes on all the same."""
    place = place_of(record)
    if not hasattr(os, "geteuid"):
        return False  # rights to a file mean something else there
    aside = place.with_name(f"{place.name}.{secrets.token_hex(4)}.part")
    try:
        game = _game(record)
        text = json.dumps({"token": passes.token, "code": passes.code, "secret": passes.secret.hex(), "game": game})
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(aside, place)
    except OSError:
        with contextlib.suppress(OSError):
            aside.unlink()
        return False
    return True


def forget(record: Path) -> None:
    """Nobody needs them any more."""
    with contextlib.suppress(OSError):
        place_of(record).unlink()


def _private(place: Path, now_s: float) -> str:
    """The text of a file that is ours alone.

    Raises:
        OSError: it is not, or it can't be read.
    """
    if not hasattr(os, "geteuid"):
        raise OSError("rights to a file mean something else here")
    with open(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
        about = os.fstat(file.fileno())
        ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and not about.st_mode & 0o077
        if not ours or about.st_nlink != 1 or abs(now_s - about.st_mtime) > MAX_AGE_S:
            raise OSError(f"{place}: not ours alone, or too old")
        return file.read(_MAX_BYTES)


def _game(record: Path) -> str:
    """Which game a record is of: its first line's hash.

    Raises:
        OSError: it can't be read.
    """
    with open(record, "rb") as file:
        return hashlib.sha256(file.readline(1 << 20).rstrip()).hexdigest()
