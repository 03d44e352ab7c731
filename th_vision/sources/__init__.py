"""Where frames come from: ``open_source`` turns what a user wrote as SOURCE into a source of frames."""

from __future__ import annotations

from pathlib import Path

from calibration.table import TableCalibration
from th_vision.errors import VisionError
from th_vision.frame import Source

CLOUD_SUFFIXES = (".ply", ".pcd")
FORMS = "a folder of images, an .mcap session, a .ply or .pcd cloud, or sim:seed=7"


def open_source(spec: str, *, frame: str = "camera", table: TableCalibration | None = None) -> Source:
    """The source that ``spec`` names, in any of the contract's forms.

    ``frame`` says in which frame a point cloud is: ``camera`` (metres) or ``table`` (mm). ``table`` is the calibration
    that its frames will be read with: a cloud is projected into that camera, any other source must come from it.

    Raises:
        VisionError: there is no such source, or it can't be read.
        CalibrationError: it comes from another camera than ``table``.
    """
    source = _open(spec, frame, table)
    if table is not None and not is_cloud(spec):
        from calibration.table_file import check_camera

        check_camera(table, source.camera)
    return source


def is_cloud(spec: str) -> bool:
    """Whether ``spec`` names a point cloud file."""
    return Path(spec).suffix.lower() in CLOUD_SUFFIXES and not Path(spec).is_dir()


def _open(spec: str, frame: str, table: TableCalibration | None) -> Source:
    kind = spec.partition(":")[0]
    if kind == "sim":
        from th_vision.sources.sim import open_sim

        return open_sim(spec)
    if kind == "realsense":
        from th_vision.sources.realsense import open_realsense

        return open_realsense(spec)
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
        return _mcap(path)
    if suffix == ".zip":
        from th_vision.sources.session import CaseSource

        return CaseSource(path)
    if suffix in (".db3", ".bag"):
        from th_vision.sources.rosbag import SdkRecording

        return SdkRecording(path)
    raise VisionError(f"{spec}: is no kind of source that is known; give {FORMS}")


def _mcap(path: Path) -> Source:
    """A session of ours, or a file with the same topics that another program wrote."""
    from th_vision.sessions.reader import NotOursError
    from th_vision.sources.session import SessionSource

    try:
        return SessionSource(path)
    except NotOursError:
        from th_vision.sources.other_mcap import OtherMcap

        return OtherMcap(path)
