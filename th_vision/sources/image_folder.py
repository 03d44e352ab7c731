"""A folder of images as a source: ``depth/*.png`` and ``color/*.jpg|png`` with the same stems, read one by one.

Both forms of the contract: our own, where ``recording.json`` says everything, and Open3D's RGB-D layout, where
``camera_intrinsic.json`` does and depth is aligned to colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from calibration.camera import Camera
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.sources.folder_header import FolderHeader, read_header
from th_vision.sources.pictures import read_color, read_depth

_COLOR_SUFFIXES = (".jpg", ".jpeg", ".png")
# A picture that we can't read is a fault; anything else beside the frames (notes, thumbnails) is not a frame.
_OTHER_PICTURES = (".jpg", ".jpeg", ".tif", ".tiff", ".exr", ".pgm", ".npy", ".bmp", ".webp", ".raw")


@dataclass(frozen=True)
class _Pair:
    depth: Path
    color: Path | None


class ImageFolder:
    """Frames of a folder. Everything that names and counts can tell is checked when it is opened, pixels when read.

    Raises:
        VisionError: no such folder, no frames, a frame without its partner, or a header that can't be.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise VisionError(f"{folder}: is no folder; give the folder that holds depth/ and color/")
        if not (folder / "depth").is_dir():
            raise VisionError(f"{folder}: has no depth/ folder; expected depth/000000.png and color/000000.jpg, ...")
        color = folder / "color"
        self._folder = folder
        self._pairs = _pairs(folder / "depth", color if color.is_dir() else None)
        self._header = read_header(folder, has_color=color.is_dir())
        self._times_s = _times(self._header, len(self._pairs))

    @property
    def name(self) -> str:
        """The folder as the user gave it."""
        return str(self._folder)

    @property
    def camera(self) -> Camera:
        """The camera behind every frame."""
        return self._header.camera

    def __len__(self) -> int:
        """How many frames there are."""
        return len(self._pairs)

    def __iter__(self) -> Iterator[Frame]:
        depth_size = (self.camera.depth.width, self.camera.depth.height)
        color = self.camera.color
        for index, (pair, time_s) in enumerate(zip(self._pairs, self._times_s, strict=True)):
            stem = pair.depth.stem
            picture = None
            if pair.color is not None and color is not None:
                picture = read_color(pair.color, (color.width, color.height))
            yield Frame(
                number=int(stem) if stem.isascii() and stem.isdigit() else index,
                time_s=time_s,
                depth=read_depth(pair.depth, depth_size),
                color=picture,
            )


def _pairs(depth: Path, color: Path | None) -> list[_Pair]:
    """Depth frames in order of their stems, each with its colour partner; every frame without one is a fault."""
    depths = _by_stem(depth, (".png",), "depth frames are 16-bit grey .png")
    colors = {} if color is None else _by_stem(color, _COLOR_SUFFIXES, "colour frames are .jpg or .png")
    if not depths and not colors:
        raise VisionError(f"{depth}: holds no frames; expected 000000.png, 000001.png, ...")
    for stem, path in sorted(colors.items()):
        if stem not in depths:
            raise VisionError(
                f"{path}: has no depth frame {depth / (stem + '.png')}; add it or remove the colour frame"
            )
    if color is not None:
        for stem, path in sorted(depths.items()):
            if stem not in colors:
                raise VisionError(f"{path}: has no colour frame {color / stem}.jpg; add it or remove this frame")
    return [_Pair(depths[stem], colors.get(stem)) for stem in sorted(depths, key=_order)]


def _by_stem(folder: Path, suffixes: tuple[str, ...], expected: str) -> dict[str, Path]:
    found: dict[str, Path] = {}
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise VisionError(f"{folder}: can't be read ({error.strerror})") from error
    for path in paths:
        suffix = path.suffix.lower()
        if suffix in suffixes:
            if path.stem in found:
                raise VisionError(f"{path}: is a second picture beside {found[path.stem].name}; remove one of them")
            found[path.stem] = path
        elif suffix in _OTHER_PICTURES:
            raise VisionError(f"{path}: is of the wrong kind; {expected}")
    return found


def _order(stem: str) -> tuple[int, str]:
    """Numbered frames by number (``2`` before ``10``), others by name."""
    return (int(stem) if stem.isascii() and stem.isdigit() else -1, stem)


def _times(header: FolderHeader, frames: int) -> tuple[float, ...]:
    if header.times_s is None:
        return tuple(index / header.fps for index in range(frames))
    if len(header.times_s) != frames:
        raise VisionError(
            f"{header.path}: has {len(header.times_s)} timestamps for {frames} depth frames; give one for each frame"
        )
    return header.times_s
