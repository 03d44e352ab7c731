"""Reading one depth or colour picture from a file, and refusing one that is not whole or not of the right kind.

The files are checked before they are decoded: an image library fills a broken picture up with grey, or writes its
own lines to standard error, where the user wants one line with the file's name.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision.errors import VisionError

_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_JPEG_MAGIC = b"\xff\xd8\xff"
_JPEG_END = b"\xff\xd9"
_JPEG_TAIL_BYTES = 4096  # writers may leave some bytes after the end marker
_PNG_KINDS = {0: "grey", 2: "colour", 3: "palette", 4: "grey with alpha", 6: "colour with alpha"}


def read_depth(path: Path, size: tuple[int, int]) -> NDArray[np.uint16]:
    """A 16-bit grey PNG as (h, w) uint16; ``size`` is the (width, height) it must have, px.

    Raises:
        VisionError: the file is missing, empty, cut short, damaged, of another size or bit depth, or no PNG.
    """
    data = _read(path)
    if not data.startswith(_PNG_MAGIC):
        raise VisionError(f"{path}: is not a PNG file; depth frames are 16-bit grey PNG")
    width, height, bits, kind = _png_header(path, data)
    if bits != 16 or kind != 0:
        raise VisionError(
            f"{path}: is {bits}-bit {_PNG_KINDS.get(kind, 'of an unknown kind')}; depth frames are 16-bit grey PNG"
        )
    _check_size(path, (width, height), size, "depth")
    _check_png_whole(path, data)
    picture = _decode(path, data)
    if picture.dtype != np.uint16 or picture.ndim != 2:
        raise VisionError(f"{path}: was not read as 16-bit grey; write the depth frame again as 16-bit grey PNG")
    return np.asarray(picture, dtype=np.uint16)


def read_color(path: Path, size: tuple[int, int]) -> NDArray[np.uint8]:
    """An 8-bit colour PNG or JPEG as (h, w, 3) uint8 BGR; ``size`` is the (width, height) it must have, px.

    Raises:
        VisionError: the file is missing, empty, cut short, damaged, of another size, grey, or neither PNG nor JPEG.
    """
    data = _read(path)
    if data.startswith(_PNG_MAGIC):
        width, height, bits, kind = _png_header(path, data)
        if bits != 8 or kind != 2:
            raise VisionError(
                f"{path}: is {bits}-bit {_PNG_KINDS.get(kind, 'of an unknown kind')}; colour frames have 8 bits a "
                "channel and three channels"
            )
        _check_size(path, (width, height), size, "colour")
        _check_png_whole(path, data)
    elif data.startswith(_JPEG_MAGIC):
        if _JPEG_END not in data[-_JPEG_TAIL_BYTES:]:
            raise VisionError(f"{path}: is cut short (a JPEG without its end); copy or record it again")
    else:
        raise VisionError(f"{path}: is neither a JPEG nor a PNG file; colour frames are .jpg or .png")
    picture = _decode(path, data)
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise VisionError(f"{path}: is not a colour picture; colour frames have 8 bits a channel and three channels")
    _check_size(path, (picture.shape[1], picture.shape[0]), size, "colour")
    return np.asarray(picture, dtype=np.uint8)


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise VisionError(f"{path}: can't be read ({error.strerror})") from error
    if not data:
        raise VisionError(f"{path}: is empty (0 bytes); copy or record it again")
    return data


def _check_size(path: Path, size: tuple[int, int], wanted: tuple[int, int], what: str) -> None:
    if size != wanted:
        raise VisionError(
            f"{path}: is {size[0]}x{size[1]} px, expected {wanted[0]}x{wanted[1]} as in the {what} intrinsics; "
            "all frames of a folder have one size"
        )


def _png_header(path: Path, data: bytes) -> tuple[int, int, int, int]:
    """Width and height in px, bits a channel and kind of a PNG."""
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise VisionError(f"{path}: is cut short or damaged (no PNG header); copy or record it again")
    width, height, bits, kind = struct.unpack(">IIBB", data[16:26])
    return width, height, bits, kind


def _check_png_whole(path: Path, data: bytes) -> None:
    """Walk the chunks: each has its checksum, and the last is IEND."""
    at = len(_PNG_MAGIC)
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        end = at + 12 + length
        if end > len(data):
            break
        (checksum,) = struct.unpack(">I", data[end - 4 : end])
        if zlib.crc32(data[at + 4 : end - 4]) != checksum:
            raise VisionError(f"{path}: is damaged (a checksum in it is wrong); copy or record it again")
        if data[at + 4 : at + 8] == b"IEND":
            return
        at = end
    raise VisionError(f"{path}: is cut short (a PNG without its end); copy or record it again")


def _decode(path: Path, data: bytes) -> NDArray[np.generic]:
    try:
        picture = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error as error:
        raise VisionError(f"{path}: can't be decoded; copy or record it again") from error
    if picture is None:
        raise VisionError(f"{path}: can't be decoded; copy or record it again")
    return np.asarray(picture)
