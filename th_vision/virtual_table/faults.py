"""How far one unit of a depth camera is off, as numbers: drawn once, valid for its life."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Faults:
    """How large this unit's faults are. Ranges are those measured on D400 cameras.

    ``ripple_share``: peak to peak, share of Z. ``locking_px``: amplitude of pixel locking. ``scale_error``: share of
    Z. ``drift_mm``: sd of the walk of the offset between moments; ``drift_tilt_px``: the same for tilt, at the rim.
    ``color_noise``: sd, grey levels. ``noise_gain``: factor on the surfaces' temporal noise.
    ``kernel_gain``: factor on the model's matching kernel. ``wander``: how far the fixed pattern walks between
    moments, share of the surface's temporal noise.

    ``warm_up_K``: how far the unit is below its working temperature when the session begins; ``warm_up_s``: time in
    which it makes up all but a third of that; ``scale_per_K``: share of Z that depth is off for each kelvin.

    ``exposure``: factor on the light that the colour camera was set to; ``white_balance``: gains of B, G, R.
    ``flicker``: amplitude of the lamp's light, share; ``flicker_hz``: its frequency (twice the mains').
    """

    ripple_share: float = 0.008
    locking_px: float = 0.025
    scale_error: float = 0.003
    drift_mm: float = 0.15
    drift_limit_mm: float = 1.0
    drift_tilt_px: float = 0.01
    color_noise: float = 2.0
    exposure_jitter: float = 0.008
    noise_gain: float = 1.0
    holes_gain: float = 1.0
    vignetting: float = 0.18
    kernel_gain: float = 1.0
    wander: float = 0.16
    warm_up_K: float = 0.0  # noqa: N815 - kelvin
    warm_up_s: float = 900.0
    scale_per_K: float = 0.0004  # noqa: N815 - per kelvin
    exposure: float = 1.0
    white_balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    flicker: float = 0.0
    flicker_hz: float = 100.0


NO_FAULTS = Faults(
    ripple_share=0,
    locking_px=0,
    scale_error=0,
    drift_mm=0,
    drift_limit_mm=0,
    drift_tilt_px=0,
    color_noise=0,
    exposure_jitter=0,
    noise_gain=0,
    holes_gain=0,
    vignetting=0,
    wander=0,
    scale_per_K=0,
)


def draw_faults(rng: np.random.Generator) -> Faults:
    """A unit as it may come out of the box, at its working temperature."""
    return Faults(
        ripple_share=float(rng.uniform(0.005, 0.012)),
        locking_px=float(rng.uniform(0.01, 0.05)),
        scale_error=float(np.clip(rng.normal(0, 0.004), -0.02, 0.02)),
        noise_gain=float(rng.uniform(0.85, 1.15)),
        kernel_gain=float(np.clip(rng.normal(1, 0.04), 0.9, 1.1)),
    )


def light_gains(off_K: float) -> tuple[float, float, float]:
    """Gains of B, G, R where the light is ``off_K`` kelvin bluer (negative: redder) than the 5000 that was set.

    A black body's light at 450, 540 and 610 nm (Planck), green kept.
    """
    mired = [1e6 / 5000, 1e6 / (5000 + off_K)]
    second_constant_nm_K = 1.4388e7
    blue, green, red = (
        math.exp(second_constant_nm_K / nm * (mired[0] - mired[1]) / 1e6) for nm in (450.0, 540.0, 610.0)
    )
    return blue / green, 1.0, red / green
