"""The speaking process: lines of JSON on standard input, speech out.

    {"revise": "r7", "say": [{"text": "...", "urgency": 1, "clips": ["..."]}]}    all there is to say about r7 now
    {"add": {"text": "...", "about": "", "urgency": 2}}
    {"withdraw": "r7"}
    {"end": true}                                                                  finish what waits, then end

It ends by itself when standard input does, so that it never outlives the game.
"""

from __future__ import annotations

import argparse
import json
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from th_vision.voice.queue import SpeechQueue
from th_vision.voice.synthesizer import Synthesizer, synthesizer_of
from th_vision.voice.utterance import Urgency, Utterance

LOOK_S: Final = 0.03
STUCK_S: Final = 60.0
"""No utterance takes so long: a sound device that hangs must not silence the rest of the game."""
LAST_S: Final = 12.0
"""At the end what waits is still said, for so long at most."""


class Speaker:
    """The queue and the synthesizer, one small step at a time; time is an argument."""

    def __init__(self, synthesizer: Synthesizer) -> None:
        self.queue = SpeechQueue()
        self._synthesizer = synthesizer
        self._since_s = 0.0

    def take(self, order: dict[str, Any], now_s: float) -> None:
        """Take in one line; what can't be read is left out."""
        about = str(order.get("revise") or order.get("withdraw") or "")
        if "add" in order:
            self.queue.add(_utterance(order["add"]), now_s)
        elif "revise" in order:
            self.queue.revise(about, [_utterance(one, about) for one in order.get("say", ())], now_s)
        elif "withdraw" in order:
            self.queue.withdraw(about)

    def step(self, now_s: float) -> bool:
        """Go on speaking; False where all is said."""
        if self.queue.cut:
            self._synthesizer.stop()
        if self._synthesizer.busy():
            if now_s - self._since_s < STUCK_S:
                return True
            self._synthesizer.stop()
        utterance = self.queue.next(now_s)
        if utterance is None:
            return False
        self._synthesizer.start(utterance)
        self._since_s = now_s
        return True


def run(speaker: Speaker, orders: queue.Queue[dict[str, Any] | None], clock: Callable[[], float]) -> None:
    """Speak until the orders end (None): then what waits is finished, and no more."""
    end_s: float | None = None
    while end_s is None or clock() < end_s:
        try:
            order = orders.get(timeout=LOOK_S)
        except queue.Empty:
            order = {}
        if order is None or order.get("end"):
            end_s = end_s if end_s is not None else clock() + (LAST_S if order else 0.0)
        elif order:
            try:
                speaker.take(order, clock())
            except (TypeError, ValueError, KeyError, AttributeError):
                continue  # one odd line must not silence the game
        if not speaker.step(clock()) and end_s is not None:
            return


def _utterance(data: dict[str, Any], about: str = "") -> Utterance:
    return Utterance(
        str(data["text"]),
        about or str(data.get("about", "")),
        Urgency(int(data.get("urgency", Urgency.RULING))),
        tuple(str(name) for name in data.get("clips", ())),
    )


def main() -> None:
    """Entry point of ``python -m th_vision.voice.speaker``."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lang", default="en")
    parser.add_argument("--clips", type=Path)
    parser.add_argument("--wav", type=Path, help="a folder: write files there instead of speaking")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the game, which ends this
    orders: queue.Queue[dict[str, Any] | None] = queue.Queue()

    def read() -> None:
        for line in sys.stdin:
            try:
                order = json.loads(line)
            except ValueError:
                continue
            if isinstance(order, dict):
                orders.put(order)
        orders.put(None)

    threading.Thread(target=read, daemon=True).start()
    synthesizer = synthesizer_of(options.lang, options.clips, options.wav)
    try:
        run(Speaker(synthesizer), orders, time.monotonic)
    finally:
        synthesizer.stop()


if __name__ == "__main__":
    main()
