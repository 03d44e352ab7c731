"""The header of a ``.ply`` or ``.pcd`` file, read before the file is trusted to a library.

A header that promises more points than the file holds makes a reader allocate without end or crash; here it gives
one line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from th_vision.errors import VisionError

_MAX_HEADER_BYTES = 64 * 1024
_PLY_BYTES = {
    **dict.fromkeys(("char", "uchar", "int8", "uint8"), 1),
    **dict.fromkeys(("short", "ushort", "int16", "uint16"), 2),
    **dict.fromkeys(("int", "uint", "float", "int32", "uint32", "float32"), 4),
    **dict.fromkeys(("double", "float64", "int64", "uint64"), 8),
}
_PLY_FORMATS = ("ascii", "binary_little_endian", "binary_big_endian")
_PCD_DATA = ("ascii", "binary", "binary_compressed")
_MIN_ASCII_BYTES = 2  # a digit and a blank, for each number


@dataclass(frozen=True)
class CloudHeader:
    """How many points a file says it holds, and as what grid: ``height`` is 1 where it is not organised."""

    points: int
    width: int
    height: int
    has_color: bool


def read_cloud_header(path: Path) -> CloudHeader:
    """Header of a ``.ply`` or ``.pcd`` file, checked against the file's size.

    Raises:
        VisionError: the file is missing, empty, of another kind, cut short, or has no x, y, z.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_MAX_HEADER_BYTES)
    except OSError as error:
        raise VisionError(f"{path}: can't be read ({error.strerror})") from error
    if not head:
        raise VisionError(f"{path}: is empty (0 bytes); copy or record it again")
    return _ply(path, head, size) if path.suffix.lower() == ".ply" else _pcd(path, head, size)


def _ply(path: Path, head: bytes, size: int) -> CloudHeader:
    end = head.find(b"end_header")
    if not head.startswith(b"ply") or end < 0:
        raise VisionError(f"{path}: is no PLY file (no 'ply' ... 'end_header' at its start)")
    words = [line.split() for line in head[:end].decode("latin-1").splitlines()]
    forms = [line[1] for line in words if line[0:1] == ["format"] and len(line) > 1]
    if len(forms) != 1 or forms[0] not in _PLY_FORMATS:
        raise VisionError(f"{path}: has no PLY format that is known; expected one of {', '.join(_PLY_FORMATS)}")
    points, kinds = _ply_vertices(path, words)
    names = [name for _, name in kinds]
    ascii_form = forms[0] == "ascii"
    unknown = [kind for kind, _ in kinds if kind not in _PLY_BYTES]
    if unknown:
        raise VisionError(f"{path}: a point has a property of type {unknown[0]!r}; write it with numbers only")
    stride = len(kinds) * _MIN_ASCII_BYTES if ascii_form else sum(_PLY_BYTES[kind] for kind, _ in kinds)
    _check(path, names, points, stride, size - end)
    return CloudHeader(points, points, 1, {"red", "green", "blue"} <= set(names))


def _ply_vertices(path: Path, words: list[list[str]]) -> tuple[int, list[tuple[str, str]]]:
    """How many vertices, and type and name of each of their properties."""
    points, inside, kinds = -1, False, list[tuple[str, str]]()
    for line in words:
        if line[0:1] == ["element"] and len(line) == 3:
            inside = line[1] == "vertex"
            if inside:
                points = _count(path, "element vertex", line[2])
        elif inside and line[0:1] == ["property"] and len(line) >= 3:
            kinds.append((line[1], line[-1]))
    if points < 0:
        raise VisionError(f"{path}: has no 'element vertex'; it holds no points")
    return points, kinds


def _pcd(path: Path, head: bytes, size: int) -> CloudHeader:
    fields: dict[str, list[str]] = {}
    at = 0
    while "DATA" not in fields:
        line_end = head.find(b"\n", at)
        if line_end < 0:
            raise VisionError(f"{path}: is no PCD file (no header with a DATA line)")
        line = head[at:line_end].decode("latin-1").split()
        at = line_end + 1
        if line and not line[0].startswith("#"):
            fields[line[0].upper()] = line[1:]
    missing = [key for key in ("FIELDS", "SIZE", "WIDTH", "HEIGHT", "DATA") if not fields.get(key)]
    if missing:
        raise VisionError(f"{path}: the PCD header has no {missing[0]} line; write the file again")
    if fields["DATA"][0] not in _PCD_DATA:
        raise VisionError(f"{path}: DATA is {fields['DATA'][0]!r}; expected one of {', '.join(_PCD_DATA)}")
    width = _count(path, "WIDTH", fields["WIDTH"][0])
    height = _count(path, "HEIGHT", fields["HEIGHT"][0])
    points = _count(path, "POINTS", fields["POINTS"][0]) if fields.get("POINTS") else width * height
    if points != width * height:
        raise VisionError(f"{path}: POINTS {points} is not WIDTH x HEIGHT = {width * height}; write the file again")
    names, sizes = fields["FIELDS"], [_count(path, "SIZE", text) for text in fields["SIZE"]]
    counts = [_count(path, "COUNT", text) for text in fields.get("COUNT", ["1"] * len(names))]
    if not len(names) == len(sizes) == len(counts):
        raise VisionError(f"{path}: FIELDS, SIZE and COUNT of the PCD header have different lengths")
    if any(n not in (1, 2, 4, 8) for n in sizes) or any(not 1 <= n <= 1024 for n in counts):
        raise VisionError(f"{path}: SIZE or COUNT of the PCD header can't be; write the file again")
    stride = {
        "ascii": sum(counts) * _MIN_ASCII_BYTES,
        "binary": sum(n * count for n, count in zip(sizes, counts, strict=True)),
        "binary_compressed": 0,
    }[fields["DATA"][0]]
    _check(path, names, points, stride, size - at + 1)
    if fields["DATA"][0] == "binary_compressed":
        _check_compressed(path, head[at : at + 8], points * sum(sizes), size - at)
    return CloudHeader(points, width, height, bool({"rgb", "rgba"} & set(names)))


def _check_compressed(path: Path, sizes: bytes, expected: int, rest: int) -> None:
    """The two lengths before compressed data: packed and unpacked bytes."""
    packed, unpacked = int.from_bytes(sizes[:4], "little"), int.from_bytes(sizes[4:8], "little")
    if len(sizes) < 8 or packed > rest - 8:
        raise VisionError(f"{path}: is cut short; copy or record it again")
    if unpacked != expected:
        raise VisionError(f"{path}: is damaged (its compressed data are not of the size that its header says)")


def _count(path: Path, key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise VisionError(f"{path}: {key} is {text!r}; expected a whole number")
    return int(text)


def _check(path: Path, names: list[str], points: int, stride: int, rest: int) -> None:
    if not {"x", "y", "z"} <= set(names):
        raise VisionError(f"{path}: its points have no x, y, z (found: {', '.join(names) or 'nothing'})")
    if points == 0:
        raise VisionError(f"{path}: holds no points; record it again")
    if points * stride > rest:
        raise VisionError(f"{path}: is cut short (its header promises {points} points); copy or record it again")
