"""What a model of the depth camera is, and the two there are: ``fast`` and ``stereo``.

``fast`` takes true disparity through the faults that were measured one by one; ``stereo`` draws the pair of infrared
pictures and matches them, so that the same faults come about by themselves. One checks the other.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.faults import Faults
from th_vision.virtual_table.render import render_moment
from th_vision.virtual_table.scene import Scene
from th_vision.virtual_table.unit import Unit

MODELS = {
    "fast": "true disparity through the measured faults; milliseconds a frame",
    "stereo": "a pair of infrared pictures with projected dots, matched; seconds a frame",
}


# One unit of a depth camera in one session, of either model: ``drift_on`` lets time pass, ``still`` gives frames.
SensorModel: TypeAlias = Unit[Any]


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
