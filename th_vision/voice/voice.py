"""The voice, as a game sees it: tell it what to say and go on; it never waits, never fails, and never ends a game.

voice = Voice("es")
voice.hear(output, game)          # an output of the follower
voice.say(line)                   # a line of the announcer
voice.close()
"""

from __future__ import annotations

import contextlib
import json
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rules.game import Game
from th_vision.announce import Line
from th_vision.errors import VisionError
from th_vision.follow_events import Output
from th_vision.voice.spoken import Spokesman
from th_vision.voice.synthesizer import ESPEAK
from th_vision.voice.utterance import Urgency, Utterance

MODULE: Final = "th_vision.voice.speaker"
RESTARTS: Final = 3
CLOSE_S: Final = 14.0
_URGENCY: Final = {"fault": Urgency.NOW, "too_close": Urgency.NOW, "legal": Urgency.RULING, "info": Urgency.RULING}


class Voice:
    """Speaks in a process of its own.

    Args:
        language: of what is said.
        clips: a folder of recorded clips (see docs/page.md); None: espeak-ng.
        places: say where new pieces stand, for players who don't see the table.
        wav: a folder to write WAV files to instead of speaking (for tests).

    Raises:
        VisionError: there is neither espeak-ng nor a folder of clips.
    """

    def __init__(
        self, language: str = "en", *, clips: Path | None = None, places: bool = False, wav: Path | None = None
    ) -> None:
        if clips is not None and not clips.is_dir():
            raise VisionError(f"{clips}: is no folder of clips; see docs/page.md for what belongs into one")
        if clips is None and not shutil.which(ESPEAK):
            raise VisionError(f"--say: {ESPEAK} is not installed; install it (apt install {ESPEAK}) or give --clips")
        self._command = [sys.executable, "-m", MODULE, "--lang", language]
        self._command += [*(("--clips", str(clips)) if clips else ()), *(("--wav", str(wav)) if wav else ())]
        self._spokesman = Spokesman(language, places=places)
        self._orders: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._feeder = threading.Thread(target=self._feed, daemon=True, name="voice-feeder")
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        self._feeder.start()

    def hear(self, output: Output, game: Game) -> None:
        """Say what an output of the follower means for the players; from any one thread, never waits."""
        for news in self._spokesman.news(output, game):
            if news.whole:
                self._put({"revise": news.about, "say": [_data(one) for one in news.utterances]})
            else:
                for one in news.utterances:
                    self._put({"add": _data(one)})

    def say(self, line: Line, *, about: str = "") -> None:
        """Say a line of the announcer: its sentence, without the numbers. Heads of turns are for readers."""
        if line.kind != "head":
            self._put({"add": _data(Utterance(line.text, about, _URGENCY[line.kind]))})

    def details(self, line: Line) -> None:
        """Say the numbers and reasons of a line, because somebody asked."""
        self._put({"add": _data(Utterance(f"{line.text} {line.reason}".strip(), "", Urgency.NOW))})

    def close(self, *, wait: bool = True) -> None:
        """End it; ``wait``: after what is still to be said."""
        if self._closed:
            return
        self._closed = True
        self._orders.put({"end": True} if wait else None)
        if wait:
            self._orders.put(None)
        self._feeder.join(CLOSE_S)
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(CLOSE_S if wait else 1.0)
            if self._process.poll() is None:
                self._process.kill()

    def _put(self, order: dict[str, Any]) -> None:
        if not self._closed:
            self._orders.put(order)

    def _feed(self) -> None:
        starts = 0
        while (order := self._orders.get()) is not None:
            while self._process is None or self._process.poll() is not None:
                if starts > RESTARTS:
                    return  # it won't speak; the game goes on without it
                starts += 1
                self._process = _launched(self._command)
            with contextlib.suppress(OSError):  # it died just now; the next order starts it anew
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps(order) + "\n")
                self._process.stdin.flush()
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


def _launched(command: Sequence[str]) -> subprocess.Popen[str] | None:
    quiet = subprocess.DEVNULL
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, text=True, encoding="utf-8")
    except OSError:
        return None


def _data(utterance: Utterance) -> dict[str, Any]:
    return {
        "text": utterance.text,
        "about": utterance.about,
        "urgency": int(utterance.urgency),
        "clips": list(utterance.clips),
    }
