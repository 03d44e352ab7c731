"""Who may do what on the page: hosts, origins, the code, and how often it may be tried wrongly.

Viewing is open to those who have the link; controlling needs the code that stands on the referee's terminal. A code
that was right gives a key, which is not guessed and not slowed down, so that nobody who tries codes locks the players
out. Time is an argument.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

CODE_DIGITS: Final = 6
TOKEN_BYTES: Final = 9
KEY_BYTES: Final = 24
MAX_KEYS: Final = 32
"""So many devices may control at once; the oldest key goes."""
TRIES: Final = 8
"""Wrong codes that are taken in one go, from everybody together ..."""
SECONDS_A_TRY: Final = 6.0
"""... and then one in so many seconds: a million codes take two months."""

HEADERS: Final[Mapping[str, str]] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}
"""On every answer; the page itself has its own content-security-policy."""


def new_code() -> str:
    """A code to read off the terminal and type in."""
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}d}"


def new_token() -> str:
    """What makes a link known only to those who were given it."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class Places:
    """Under which names the page is reached. ``hosts``: without port, small letters; brackets left out."""

    hosts: frozenset[str]
    port: int

    def knows(self, host: str | None) -> bool:
        """Whether a Host header is one of ours: another name that leads here is somebody else's page (rebinding)."""
        name, port = _split(host or "")
        return name in self.hosts and port in (None, self.port)

    def own(self, origin: str | None) -> bool:
        """Whether a request comes from the page itself, by its Origin header."""
        if origin is None or not origin.startswith("http://"):
            return False
        return self.knows(origin.removeprefix("http://"))


def _split(host: str) -> tuple[str, int | None]:
    """Name and port of a Host header; a name that can't be is given back as it is, and known to nobody."""
    host = host.strip().lower()
    if host.startswith("["):
        name, bracket, rest = host[1:].partition("]")
        rest = rest.removeprefix(":") if bracket else "?"
    else:
        name, _, rest = host.partition(":")
    if not rest:
        return name, None
    return (name, int(rest)) if rest.isascii() and rest.isdigit() and len(rest) <= 5 else ("", None)


@dataclass
class Lock:
    """The code, the keys given for it, and the wrong tries."""

    code: str
    _keys: list[str] = field(default_factory=list)
    _tries: float = TRIES
    _seen_s: float | None = None

    def open(self, code: str, now_s: float) -> str | None:
        """A key for the right code; None for a wrong one, or while there were too many wrong ones."""
        if self._seen_s is not None:
            self._tries = min(TRIES, self._tries + max(0.0, now_s - self._seen_s) / SECONDS_A_TRY)
        self._seen_s = now_s
        if self._tries < 1:
            return None
        if not _same(code, self.code):
            self._tries -= 1
            return None
        key = secrets.token_urlsafe(KEY_BYTES)
        self._keys = [*self._keys[-(MAX_KEYS - 1) :], key]
        return key

    @property
    def shut(self) -> bool:
        """Whether even the right code is not taken just now."""
        return self._tries < 1

    def fits(self, key: str) -> bool:
        """Whether a key was given for the code."""
        found = False
        for known in self._keys:
            found |= _same(key, known)
        return found


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode())
