"""What a model of the depth camera is, and the two there are: ``fast`` and ``stereo``.

``fast`` takes true disparity through the faults that were measured one by one; ``stereo`` draws the pair of infrared
pictures and matches them, so that the same faults come about by themselves. One checks the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.faults import Faults
from th_vision.virtual_table.render import CleanRender, render_moment
from th_vision.virtual_table.scene import Scene

MODELS = {
    "fast": "true disparity through the measured faults; milliseconds a frame",
    "stereo": "a pair of infrared pictures with projected dots, matched; seconds a frame",
}


class SensorModel(Protocol):
    """One unit of a depth camera in one session."""

    camera: VirtualCamera
    faults: Faults
    drift: NDArray[np.float64]

    @property
    def scale(self) -> float:
        """Factor on Z now, the unit's own error and its temperature's."""
        ...

    def drift_on(self, rng: np.random.Generator, elapsed_s: float = 0.0) -> None:
        """Let time pass between two moments."""
        ...

    def still(
        self,
        clean: CleanRender,
        rng: np.random.Generator,
        n: int,
        *,
        exposure: float = 1.0,
        number: int = 0,
        time_s: float = 0.0,
        fps: float = 30.0,
    ) -> Iterator[Frame]:
        """n frames of what stands still; what is the same for all of them is made once."""
        ...


def check_model(name: str) -> str:
    """The name of a sensor model.

    Raises:
        VisionError: no such model.
    """
    if name not in MODELS:
        raise VisionError(f"sensor model {name!r} is not known; choose one of {', '.join(MODELS)}")
    return name


def make_sensor(
    model: str, camera: VirtualCamera, rng: np.random.Generator, faults: Faults | None = None
) -> SensorModel:
    """A unit of this camera; ``rng`` draws what stays for its life (and its faults, where none are given).

    Raises:
        VisionError: no such model.
    """
    if check_model(model) == "stereo":
        from th_vision.virtual_table.stereo import StereoSensor

        return StereoSensor(camera, rng, faults)
    from th_vision.virtual_table.sensor import Sensor

    return Sensor(camera, rng, faults)


def shoot(
    scene: Scene,
    camera: VirtualCamera,
    sensor: SensorModel,
    rng: np.random.Generator,
    n: int,
    *,
    number: int = 0,
    time_s: float = 0.0,
    fps: float = 30.0,
    color: bool = True,
    elapsed_s: float = 0.0,
) -> list[Frame]:
    """n frames of a scene that stands still, after the drift since the moment before."""
    sensor.drift_on(rng, elapsed_s)
    exposure = float(1 + rng.normal(0, 1) * sensor.faults.exposure_jitter)
    clean = render_moment(scene, camera, color=color)
    return list(sensor.still(clean, rng, n, exposure=exposure, number=number, time_s=time_s, fps=fps))
