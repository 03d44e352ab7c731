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
TRIES: Final = 8
"""Wrong codes that are taken from one address in one go ..."""
TRIES_OF_ALL: Final = 64
"""... and from everybody together, so that one who tries codes does not lock the others out ..."""
SECONDS_A_TRY: Final = 6.0
"""... and then one in so many seconds, of each and of all: a million codes take two months."""
MAX_ADDRESSES: Final = 256
"""So many addresses are remembered; all together are bounded as well."""

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
class _Tries:
    """Wrong tries that are still taken; they come back with time."""

    most: float
    left: float
    seen_s: float

    def look(self, now_s: float) -> None:
        """Let time pass."""
        self.left = min(self.most, self.left + max(0.0, now_s - self.seen_s) / SECONDS_A_TRY)
        self.seen_s = max(self.seen_s, now_s)


@dataclass
class Lock:
    """The code, the ``secret`` that keys for it are made with, and the wrong tries of each address and of all.

    A key is a random word with its keyed hash (HMAC-SHA-256), so that a server that is started again knows the keys
    that were given before, as long as it has the same secret.
    """

    code: str
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(KEY_BYTES))
    _of_all: _Tries | None = None
    _of_each: dict[str, _Tries] = field(default_factory=dict)

    def open(self, code: str, now_s: float, who: str = "") -> str | None:
        """A key for the right code; None for a wrong one, or while there were too many wrong ones from ``who``."""
        tries = self._tries(now_s, who)
        if any(one.left < 1 for one in tries):
            return None
        if not _same(code, self.code):
            for one in tries:
                one.left -= 1
            return None
        word = secrets.token_urlsafe(KEY_BYTES)
        return f"{word}.{self._sign(word)}"

    def shut(self, now_s: float, who: str = "") -> bool:
        """Whether even the right code is not taken just now."""
        return any(one.left < 1 for one in self._tries(now_s, who))

    def _tries(self, now_s: float, who: str) -> tuple[_Tries, _Tries]:
        if self._of_all is None:
            self._of_all = _Tries(TRIES_OF_ALL, TRIES_OF_ALL, now_s)
        mine = self._of_each.pop(who, None) or _Tries(TRIES, TRIES, now_s)
        self._of_each[who] = mine  # the last that was used is the last to be forgotten
        while len(self._of_each) > MAX_ADDRESSES:
            del self._of_each[next(iter(self._of_each))]
        for one in (self._of_all, mine):
            one.look(now_s)
        return self._of_all, mine

    def fits(self, key: str) -> bool:
        """Whether a key was given for the code."""
        word, dot, sign = key.partition(".")
        return bool(dot) and _same(sign, self._sign(word))

    def _sign(self, word: str) -> str:
        return hmac.new(self.secret, f"key {self.code} {word}".encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode())
