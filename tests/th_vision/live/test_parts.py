"""The small parts of live capture: shared memory, messages, settling, warming up, profiles, warnings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.th_vision.live.cameras import small_camera, small_frame
from th_vision.live import wire
from th_vision.live.backend import CaptureError, DeviceFacts, Exposure, Lens, Readings, Request, Shot
from th_vision.live.checks import warnings_of
from th_vision.live.profiles import Profile, choose
from th_vision.live.ring import Ring
from th_vision.live.settle import Settling
from th_vision.live.tolerances import SETTLE_LONGEST_S, SETTLE_S
from th_vision.live.warmup import Warmup

FACTS = DeviceFacts(
    name="Intel RealSense D435",
    serial="1",
    firmware="5.16.0.1",
    firmware_recommended="5.16.0.1",
    usb="3.2",
    depth_unit_m=float(np.float32(0.0001)),
    depth_unit_wanted_m=0.0001,
    depth=Lens(1280, 720, 640, 640, 640, 360),
    color=Lens(1920, 1080, 1300, 1300, 960, 540, "inverse_brown_conrady", (-0.0546, 0.0633, 0.0001, 0.0003, -0.0203)),
    T_color_depth=tuple(tuple(float(v) for v in row) for row in np.eye(4)),
    fps=15,
    depth_size_wanted=(1280, 720),
    color_size_wanted=(1920, 1080),
    emitter=True,
)


# --- the ring ---------------------------------------------------------------------------------------------------


def test_frames_go_through_shared_memory_whole() -> None:
    ring = Ring.create(slots=3, slot_bytes=2**16)
    other = Ring.attach(ring.handle)
    frame = small_frame(5)
    assert frame.color is not None
    ring.write(1, [frame.depth, frame.color])
    found = other.read(1, [(frame.depth.shape, "uint16"), (frame.color.shape, "uint8")])
    assert found is not None
    assert (found[0] == frame.depth).all()
    assert (found[1] == frame.color).all()


def test_a_frame_that_was_written_over_is_not_given() -> None:
    ring = Ring.create(slots=2, slot_bytes=2**16)
    for count in (1, 2, 3):
        ring.write(count, [small_frame(count).depth])
    kind = [((48, 64), "uint16")]
    assert ring.read(1, kind) is None
    assert ring.read(2, kind) is not None
    assert ring.read(4, kind) is None, "not written yet"


def test_a_frame_that_is_being_written_is_not_given() -> None:
    ring = Ring.create(slots=2, slot_bytes=2**16)
    depth = small_frame(1).depth
    ring.write(1, [depth])
    with pytest.raises(ValueError, match="does not fit"):
        ring.write(3, [np.zeros(2**16, np.uint8)])  # refused before a byte is written
    assert ring.read(1, [((48, 64), "uint16")]) is not None
    ring.close()
    assert ring.read(1, [((48, 64), "uint16")]) is None
    ring.close()


# --- messages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        wire.Beat("absent"),
        wire.Beat("running", Readings(temperature_c=31.5, emitter=False, notice="Left MIPI error")),
        wire.Opened(FACTS),
        wire.Locked({"color": Exposure(156.0, 64.0, 4600.0)}, settled=False),
        wire.FrameNote(3, 2, 66.6, 12.5, (48, 64), "uint16", None, -1, 0.0, same_clock=True),
        wire.FrameNote(3, 2, 66.6, 12.5, (48, 64), "uint16", (64, 96, 3), 2, 66.6, same_clock=False),
        wire.Trouble("busy", "in use"),
        wire.Ended(),
    ],
)
def test_messages_survive_the_way(message: wire.Message) -> None:
    assert wire.decode(wire.encode(message)) == message


@pytest.mark.parametrize(
    "line", [b"", b"\n", b"hello", b'{"is": "Beat"', b'{"is": "Nothing"}', b"[]", b'{"is": "Beat"}']
)
def test_what_a_library_prints_is_no_message(line: bytes) -> None:
    assert wire.decode(line) is None


# --- settling ---------------------------------------------------------------------------------------------------


def shot(level: float, exposure: float) -> Shot:
    color = np.full((48, 48, 3), level, np.uint8)
    return Shot(0, 0.0, np.zeros((2, 2), np.uint16), color, exposures={"color": Exposure(exposure, 64.0, 4600.0)})


def test_exposure_is_fixed_when_it_stands_still() -> None:
    settling = Settling()
    for k in range(30):  # finding its place
        assert settling.look(shot(60 + 2 * k, 100 + 10 * k), k / 30) is None
    verdict, k = None, 30
    while verdict is None:
        verdict = settling.look(shot(120, 400), k / 30)
        k += 1
    assert verdict.settled
    assert verdict.exposures == {"color": Exposure(400, 64.0, 4600.0)}
    assert SETTLE_S <= (k - 30) / 30 < SETTLE_S + 0.2


def test_a_flickering_lamp_is_fixed_in_the_end_and_said() -> None:
    settling = Settling()
    for k in range(10000):
        verdict = settling.look(shot(100 + 20 * (k % 2), 300), k / 30)
        if verdict is not None:
            break
    assert not verdict.settled
    assert k / 30 == pytest.approx(SETTLE_LONGEST_S, abs=0.1)


# --- warming up -------------------------------------------------------------------------------------------------


def drifting(mm_per_min: float, seconds: int, disturbed: bool = False) -> Warmup:
    rng = np.random.default_rng(3101)
    warmup = Warmup(small_camera())
    for second in range(seconds):
        mm = 600 + mm_per_min * second / 60 + rng.normal(0, 1.0, (48, 64))
        if disturbed and second > seconds / 2:
            mm[:20, :30] -= 40  # a hand, and pieces that it leaves
        assert warmup.wants(second)
        warmup.look(second, (mm * 10).astype(np.uint16))
        assert not warmup.wants(second + 0.5)
    return warmup


@pytest.mark.parametrize(("mm_per_min", "warm"), [(0.0, True), (0.05, True), (0.5, False), (-1.0, False)])
def test_warm_is_when_depth_no_longer_drifts(mm_per_min: float, warm: bool) -> None:
    warmup = drifting(mm_per_min, 70)
    assert warmup.warm is warm
    assert warmup.drift_mm_per_min == pytest.approx(mm_per_min, abs=0.08)


def test_a_hand_over_the_table_is_no_drift() -> None:
    assert drifting(0.0, 70, disturbed=True).warm


def test_nothing_is_said_before_there_is_enough_to_see() -> None:
    assert drifting(0.0, 10).drift_mm_per_min is None
    dark = Warmup(small_camera())
    for second in range(40):
        dark.look(second, np.zeros((48, 64), np.uint16))
    assert not dark.warm


# --- profiles ---------------------------------------------------------------------------------------------------

Z, C = "z16", "bgr8"
USB3 = (
    [Profile(w, h, f, Z) for w, h in ((1280, 720), (848, 480)) for f in (6, 15, 30)],
    [Profile(w, h, f, C) for w, h in ((1920, 1080), (1280, 720)) for f in (6, 15, 30)],
)
USB2 = ([Profile(1280, 720, 6, Z), Profile(640, 480, 15, Z)], [Profile(1280, 720, 6, C)])


@pytest.mark.parametrize(
    ("profiles", "wish", "depth", "color"),
    [
        (USB3, Request(), (1280, 720, 15), (1920, 1080)),
        (USB3, Request(fps=30), (1280, 720, 30), (1920, 1080)),
        (USB3, Request(fps=20), (1280, 720, 15), (1920, 1080)),
        (USB3, Request(depth_size=(848, 480), color_size=(1280, 720)), (848, 480, 15), (1280, 720)),
        (USB2, Request(), (1280, 720, 6), (1280, 720)),
        (([Profile(848, 480, 90, Z)], [Profile(640, 480, 90, "rgb8")]), Request(), (848, 480, 90), (640, 480)),
        (([Profile(848, 480, 30, Z), Profile(848, 480, 30, "disparity16")], []), Request(), (848, 480, 30), None),
    ],
)  # fmt: skip
def test_the_largest_profile_that_depth_and_colour_share(profiles: Any, wish: Request, depth: Any, color: Any) -> None:
    one, other = choose(*profiles, wish)
    assert (one.width, one.height, one.fps) == depth
    assert (other and (other.width, other.height)) == color
    assert other is None or other.fps == one.fps


@pytest.mark.parametrize("profiles", [([], USB3[1]), ([Profile(848, 480, 90, Z)], [Profile(640, 480, 30, C)])])
def test_a_camera_that_can_not_do_it_is_refused(profiles: Any) -> None:
    with pytest.raises(CaptureError, match="camera offers no depth") as caught:
        choose(*profiles, Request())
    assert caught.value.kind == "profile"


# --- warnings ---------------------------------------------------------------------------------------------------


def test_a_camera_as_it_should_be_gives_no_warning() -> None:
    assert warnings_of(FACTS, 40.0) == ()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"usb": "2.1"}, "USB 2.1: use a USB 3 port"),
        ({"depth": replace(FACTS.depth, width=848, height=480)}, "depth is 848x480 only"),
        ({"color": None}, "no colour"),
        ({"color": replace(FACTS.depth, width=640, height=480)}, "colour is 640x480 only"),
        ({"fps": 6}, "only 6 frames a second"),
        ({"depth_unit_m": 0.001}, "the depth unit is 1 mm, not 0.1 mm as asked for"),
        ({"emitter": False}, "projector is off"),
        ({"firmware": "5.9.2.0"}, "firmware 5.9.2.0 is older than 5.16.0.1"),
        ({"notes": ("flicker could not be set (x)",)}, "flicker could not be set"),
        ({"depth": replace(FACTS.depth, model="no_such_model", coeffs=(1, 0, 0, 0, 0))}, "not known"),
    ],
)
def test_each_thing_that_is_not_as_it_should_be_is_said(changes: dict[str, Any], says: str) -> None:
    (warning,) = warnings_of(replace(FACTS, **changes), None)
    assert says in warning


def test_heat_is_said() -> None:
    (warning,) = warnings_of(FACTS, 63.0)
    assert "63 degrees" in warning
