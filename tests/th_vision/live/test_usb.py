"""What Linux says of a camera: that it is plugged in, whether we may use it, and who holds it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from th_vision.live.backend import CaptureError
from th_vision.live.usb import (
    Holder,
    UsbCamera,
    explain_absent,
    explain_refused,
    has_udev_rule,
    holders,
    udev_advice,
    udev_rule,
    usb_cameras,
)


def plug(root: Path, port: str, product: str, speed: str = "5000", vendor: str = "8086") -> Path:
    """A made-up /sys and /dev with a device on a port; gives its node."""
    device = root / "sys/bus/usb/devices" / port
    (device / "1-1:1.0/video4linux/video2").mkdir(parents=True)
    for name, text in (
        ("idVendor", vendor),
        ("idProduct", product),
        ("busnum", "2"),
        ("devnum", "7"),
        ("speed", speed),
    ):
        (device / name).write_text(text + "\n")
    node = root / "dev/bus/usb/002/007"
    node.parent.mkdir(parents=True, exist_ok=True)
    node.touch()
    (root / "dev/video2").touch()
    return node


def test_cameras_are_found_without_the_sdk(tmp_path: Path) -> None:
    node = plug(tmp_path, "2-1", "0b07")
    plug(tmp_path, "2-2", "8087")  # Intel's, and no camera
    plug(tmp_path, "2-3", "0b07", vendor="046d")
    (camera,) = usb_cameras(tmp_path / "sys", tmp_path / "dev")
    assert camera == UsbCamera("D435", 5000.0, node, True, (tmp_path / "dev/video2",))
    assert camera.usb3


def test_usb_2_is_seen_by_its_speed(tmp_path: Path) -> None:
    plug(tmp_path, "1-1", "0ad3", speed="480")
    (camera,) = usb_cameras(tmp_path / "sys", tmp_path / "dev")
    assert (camera.model, camera.usb3) == ("D415", False)


def test_no_usb_at_all(tmp_path: Path) -> None:
    assert usb_cameras(tmp_path / "sys", tmp_path / "dev") == []
    assert holders([tmp_path / "dev/video2"], tmp_path / "proc") == []
    assert not has_udev_rule([tmp_path])


def test_a_device_that_vanishes_while_it_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "sys/bus/usb/devices/2-1").mkdir(parents=True)
    assert usb_cameras(tmp_path / "sys", tmp_path / "dev") == []


def test_who_holds_the_camera(tmp_path: Path) -> None:
    node = plug(tmp_path, "2-1", "0b07")
    for pid, name, target in ((4711, "realsense-viewe", node), (4712, "bash", tmp_path / "other")):
        (tmp_path / f"proc/{pid}/fd").mkdir(parents=True)
        (tmp_path / f"proc/{pid}/comm").write_text(name + "\n")
        os.symlink(target, tmp_path / f"proc/{pid}/fd/5")
    (tmp_path / "proc/meminfo").touch()
    (holder,) = holders([node], tmp_path / "proc")
    assert str(holder) == "realsense-viewe (process 4711)"


def test_a_process_of_our_own_that_holds_a_file_is_found(tmp_path: Path) -> None:
    file = tmp_path / "node"
    file.touch()
    with file.open() as held:
        pid = os.fork()
        if pid == 0:
            signal.pause()
        try:
            assert pid in [holder.pid for holder in holders([Path(held.name)])]
        finally:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


def test_a_missing_rule_is_told_with_the_line_to_run(tmp_path: Path) -> None:
    camera = UsbCamera("D435", 5000.0, tmp_path / "node", usable=False)
    with pytest.raises(CaptureError, match="you may not use it; run: echo 'SUBSYSTEMS") as caught:
        explain_absent([camera])
    assert caught.value.kind == "permission"
    assert "udevadm control --reload" in udev_advice()
    explain_absent([])
    explain_absent([UsbCamera("D435", 5000.0, tmp_path / "node", usable=True)], [])


WHO = [Holder(4711, "realsense-viewe")]


def test_a_camera_that_the_sdk_does_not_show_may_be_in_use(tmp_path: Path) -> None:
    camera = UsbCamera("D435", 5000.0, tmp_path / "node", usable=True)
    with pytest.raises(CaptureError, match=r"in use by realsense-viewe \(process 4711\); end that program") as caught:
        explain_absent([camera], WHO)
    assert caught.value.kind == "busy"


def test_a_rule_is_known_by_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "50-other.rules").write_text('ATTRS{idVendor}=="8086", ATTRS{idProduct}=="ffff"\n')
    assert not has_udev_rule([tmp_path])
    (tmp_path / "99-mine.rules").write_text(udev_rule())
    assert has_udev_rule([tmp_path])
    assert '"8086"' in udev_rule()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("xioctl(VIDIOC_S_FMT) failed, errno=16 Last Error: Device or resource busy", "busy"),
        ("failed to set power state", "busy"),
        ("hwmon command 0x6d( 1 0 0 0 ) failed", "failed"),
    ],
)
def test_what_a_refused_start_means(tmp_path: Path, text: str, kind: str) -> None:
    mine, others = (UsbCamera("D435", 5000.0, tmp_path / "node", usable=usable) for usable in (True, False))
    error = explain_refused(text, [mine], WHO)
    assert error.kind == kind
    assert text in str(error)
    assert ("realsense-viewe" in str(error)) == (kind == "busy")
    assert explain_refused(text, [others], []).kind == ("permission" if kind == "busy" else "failed")
    assert "another program" in str(explain_refused(text, [mine], [])) or kind == "failed"
