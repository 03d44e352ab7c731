"""What the page's server is started with, and how its process is told to end."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Final

from rules.pieces import Pieces

END: Final = "end"
"""What is published last."""


@dataclass(frozen=True)
class Settings:
    """What the server is started with. ``token``: part of every path, empty where the link needs none; ``secret``: what
    keys for the code are made with."""

    host: str = "127.0.0.1"
    port: int = 8087
    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "::1"})
    token: str = ""
    code: str = ""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    language: str = "en"
    control: bool = False
    pieces: Pieces = field(default_factory=Pieces)
