"""The real SDK feeds the real capture code, from its software device: what it streams arrives bit by bit."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.th_vision.live.cameras import (
    COLOR,
    DEPTH,
    FIRST_DEPTH,
    FPS,
    open_software,
    small_camera,
    small_frame,
)
from th_vision.errors import VisionError
from th_vision.live.backend import CaptureError, Exposure, Lens, Request, Shot
from th_vision.live.faulty import note_of
from th_vision.live.gate import Gate, Passed
from th_vision.live.sdk import SdkCamera
from th_vision.live.software import SoftwareCamera, SoftwareSetup, setup_of

rs = pytest.importorskip("pyrealsense2", reason="no wheel of pyrealsense2 here")

SETUP = setup_of(small_camera())
WISH = Request(depth_size=DEPTH, color_size=COLOR, fps=30)
# Options of a real depth sensor: least, most, step, at first.
OPTIONS = {
    "emitter_enabled": (0.0, 2.0, 1.0, 0.0),
    "laser_power": (0.0, 360.0, 30.0, 150.0),
    "enable_auto_exposure": (0.0, 1.0, 1.0, 0.0),
    "exposure": (1.0, 165000.0, 1.0, 8500.0),
    "gain": (16.0, 248.0, 1.0, 16.0),
    "visual_preset": (0.0, 5.0, 1.0, 3.0),
    "global_time_enabled": (0.0, 1.0, 1.0, 1.0),
    "asic_temperature": (-40.0, 125.0, 0.0, 41.0),
}


class Rig:
    """A software device and the capture code on it, in this process: frames are pushed one by one."""

    def __init__(self, setup: SoftwareSetup = SETUP, request: Request = WISH) -> None:
        self.device = SoftwareCamera(rs, setup)
        self.context = self.device.context()
        self.camera = SdkCamera(rs, request, lambda: self.context)
        self.facts = self.camera.open()

    def shot(self, index: int, **times: Any) -> Shot:
        frame = small_frame(index)
        self.device.push(frame.depth, frame.color, index, 1000 + index * 1000 / FPS, **times)
        found = self.camera.wait(2000)
        assert found is not None
        return found

    def option(self, name: str) -> float:
        return float(self.device.depth_sensor.get_option(getattr(rs.option, name)))


def test_through_process_and_shared_memory_bit_by_bit() -> None:
    camera = open_software()
    frames = list(itertools.islice(iter(camera), 8))
    camera.close()
    for frame in frames:
        same = small_frame(int(frame.depth[1, 1]) - FIRST_DEPTH)
        assert (frame.depth == same.depth).all()
        assert frame.color is not None
        assert same.color is not None
        assert (frame.color == same.color).all()
    steps = {round((b.time_s - a.time_s) * FPS) - (b.number - a.number) for a, b in itertools.pairwise(frames)}
    assert steps == {0}, "times are the camera's own"
    state = camera.state
    assert (state.serial, state.model, state.usb, state.firmware) == ("F1", "D435", "3.2", "5.16.0.1")
    assert (state.frames_refused, state.colors_refused, state.restarts) == (0, 0, 0)
    assert camera.camera.color is not None
    assert small_camera().color is not None
    assert camera.camera.color.distortion == pytest.approx(small_camera().color.distortion, abs=1e-6)  # type: ignore[union-attr] # just asserted
    assert np.allclose(camera.camera.T_color_depth, small_camera().T_color_depth, atol=1e-4)


@pytest.mark.parametrize("unit_m", [0.0001, 0.001, 0.00025])
def test_the_depth_unit_is_read_back_not_assumed(unit_m: float) -> None:
    rig = Rig(replace(SETUP, depth_unit_m=unit_m))
    assert rig.facts.depth_unit_m == pytest.approx(unit_m, rel=1e-6)
    assert rig.facts.depth_unit_wanted_m == 0.0001
    rig.camera.close()


def test_a_coarse_depth_unit_is_said() -> None:
    camera = open_software(replace(SETUP, depth_unit_m=0.001))
    camera.close()
    assert camera.camera.depth_unit_mm == 1.0
    assert any("depth unit is 1 mm" in line for line in camera.state.warnings)


def test_lenses_and_the_place_of_colour_are_the_sdks() -> None:
    T = np.eye(4)
    T[:3, :3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    T[:3, 3] = [0.015, -0.002, 0.001]
    color = Lens(*COLOR, 61.0, 62.0, 47.0, 31.0, "inverse_brown_conrady", (0.1, -0.2, 0.01, 0.02, 0.03))
    rig = Rig(replace(SETUP, color=color, T_color_depth=T))
    rig.camera.close()
    assert np.allclose(rig.facts.T_color_depth, T, atol=1e-7), "the SDK's matrix is column by column"
    assert rig.facts.color is not None
    assert rig.facts.color.model == "inverse_brown_conrady"
    assert rig.facts.color.coeffs == pytest.approx(color.coeffs)
    assert (rig.facts.color.fx, rig.facts.color.ppy) == (61.0, 31.0)


def test_depth_and_colour_of_one_moment_come_together() -> None:
    rig = Rig()
    for index in range(4):
        shot = rig.shot(index)
        assert (shot.number, shot.color_number) == (index, index)
        assert shot.time_ms == shot.color_time_ms == pytest.approx(1000 + index * 1000 / FPS)
        assert shot.same_clock
    rig.camera.close()


def test_a_camera_without_colour() -> None:
    rig = Rig(replace(SETUP, color=None))
    assert rig.facts.color is None
    assert rig.shot(0).color is None
    rig.camera.close()


def test_colour_missing_for_a_while_leaves_depth_and_no_old_picture() -> None:
    """The SDK waits some frames for the missing picture, then gives its last one again and again: that is refused."""
    rig = Rig()
    gate = Gate(DEPTH, COLOR, FPS)
    passed = []
    for index in range(40):
        frame = small_frame(index)
        there = index < 5 or index >= 30
        rig.device.push(frame.depth, frame.color if there else None, index, 1000 + index * 1000 / FPS)
        shot = rig.camera.wait(100 if there else 20)
        if shot is not None:
            verdict = gate.judge(note_of(shot, index + 1, 100 + index / FPS))
            assert isinstance(verdict, Passed)
            passed.append((shot.number, verdict.color))
    rig.camera.close()
    assert {number for number, color in passed if color} == {*range(5), *range(30, 40)}
    assert len([number for number, color in passed if not color]) >= 15
    assert gate.colors_refused >= 15


def test_no_frames_is_none_and_no_hang() -> None:
    rig = Rig()
    assert rig.camera.wait(50) is None
    assert rig.camera.connected()
    rig.camera.close()


def test_more_frames_than_the_sdks_pool_holds() -> None:
    """Sixteen frames are all that the SDK has: none of them is kept."""
    rig = Rig()
    kept = [np.array(rig.shot(index).depth) for index in range(60)]
    assert [int(depth[1, 1]) - FIRST_DEPTH for depth in kept] == list(range(60))
    rig.camera.close()


def test_options_are_set_and_read_back() -> None:
    rig = Rig(replace(SETUP, options=OPTIONS))
    assert rig.facts.emitter is True
    assert rig.facts.laser_mw == 150.0
    assert rig.option("visual_preset") == 1.0, "the default one"
    assert rig.option("global_time_enabled") == 0.0
    assert rig.option("enable_auto_exposure") == 1.0, "until it has settled"
    assert rig.facts.notes == ()
    rig.camera.lock({"depth": Exposure(exposure=6123.0, gain=32.0)})
    assert rig.option("enable_auto_exposure") == 0.0
    assert (rig.option("exposure"), rig.option("gain")) == (6123.0, 32.0)
    assert rig.camera.readings().temperature_c == 41.0
    rig.device.depth_sensor.set_option(rs.option.emitter_enabled, 0.0)
    assert rig.camera.readings().emitter is False
    rig.camera.close()


def test_an_exposure_out_of_range_is_brought_into_it() -> None:
    rig = Rig(replace(SETUP, options=OPTIONS))
    rig.camera.lock({"depth": Exposure(exposure=1e9, gain=1.0)})
    assert (rig.option("exposure"), rig.option("gain")) == (165000.0, 16.0)
    rig.camera.close()


def test_an_exposure_that_nobody_tells_is_left_to_the_camera() -> None:
    """Switched off without a value, it would jump to whatever was set by hand some day."""
    rig = Rig(replace(SETUP, options=OPTIONS))
    (note,) = rig.camera.lock({"depth": Exposure()})
    assert note == "auto exposure can't be fixed: the camera does not tell what it is"
    assert rig.option("enable_auto_exposure") == 1.0
    rig.camera.close()


def test_a_camera_that_another_program_has_is_busy() -> None:
    """It must not be reset: that would hit the other program."""
    rig = Rig()
    rig.camera.close()

    def refuse(*_: Any) -> Any:
        raise RuntimeError("failed to set power state")

    rig.camera._profiles = refuse  # type: ignore[method-assign] # the first call that reaches the device
    with pytest.raises(CaptureError, match="in use by another program") as caught:
        rig.camera.open()
    assert caught.value.kind == "busy"


def test_what_automatic_exposure_arrived_at_comes_with_each_frame_until_it_is_fixed() -> None:
    rig = Rig()
    value = rs.frame_metadata_value
    for key, number in ((value.actual_exposure, 156), (value.gain_level, 64), (value.white_balance, 4600)):
        rig.device.color_sensor.set_metadata(key, number)  # type: ignore[union-attr] # this device has colour
    rig.shot(0)
    assert rig.shot(1).exposures["color"] == Exposure(156.0, 64.0, 4600.0)
    rig.camera.lock({})
    assert rig.shot(2).exposures == {}
    rig.camera.close()


def test_a_complaint_of_the_camera_is_heard() -> None:
    class Complaint:
        severity, description = "log_severity.error", "Left MIPI\n error"

    rig = Rig()
    rig.camera._hear(Complaint())
    assert rig.camera.readings().notice == "Left MIPI error"
    rig.camera.close()


def test_no_such_serial_number() -> None:
    device = SoftwareCamera(rs, SETUP)
    context = device.context()
    assert not SdkCamera(rs, replace(WISH, serial="0815"), lambda: context).present()
    assert SdkCamera(rs, replace(WISH, serial="F1"), lambda: context).present()


def test_two_cameras_and_no_word_which() -> None:
    one, two = SoftwareCamera(rs, SETUP), SoftwareCamera(rs, replace(SETUP, serial="F2"))
    context = one.context()
    two.device.add_to(context)
    with pytest.raises(CaptureError, match=r"2 cameras are connected .*; say which: realsense:F") as caught:
        SdkCamera(rs, WISH, lambda: context).present()
    assert caught.value.kind == "several"
    assert SdkCamera(rs, replace(WISH, serial="F2"), lambda: context).present()


def test_a_camera_without_the_wished_size_takes_the_largest_and_says_so() -> None:
    camera = open_software(request=Request(fps=30))
    camera.close()
    assert (camera.camera.depth.width, camera.camera.depth.height) == DEPTH
    assert any("depth is 64x48 only" in line for line in camera.state.warnings)


def test_a_device_without_depth_is_no_camera() -> None:
    webcam = rs.software_device()
    webcam.register_info(rs.camera_info.serial_number, "W1")
    webcam.add_sensor("RGB Camera")
    context, kept = rs.context(), []
    context.set_devices_changed_callback(lambda info: kept.append(info.get_new_devices()))
    webcam.add_to(context)
    assert not SdkCamera(rs, WISH, lambda: context).present()


def test_frames_of_another_size_are_refused_before_the_sdk_reads_past_their_end() -> None:
    device = SoftwareCamera(rs, SETUP)
    with pytest.raises(ValueError, match="a frame of"):
        device.push(np.zeros((4, 4), np.uint16), None, 0, 0.0)


# --- recordings -------------------------------------------------------------------------------------------------


def test_recorded_and_played_back_bit_by_bit(tmp_path: Path) -> None:
    from th_vision.live.db3_writer import write_db3
    from th_vision.sources import open_source

    frames = [replace(small_frame(index), number=index + 3, time_s=50 + index / FPS) for index in range(20)]
    camera = small_camera(depth_unit_mm=0.25)
    assert write_db3(tmp_path / "a.db3", camera, frames) == 20
    source = open_source(str(tmp_path / "a.db3"))
    played = list(source)
    assert [frame.number for frame in played] == [frame.number for frame in frames]
    assert np.allclose([frame.time_s for frame in played], [frame.time_s for frame in frames], atol=1e-6)
    for one, other in zip(played, frames, strict=True):
        assert (one.depth == other.depth).all()
        assert one.color is not None
        assert other.color is not None
        assert (one.color == other.color).all()
    assert source.camera.depth_unit_mm == 0.25
    assert source.camera.depth == camera.depth
    assert source.camera.serial == "F1"
    assert [file.name for file in tmp_path.iterdir()] == ["a.db3"]


def test_writing_where_it_can_not_be(tmp_path: Path) -> None:
    from th_vision.live.db3_writer import write_db3

    with pytest.raises(VisionError, match="must be named"):
        write_db3(tmp_path / "a.bag", small_camera(), [])
    with pytest.raises(VisionError, match="can't be written"):
        write_db3(tmp_path / "nowhere" / "a.db3", small_camera(), [small_frame(0)])
