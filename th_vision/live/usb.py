"""What Linux says of a camera without the SDK: is it plugged in, may we use it, who holds it.

On other systems these give nothing. ``sys`` and ``proc`` are arguments for tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from th_vision.live.backend import CaptureError

SYS, PROC, DEV = Path("/sys"), Path("/proc"), Path("/dev")
RULE_FOLDERS = (
    Path("/etc/udev/rules.d"),
    Path("/run/udev/rules.d"),
    Path("/usr/lib/udev/rules.d"),
    Path("/lib/udev/rules.d"),
)
RULE_FILE = "/etc/udev/rules.d/99-realsense-libusb.rules"

_VENDOR = "8086"  # Intel; RealSense's own company keeps the number
# Product numbers of the D400 family, as Linux shows them.
PRODUCTS = {
    "0ad3": "D415",
    "0ad4": "D430",
    "0b07": "D435",
    "0b3a": "D435I",
    "0b5b": "D405",
    "0b5c": "D455",
    "0b64": "L515",
    "1155": "D421",
    "0adb": "D400 in recovery mode",
}
# USB speed in Mbit/s below which a port is USB 2.
_USB3_MBIT = 5000.0

NO_CAMERA = "no RealSense camera is connected; plug it into a USB 3 port (th-vision doctor says more)"


@dataclass(frozen=True)
class UsbCamera:
    """A RealSense on the USB. ``node`` is its file under /dev, ``usable`` whether we may write it.

    Its USB serial number is the chip's, another one than the SDK's, so cameras are not told apart here.
    """

    model: str
    mbit: float
    node: Path
    usable: bool
    videos: tuple[Path, ...] = ()

    @property
    def usb3(self) -> bool:
        """Whether the port and the cable are fast enough."""
        return self.mbit >= _USB3_MBIT


@dataclass(frozen=True)
class Holder:
    """A process that has a camera open."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


def usb_cameras(sys: Path = SYS, dev: Path = DEV) -> list[UsbCamera]:
    """All RealSense cameras that are plugged in."""
    found = []
    for device in _listed(sys / "bus/usb/devices"):
        product = _text(device / "idProduct").lower()
        if _text(device / "idVendor").lower() != _VENDOR or product not in PRODUCTS:
            continue
        bus, number = _text(device / "busnum"), _text(device / "devnum")
        node = dev / "bus/usb" / bus.zfill(3) / number.zfill(3)
        videos = sorted(dev / video.name for video in device.glob("*/video4linux/video*"))
        speed = _text(device / "speed")
        mbit = float(speed) if speed.replace(".", "", 1).isdigit() else 0.0
        usable = os.access(node, os.R_OK | os.W_OK) and all(os.access(v, os.R_OK | os.W_OK) for v in videos)
        found.append(UsbCamera(PRODUCTS[product], mbit, node, usable, tuple(videos)))
    return found


def holders(nodes: Iterable[Path], proc: Path = PROC) -> list[Holder]:
    """Which processes have one of these files open (of other users' processes only root can tell)."""
    wanted = {str(node) for node in nodes}
    found = []
    for process in _listed(proc):
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        for link in _listed(process / "fd"):
            try:
                target = os.readlink(link)
            except OSError:
                continue
            if target in wanted:
                found.append(Holder(int(process.name), _text(process / "comm") or "a program"))
                break
    return sorted(found, key=lambda holder: holder.pid)


def udev_rule() -> str:
    """The rule that lets everyone at the table use the camera, one line."""
    products = "|".join(PRODUCTS)
    return f'SUBSYSTEMS=="usb", ATTRS{{idVendor}}=="{_VENDOR}", ATTRS{{idProduct}}=="{products}", MODE:="0666"'


def udev_advice() -> str:
    """What to type where the rule is missing."""
    return (
        f"run: echo '{udev_rule()}' | sudo tee {RULE_FILE} && sudo udevadm control --reload && sudo udevadm trigger, "
        "then plug the camera in again"
    )


def has_udev_rule(folders: Iterable[Path] = RULE_FOLDERS) -> bool:
    """Whether some rule names RealSense cameras."""
    for folder in folders:
        for file in _listed(folder):
            if file.suffix != ".rules":
                continue
            text = _text(file).lower()
            if _VENDOR in text and any(product in text for product in PRODUCTS):
                return True
    return False


_BUSY = ("busy", "errno=16", "failed to set power state", "access", "errno=13")


def explain_absent(cameras: list[UsbCamera] | None = None, who: list[Holder] | None = None) -> None:
    """Raise where a camera is plugged in that the SDK doesn't show us; the arguments are for tests.

    Raises:
        CaptureError: we may not use it (the udev rule is missing), or another program has it.
    """
    found = usb_cameras() if cameras is None else cameras
    for camera in found:
        if not camera.usable:
            raise CaptureError("permission", f"a {camera.model} is plugged in, but you may not use it; {udev_advice()}")
    holding = _who_holds(found) if who is None else who
    if found and holding:
        raise CaptureError("busy", f"the camera is in use by {_named(holding)}; end that program")


def explain_refused(text: str, cameras: list[UsbCamera] | None = None, who: list[Holder] | None = None) -> CaptureError:
    """What a refused start means: we may not, it is busy (and by whom), or it just failed."""
    if not any(word in text.lower() for word in _BUSY):
        return CaptureError("failed", f"the camera did not start ({text})")
    found = usb_cameras() if cameras is None else cameras
    if any(not camera.usable for camera in found):
        return CaptureError("permission", f"you may not use the camera ({text}); {udev_advice()}")
    holding = _who_holds(found) if who is None else who
    by = f"by {_named(holding)}" if holding else "by another program (as root, th-vision doctor can say which)"
    return CaptureError("busy", f"the camera is in use {by}; end that program ({text})")


def _who_holds(cameras: list[UsbCamera]) -> list[Holder]:
    return holders([node for camera in cameras for node in (camera.node, *camera.videos)])


def _named(who: list[Holder]) -> str:
    return ", ".join(map(str, who))


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
