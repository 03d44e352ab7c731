"""Where frames come from: ``open_source`` turns what a user wrote as SOURCE into a source of frames."""

from __future__ import annotations

from pathlib import Path

from calibration.camera import Camera, Intrinsics
from calibration.table import TableCalibration
from th_vision.errors import VisionError
from th_vision.frame import Source
from th_vision.tolerances import SAME_CAMERA_PX

CLOUD_SUFFIXES = (".ply", ".pcd")
FORMS = "a folder of images, a .ply or .pcd cloud, or sim:seed=7"


def open_source(spec: str, *, frame: str = "camera", table: TableCalibration | None = None) -> Source:
    """The source that ``spec`` names, in any of the contract's forms.

    ``frame`` says in which frame a point cloud is: ``camera`` (metres) or ``table`` (mm). ``table`` is the calibration
    that its frames will be read with: a cloud is projected into that camera, any other source must come from it.

    Raises:
        VisionError: there is no such source, it can't be read, or it comes from another camera than ``table``.
    """
    source = _open(spec, frame, table)
    if table is not None:
        check_same_camera(source, table)
    return source


def _open(spec: str, frame: str, table: TableCalibration | None) -> Source:
    kind = spec.partition(":")[0]
    if kind == "sim":
        from th_vision.sources.sim import open_sim

        return open_sim(spec)
    if kind == "realsense":
        raise VisionError(f"{spec}: live cameras are not yet in this version; give {FORMS}")
    path = Path(spec)
    suffix = path.suffix.lower()
    if not spec or not path.exists():
        raise VisionError(f"{spec or 'SOURCE'}: there is no such file or folder; give {FORMS}")
    if path.is_dir():
        from th_vision.sources.image_folder import ImageFolder

        return ImageFolder(path)
    if suffix in CLOUD_SUFFIXES:
        from th_vision.sources.point_cloud import PointCloud

        return PointCloud(path, frame=frame, table=table)
    if suffix == ".mcap":
        raise VisionError(f"{spec}: .mcap recordings are not yet in this version; give {FORMS}")
    if suffix in (".db3", ".bag"):
        raise VisionError(f"{spec}: RealSense {suffix} recordings are not yet in this version; give {FORMS}")
    raise VisionError(f"{spec}: is no kind of source that is known; give {FORMS}")


def check_same_camera(source: Source, table: TableCalibration) -> None:
    """Refuse frames of one camera with the calibration of another.

    Raises:
        VisionError: serial number, picture size, intrinsics or depth unit differ.
    """
    ours, theirs = source.camera, table.camera
    difference = _difference(ours, theirs)
    if difference:
        raise VisionError(
            f"{source.name}: the calibration is of another camera ({difference}); calibrate with this camera "
            "(th-vision calibrate table) or give its own --calibration"
        )


def _difference(ours: Camera, theirs: Camera) -> str:
    """In which way two cameras differ, in words; empty where they are the same."""
    if ours.serial and theirs.serial and ours.serial != theirs.serial:
        return f"serial {theirs.serial}, the recording's is {ours.serial}"
    depth = _intrinsics_difference("depth", ours.depth, theirs.depth)
    if depth:
        return depth
    if ours.color is not None and theirs.color is not None:
        color = _intrinsics_difference("colour", ours.color, theirs.color)
        if color:
            return color
    if abs(ours.depth_unit_mm - theirs.depth_unit_mm) > 1e-4 * theirs.depth_unit_mm:
        return f"depth unit {theirs.depth_unit_mm:g} mm, the recording's is {ours.depth_unit_mm:g} mm"
    return ""


def _intrinsics_difference(what: str, ours: Intrinsics, theirs: Intrinsics) -> str:
    if (ours.width, ours.height) != (theirs.width, theirs.height):
        return f"{what} {theirs.width}x{theirs.height} px, the recording's is {ours.width}x{ours.height}"
    for key in ("fx", "fy", "cx", "cy"):
        a, b = getattr(ours, key), getattr(theirs, key)
        if abs(a - b) > SAME_CAMERA_PX:
            return f"{what} {key} {b:.1f} px, the recording's is {a:.1f}"
    return ""
