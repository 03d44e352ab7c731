"""Making sound: espeak-ng, or a folder of recorded clips. Each speaks one utterance at a time and can be cut off."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from th_vision.voice.utterance import Utterance

ESPEAK: Final = "espeak-ng"
VOICES: Final[Mapping[str, str]] = {"en": "en", "es": "es", "nl": "nl", "zh-Hant": "cmn-latn-pinyin"}
"""espeak-ng's voice for each language. Not ``zh`` or ``cmn``: they spell the syllables as if they were English."""
WORDS_A_MINUTE: Final = 165
PLAYERS: Final[tuple[tuple[str, ...], ...]] = (
    ("paplay",),
    ("aplay", "-q"),
    ("afplay",),
    ("ffplay", "-nodisp", "-autoexit", "-loglevel", "quiet"),
)
SUFFIXES: Final = (".wav", ".ogg", ".mp3", ".flac")


class Synthesizer(Protocol):
    """Speaks one utterance at a time."""

    def start(self, utterance: Utterance) -> None:
        """Begin to say it; never raises."""

    def busy(self) -> bool:
        """Whether it is still being said."""

    def stop(self) -> None:
        """End what is being said, at once."""


def espeak_command(language: str, wav: Path | None = None) -> list[str]:
    """The command that says what it gets on standard input, aloud or into a file."""
    command = [ESPEAK, "-v", VOICES.get(language, "en"), "-s", str(WORDS_A_MINUTE), "--stdin"]
    return command if wav is None else [*command, "-w", str(wav)]


class Espeak:
    """espeak-ng as a process for each utterance; ``folder``: into numbered WAV files there instead of aloud."""

    def __init__(self, language: str, folder: Path | None = None) -> None:
        self._language = language
        self._folder = folder
        self._number = 0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, utterance: Utterance) -> None:
        """Begin to say it."""
        wav = None
        if self._folder is not None:
            self._number += 1
            wav = self._folder / f"{self._number:03d}.wav"
        self._process = _started(espeak_command(self._language, wav), utterance.text)

    def busy(self) -> bool:
        """Whether it is still being said."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End it."""
        _ended(self._process)
        self._process = None


class Clips:
    """Recorded clips, one file a name; what no clip says goes to ``other``, where there is one."""

    def __init__(self, folder: Path, other: Synthesizer | None = None, player: Sequence[str] | None = None) -> None:
        self._folder = folder
        self._other = other
        self._player = list(player) if player is not None else _player()
        self._waiting: list[Path] = []
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, utterance: Utterance) -> None:
        """Begin to play its clips one after the other, or have it said where one is missing."""
        files = [self._file(name) for name in utterance.clips]
        found = [file for file in files if file is not None]
        if self._player and found and (len(found) == len(files) or self._other is None):
            self._waiting = found
            self._play()
        elif self._other is not None:
            self._other.start(utterance)

    def busy(self) -> bool:
        """Whether a clip is being played, or waits."""
        if self._process is not None and self._process.poll() is None:
            return True
        if self._waiting:
            self._play()
            return True
        return self._other is not None and self._other.busy()

    def stop(self) -> None:
        """End it, and what waits."""
        self._waiting = []
        _ended(self._process)
        if self._other is not None:
            self._other.stop()

    def _play(self) -> None:
        self._process = _started([*self._player, str(self._waiting.pop(0).resolve())], "")

    def _file(self, name: str) -> Path | None:
        return next((path for suffix in SUFFIXES if (path := self._folder / f"{name}{suffix}").is_file()), None)


class Silent:
    """Says nothing: where there is neither espeak-ng nor a clip."""

    def start(self, utterance: Utterance) -> None:
        """Nothing."""

    def busy(self) -> bool:
        """Never."""
        return False

    def stop(self) -> None:
        """Nothing."""


def synthesizer_of(language: str, clips: Path | None, folder: Path | None = None) -> Synthesizer:
    """What there is: clips, with espeak-ng behind them where it is installed; else espeak-ng; else silence."""
    espeak = Espeak(language, folder) if shutil.which(ESPEAK) else None
    if clips is not None:
        return Clips(clips, espeak)
    return espeak or Silent()


def _player() -> list[str]:
    return next((list(command) for command in PLAYERS if shutil.which(command[0])), [])


def _started(command: Sequence[str], text: str) -> subprocess.Popen[bytes] | None:
    quiet = subprocess.DEVNULL
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
    except OSError:
        return None
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(text.encode())
    with contextlib.suppress(OSError):
        process.stdin.close()
    return process


def _ended(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None and process.poll() is None:
        process.kill()
        process.wait()
