"""A live camera that goes on: capture in a child process, watched, started anew when it must be.

Threads: one keeper starts, watches and ends the child; the child's reader judges each frame as it is told of; who
uses the camera copies frames out of the shared memory when it wants them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from calibration.camera import Camera
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.backend import DeviceFacts, Exposure, Request
from th_vision.live.camera_model import camera_of
from th_vision.live.checks import warnings_of
from th_vision.live.gate import Gate, Passed
from th_vision.live.protocol import CameraState, Phase
from th_vision.live.ring import Ring
from th_vision.live.run import GONE, Patience, Run
from th_vision.live.tolerances import GOOD_RUN_FRAMES, SETTLE_LONGEST_S, TRIES
from th_vision.live.warmup import Warmup
from th_vision.live.wire import Beat, Ended, FrameNote, Locked, Message, Opened, Trouble
from th_vision.live.worker import MakeBackend, Worker

_TICK_S = 0.05
_HOPELESS = ("no-library", "profile", "several", "file")  # no other try changes these
_MAY_PASS = ("absent", "permission")  # for some seconds after a cable was plugged in


class LiveCamera:
    """A ``LiveSource`` over any backend. Opening waits until the camera streams or can't.

    Raises:
        VisionError: it can't be opened: one line that says why, and what to do.
    """

    def __init__(
        self,
        name: str,
        make: MakeBackend,
        request: Request | None = None,
        *,
        settle: bool = True,
        patience: Patience | None = None,
    ) -> None:
        self._name, self._make, self._settle = name, make, settle
        self._request = Request() if request is None else request
        self._patience = Patience() if patience is None else patience
        self._lock = threading.Condition()
        self._ring = Ring.create()
        self._run = Run()
        self._state = CameraState(model="", warm=False)
        self._camera: Camera | None = None
        self._gate: Gate | None = None
        self._waiting: deque[Passed] = deque(maxlen=self._ring.slots - 2)
        self._latest: Passed | None = None
        self._taken: tuple[int, Frame] | None = None
        self._count = 0  # of the ring, over all children
        self._locked: dict[str, Exposure] = {}
        self._warmup: Warmup | None = None
        self._failure: VisionError | None = None
        self._facts: DeviceFacts | None = None
        self._closing = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name=f"{name} keeper", daemon=True)
        self._keeper.start()
        with self._lock:
            try:
                self._lock.wait_for(lambda: self._camera is not None or self._failure is not None)
            except BaseException:
                self._closing.set()
                raise
        if self._failure is not None:
            self.close()
            raise self._failure

    # --- a source ---------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What the user called it."""
        return self._name

    @property
    def camera(self) -> Camera:
        """The camera as it described itself when it was opened."""
        assert self._camera is not None
        return self._camera

    @property
    def facts(self) -> DeviceFacts:
        """What it said of itself: for a recording's header."""
        assert self._facts is not None
        return self._facts

    @property
    def state(self) -> CameraState:
        """How it is now."""
        with self._lock:
            return self._state

    def __iter__(self) -> Iterator[Frame]:
        """Each good frame once, from now on."""
        with self._lock:
            self._waiting.clear()
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._waiting or self._state.phase == "closed", timeout=0.5)
                if not self._waiting:
                    if self._state.phase == "closed":
                        return
                    continue  # so that Ctrl-C is heard
                passed = self._waiting.popleft()
            frame = self._frame(passed)
            if frame is None:
                self._count_lost()
                continue
            yield frame

    def read_latest(self, max_age_s: float) -> Frame | None:
        """The newest good frame, if it was taken at most ``max_age_s`` ago."""
        while True:
            with self._lock:
                passed = self._latest
            if passed is None or time.monotonic() - passed.taken_s > max_age_s:
                return None
            frame = self._frame(passed)
            if frame is not None:
                return frame
            with self._lock:  # written over while it was copied: there is a newer one
                if self._latest is passed:
                    return None

    def close(self) -> None:
        """Stop the camera and its process."""
        self._closing.set()
        if self._keeper is not threading.current_thread():
            self._keeper.join()

    # --- frames -----------------------------------------------------------------------------------------------

    def _frame(self, passed: Passed) -> Frame | None:
        note = passed.note
        taken = self._taken
        if taken is not None and taken[0] == note.count:
            return taken[1]
        kinds = [(note.depth, note.depth_kind)]
        if passed.color and note.color is not None:
            kinds.append((note.color, "uint8"))
        arrays = self._ring.read(note.count, kinds)
        if arrays is None:
            return None
        for array in arrays:
            array.flags.writeable = False  # it may be given out twice
        frame = Frame(passed.number, passed.time_s, arrays[0], arrays[1] if len(arrays) > 1 else None)
        self._taken = (note.count, frame)
        return frame

    def _count_lost(self) -> None:
        with self._lock:
            self._state = replace(self._state, frames_lost=self._state.frames_lost + 1)
            if self._gate is not None:
                self._gate.lost += 1

    def _on_frame(self, note: FrameNote) -> None:
        self._count = max(self._count, note.count)
        if self._gate is None:
            return
        verdict = self._gate.judge(note)
        gate = self._gate
        passed = isinstance(verdict, Passed)
        if passed:
            self._run.good += 1
            self._run.frame_s = time.monotonic()
        phase: Phase = "running" if passed else self._state.phase
        self._state = replace(
            self._state,
            phase=phase,
            frames=self._state.frames + passed,
            frames_lost=gate.lost,
            frames_refused=gate.refused.total(),
            colors_refused=gate.colors_refused,
        )
        if isinstance(verdict, Passed):
            if len(self._waiting) == self._waiting.maxlen:
                self._waiting.popleft()  # nobody iterates, or too slowly
            self._waiting.append(verdict)
            self._latest = verdict
            self._lock.notify_all()
            if self._warmup is not None and self._warmup.wants(verdict.time_s):
                self._look_at_drift(verdict)

    def _look_at_drift(self, passed: Passed) -> None:
        assert self._warmup is not None
        depth = self._ring.read(passed.note.count, [(passed.note.depth, passed.note.depth_kind)])
        if depth is not None:
            self._warmup.look(passed.time_s, np.asarray(depth[0]))
            self._state = replace(self._state, warm=self._warmup.warm, drift_mm_per_min=self._warmup.drift_mm_per_min)

    # --- what the child says ----------------------------------------------------------------------------------

    def _hear(self, run: Run, message: Message | None) -> None:
        with self._lock:
            if run is not self._run:
                return  # a child that was given up
            run.heard_s = time.monotonic()
            match message:
                case None:
                    run.over = True
                case Trouble():
                    run.trouble = message
                case Ended():
                    run.ended = True
                case Opened(facts):
                    self._opened(facts)
                case Locked(exposures, settled, notes):
                    self._locked = exposures
                    run.frame_s = time.monotonic()
                    self._warn(*notes)
                    if not settled:
                        self._warn("exposure did not settle: light the table evenly, without flicker")
                case FrameNote():
                    self._on_frame(message)
                case Beat():
                    self._on_beat(run, message)

    def _on_beat(self, run: Run, beat: Beat) -> None:
        run.phase = beat.phase
        if beat.phase == "absent":
            run.absent_s = run.absent_s or time.monotonic()
            self._say("the camera is not connected")
        if beat.readings is not None:
            now = beat.readings
            self._state = replace(self._state, temperature_c=now.temperature_c)
            if now.notice:
                self._state = replace(self._state, last_error=f"the camera reports: {now.notice}")
            if self._facts is not None and now.emitter is not None and now.emitter != self._facts.emitter:
                self._facts = replace(self._facts, emitter=now.emitter)
            if self._facts is not None:
                self._warn(*warnings_of(self._facts, now.temperature_c))

    def _opened(self, facts: DeviceFacts) -> None:
        run = self._run
        run.opened_s = run.frame_s = time.monotonic()
        try:
            camera = camera_of(facts, self._name)
        except VisionError as error:
            run.trouble = Trouble("profile", str(error).removeprefix(f"{self._name}: "))
            return
        if self._camera is not None and not _same(self._camera, camera):
            run.trouble = Trouble("failed", "the camera came back with another profile or depth unit")
            return
        if self._camera is None:
            size = (camera.depth.width, camera.depth.height)
            color = None if camera.color is None else (camera.color.width, camera.color.height)
            self._gate = Gate(size, color, facts.fps)
            self._warmup = Warmup(camera)
            self._request = replace(self._request, serial=facts.serial)
        assert self._gate is not None
        self._gate.restarted()
        self._camera, self._facts = self._camera or camera, facts
        self._state = replace(
            self._state,
            phase="settling",
            serial=facts.serial,
            model=camera.model,
            firmware=facts.firmware,
            usb=facts.usb,
            warnings=warnings_of(facts, None),
        )
        self._lock.notify_all()

    def _say(self, text: str) -> None:
        phase: Phase = "starting" if self._camera is None else "lost"
        self._state = replace(self._state, phase=phase, last_error=text)

    def _warn(self, *lines: str) -> None:
        new = tuple(line for line in lines if line not in self._state.warnings)
        if new:
            self._state = replace(self._state, warnings=(*self._state.warnings, *new))

    # --- the keeper -------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Start, watch, and start anew, until closed: plainly, plainly again, with a hardware reset last."""
        began_s = time.monotonic()
        attempt = 0
        while not self._closing.is_set():
            trouble = self._one_run(reset=attempt == TRIES - 1)
            if trouble is None:
                break
            with self._lock:
                good = self._run.good >= GOOD_RUN_FRAMES
                self._say(trouble.text)
                self._state = replace(self._state, restarts=self._state.restarts + 1)
                opened = self._camera is not None
            attempt = 0 if good or trouble.kind == "absent" else attempt + 1
            if trouble.kind == "busy":
                attempt = min(attempt, TRIES - 2)  # a reset would hit the other program
            if not opened and self._gives_up(trouble, attempt, time.monotonic() - began_s):
                with self._lock:
                    self._failure = VisionError(f"{self._name}: {trouble.text}")
                break
            if attempt >= TRIES or trouble.kind in (*_HOPELESS, "permission", "busy"):
                attempt = attempt % TRIES
                self._closing.wait(self._patience.pause_s)
        with self._lock:
            self._state = replace(self._state, phase="closed")
            self._lock.notify_all()
        self._ring.close()

    def _gives_up(self, trouble: Trouble, attempt: int, since_s: float) -> bool:
        if trouble.kind in _MAY_PASS:
            return since_s >= self._patience.grace_s
        return trouble.kind in (*_HOPELESS, "busy") or attempt >= TRIES

    def _one_run(self, *, reset: bool) -> Trouble | None:
        """One child from its start to its end; gives what went wrong, None where it was closed."""
        with self._lock:
            request = replace(self._request, reset_first=reset, locked=self._locked)
            settle = self._settle and not self._locked
            run = self._run = Run(must_exist=self._camera is None, settle_s=SETTLE_LONGEST_S if settle else 0.0)
        worker = Worker(
            self._make, request, self._ring, partial(self._hear, run), first_count=self._count, settle=settle
        )
        trouble: Trouble | None = None
        while trouble is None and not self._closing.wait(_TICK_S):
            with self._lock:
                trouble = run.verdict(time.monotonic(), self._patience)
                if trouble is not None and trouble.kind == "absent" and request.serial:
                    text = f"no camera with the serial number {request.serial} is connected"
                    trouble = replace(trouble, text=text)
        if trouble is None or run.over:
            worker.stop()
        else:
            worker.kill()
        if trouble is not None and trouble.text == GONE:
            trouble = replace(trouble, text=f"capture stopped: {worker.how_it_ended()}")
        return trouble


def _same(a: Camera, b: Camera) -> bool:
    """Whether frames of both are measured alike."""
    sizes = [(one.depth.width, one.depth.height, one.color and (one.color.width, one.color.height)) for one in (a, b)]
    return sizes[0] == sizes[1] and abs(a.depth_unit_mm / b.depth_unit_mm - 1) < 1e-3
