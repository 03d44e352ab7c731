"""Small cameras for tests of live capture: a frame tells which one it is. All of it can go to a child process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from calibration.camera import Camera, Intrinsics
from th_vision.frame import Frame
from th_vision.live.backend import Backend, CaptureError, Exposure, Request, Shot
from th_vision.live.capture import LiveCamera
from th_vision.live.faulty import Fault, FaultyBackend
from th_vision.live.run import Patience
from th_vision.live.sdk import SdkCamera, import_sdk
from th_vision.live.software import SoftwareCamera, SoftwareSetup, setup_of

DEPTH, COLOR = (64, 48), (96, 64)
FPS = 30.0
FIRST_DEPTH = 6000
# Short, so that tests are quick; long enough for a machine that does other things too.
QUICK = Patience(hung_s=2.5, no_frames_s=1.5, grace_s=0.5, pause_s=0.2)


def small_camera(**changes: Any) -> Camera:
    T = np.eye(4)
    T[0, 3] = 15.0
    data: dict[str, Any] = {
        "model": "D435",
        "depth": Intrinsics(*DEPTH, 40.0, 40.0, 31.5, 23.5),
        "color": Intrinsics(*COLOR, 60.0, 60.0, 47.5, 31.5, (0.02, -0.01, 0.001, 0.002, 0.0)),
        "T_color_depth": T,
        "depth_unit_mm": 0.1,
        "serial": "F1",
    }
    return Camera(**{**data, **changes})


def small_frame(index: int) -> Frame:
    """Frame ``index``: depth and colour that no other has."""
    depth = np.full(DEPTH[::-1], FIRST_DEPTH + index, np.uint16)
    depth[0, 0] = 0
    return Frame(index, index / FPS, depth, np.full((*COLOR[::-1], 3), (index % 256, 90, 40), np.uint8))


@dataclass
class SmallSource:
    count: int = 10**6
    camera: Camera = field(default_factory=small_camera)
    name: str = "small"

    def __iter__(self) -> Iterator[Frame]:
        return (small_frame(index) for index in range(self.count))


def faulty(folder: Path, faults: Sequence[Fault], count: int, exposure: float | None, request: Request) -> Backend:
    (folder / "child").write_text(str(os.getpid()))
    backend = FaultyBackend(request, source=partial(SmallSource, count), faults=faults, folder=folder, fps=FPS)
    if exposure is not None:
        wait = backend.wait

        def with_exposure(timeout_ms: int) -> Shot | None:
            shot = wait(timeout_ms)
            plain = shot and replace(shot, color=np.full((*COLOR[::-1], 3), 90, np.uint8))
            return plain and replace(plain, exposures={"color": Exposure(exposure)})

        backend.wait = with_exposure  # type: ignore[method-assign] # a camera whose exposure stands still
    return backend


def open_faulty(
    folder: Path,
    *faults: Fault,
    count: int = 10**6,
    exposure: float | None = None,
    plugged: bool = True,
    patience: Patience = QUICK,
    **options: Any,
) -> LiveCamera:
    if plugged:
        (folder / "plugged").touch()
    options.setdefault("settle", False)
    return LiveCamera("small", partial(faulty, folder, faults, count, exposure), patience=patience, **options)


def no_library(request: Request) -> Backend:
    raise CaptureError("no-library", "pyrealsense2 is not installed; install it")


def broken_process(request: Request) -> Backend:
    os._exit(7)


def never_starts(folder: Path, request: Request) -> Backend:
    backend = faulty(folder, (), 10, None, request)
    (folder / f"try-{time.monotonic_ns()}").touch()

    def refuse() -> Any:
        raise RuntimeError("xioctl failed")

    backend.open = refuse  # type: ignore[method-assign] # a camera that is there and does not start
    return backend


def software(setup: SoftwareSetup, fps: float, request: Request) -> SdkCamera:
    """The real SDK's software device behind the real capture code, fed with the small frames."""
    rs = import_sdk()
    camera = SoftwareCamera(rs, setup)
    context = camera.context()
    backend = SdkCamera(rs, request, lambda: context)

    def feed() -> None:
        for index in range(10**6):
            frame = small_frame(index)
            camera.push(frame.depth, frame.color, index, 1000 + index * 1000 / setup.fps)
            time.sleep(1 / fps)

    threading.Thread(target=feed, daemon=True).start()
    backend.kept = camera  # type: ignore[attr-defined] # the device lives as long as the camera
    return backend


def open_software(setup: SoftwareSetup | None = None, *, fps: float = FPS, **options: Any) -> LiveCamera:
    setup = setup_of(small_camera()) if setup is None else setup
    request = options.pop("request", Request(depth_size=DEPTH, color_size=COLOR, fps=30))
    options.setdefault("settle", False)
    return LiveCamera("software", partial(software, setup, fps), request, patience=QUICK, **options)


def is_alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until(true: Any, seconds: float = 10.0) -> bool:
    """Whether ``true()`` came to be within the time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.02)
    return bool(true())
