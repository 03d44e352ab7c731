"""The process that talks to the camera: ``python -m th_vision.live.child``, started and watched by ``capture``.

It may hang or crash with the driver without harm to the game. It ends when its parent does, also by ``kill -9``: on
Linux the system sees to it, elsewhere its standard input ends. Lines of ``wire`` go out on what was its standard
output; whatever a library prints goes to standard error instead.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from th_vision.live.backend import Backend, CaptureError, Request
from th_vision.live.ring import Ring
from th_vision.live.settle import Settling
from th_vision.live.tolerances import BEAT_S, IDLE_WAITS, POLL_S, READINGS_S, RESET_GONE_S, RESET_S, WAIT_MS
from th_vision.live.wire import Beat, Ended, FrameNote, Locked, Message, Opened, Trouble, encode, request_from

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl

Send = Callable[[Message], None]


class Inbox:
    """What the parent says: ``stop``, or room for so many more frames (``more``) where it wants each of them."""

    def __init__(self, counted: bool) -> None:
        self._lines: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._counted = counted
        self._room = 0
        self.stopped = False

    def put(self, data: dict[str, Any]) -> None:
        """From the thread that reads."""
        self._lines.put(data)

    def look(self, timeout_s: float = 0.0) -> None:
        """Take in what was said, waiting at most ``timeout_s`` for it."""
        try:
            data = self._lines.get(timeout=timeout_s) if timeout_s > 0 else self._lines.get_nowait()
            while True:
                self.stopped = self.stopped or "stop" in data
                self._room += int(data.get("more", 0))
                data = self._lines.get_nowait()
        except queue.Empty:
            return

    def take_room(self) -> bool:
        """Whether a frame may be sent now; a live camera's always may, the newest is what counts."""
        if not self._counted:
            return True
        if self._room:
            self._room -= 1
            return True
        return False


def serve(
    backend: Backend, request: Request, ring: Ring, first_count: int, inbox: Inbox, send: Send, settle: bool
) -> None:
    """Find, open and read a camera until it ends, goes wrong, or ``inbox`` says stop.

    ``settle``: fix the exposure when it has settled; frames before that are kept back.
    """
    try:
        if request.reset_first and backend.present():
            _reset(backend, inbox, send)
        while not backend.present():
            send(Beat("absent"))
            inbox.look(POLL_S)
            if inbox.stopped:
                return send(Ended("stop"))
        send(Beat("opening"))
        facts = backend.open()
        send(Opened(facts))
        if request.locked:
            send(Locked(request.locked, True, backend.lock(request.locked)))
            settle = False
        _stream(backend, ring, first_count, inbox, send, Settling() if settle else None)
    except CaptureError as error:
        send(Trouble(error.kind, str(error)))
    except Exception as error:  # anything the SDK throws: the parent decides what to do about it
        send(Trouble("failed", " ".join(f"{type(error).__name__}: {error}".split())))


def _reset(backend: Backend, inbox: Inbox, send: Send) -> None:
    send(Beat("resetting"))
    backend.reset()
    begin_s = time.monotonic()
    gone = False
    while time.monotonic() - begin_s < (RESET_S if gone else RESET_GONE_S) and not inbox.stopped:
        here = backend.present()
        gone = gone or not here
        if gone and here:
            return
        send(Beat("resetting"))
        inbox.look(POLL_S)


def _stream(backend: Backend, ring: Ring, count: int, inbox: Inbox, send: Send, settling: Settling | None) -> None:
    beat_s = read_s = -1e9
    while True:
        inbox.look()
        now = time.monotonic()
        if inbox.stopped:
            backend.close()
            return send(Ended("stop"))
        if now - read_s >= READINGS_S:
            send(Beat("running", backend.readings()))
            beat_s = read_s = now
        elif now - beat_s >= BEAT_S:
            send(Beat("running"))
            beat_s = now
        if not inbox.take_room():
            inbox.look(BEAT_S / 2)
            continue
        idle = 0
        while (shot := _wait(backend)) is None and not inbox.stopped:
            send(Beat("running"))
            inbox.look()
            idle += 1
            if idle == IDLE_WAITS and not backend.connected():
                raise CaptureError("absent", "the camera was unplugged")
        if shot is None:
            continue
        if shot is EOFError:
            return send(Ended())
        if settling is not None:
            verdict = settling.look(shot, time.monotonic())
            if verdict is not None:
                send(Locked(verdict.exposures, verdict.settled, backend.lock(verdict.exposures)))
                settling = None
            continue
        arrived_s = time.monotonic()
        count += 1
        arrays = [shot.depth] if shot.color is None else [shot.depth, shot.color]
        ring.write(count, arrays)
        send(
            FrameNote(
                count=count,
                number=shot.number,
                time_ms=shot.time_ms,
                arrived_s=arrived_s,
                depth=shot.depth.shape,
                depth_kind=str(shot.depth.dtype),
                color=None if shot.color is None else shot.color.shape,
                color_number=shot.color_number,
                color_time_ms=shot.color_time_ms,
                same_clock=shot.same_clock,
            )
        )
        del shot, arrays  # the SDK has 16 frames in all


def _wait(backend: Backend) -> Any:
    try:
        return backend.wait(WAIT_MS)
    except EOFError:
        return EOFError


# --- the process ------------------------------------------------------------------------------------------------


def main() -> None:
    """Entry point. The first line of standard input says what to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's: it stops us in order
    out = os.dup(1)
    os.dup2(2, 1)
    lock = threading.Lock()

    def send(message: Message) -> None:
        data = encode(message)
        with lock:
            while data:
                try:
                    data = data[os.write(out, data) :]
                except BrokenPipeError:
                    os._exit(0)

    order = json.loads(sys.stdin.buffer.readline())
    die_with_parent(order["parent"])
    inbox = Inbox(counted=order["counted"])
    threading.Thread(target=_listen, args=(inbox,), daemon=True).start()
    try:
        make: Callable[[Request], Backend] = pickle.loads(base64.b64decode(order["make"]))
        request = request_from(order["request"])
        backend = make(request)
    except CaptureError as error:
        send(Trouble(error.kind, str(error)))
    except Exception as error:
        send(Trouble("failed", " ".join(f"{type(error).__name__}: {error}".split())))
    else:
        send(Beat("hello"))
        ring = Ring.attach(order["ring"])
        serve(backend, request, ring, order["first_count"], inbox, send, order["settle"])
    os._exit(0)  # a driver's threads must not keep us


def _listen(inbox: Inbox) -> None:
    for line in sys.stdin.buffer:
        inbox.put(json.loads(line))
    os._exit(0)  # the parent is gone


def die_with_parent(parent: int) -> None:
    """Have Linux end this process when its parent, of that id, ends in whatever way."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:  # it died just before
            os._exit(0)


if __name__ == "__main__":
    main()
