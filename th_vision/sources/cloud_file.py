"""Reading a ``.ply`` or ``.pcd`` file: points, colours, and the grid of an organised cloud.

A file is read here and not by a library because a library's reader trusts the header: it hands out memory that was
never filled where a file is cut or damaged. Here a file is whole or it is refused, in one line.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from th_vision.errors import VisionError

Array = NDArray[np.float64]
Fields = list[tuple[str, np.dtype[np.generic]]]

_PLY_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_PLY_FORMATS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_PCD_DATA = ("ascii", "binary", "binary_compressed")
_PCD_TYPES = {"F": (4, 8), "I": (1, 2, 4, 8), "U": (1, 2, 4, 8)}
_MAX_PCD_COUNT = 1024


@dataclass(frozen=True)
class Cloud:
    """``points``: (n, 3), in the file's unit, NaN where the file has none. ``bgr``: (n, 3) uint8, or None.

    ``width`` and ``height`` are the grid of an organised cloud (row by row); its height is 1 where it is none.
    """

    points: Array
    bgr: NDArray[np.uint8] | None
    width: int
    height: int


def read_cloud(path: Path) -> Cloud:
    """All of a ``.ply`` or ``.pcd`` file.

    Raises:
        VisionError: it is missing, empty, cut short, damaged, of another kind, or has no x, y, z.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise VisionError(f"{path}: can't be read ({error.strerror})") from error
    if not data:
        raise VisionError(f"{path}: is empty (0 bytes); copy or record it again")
    return _ply(path, data) if path.suffix.lower() == ".ply" else _pcd(path, data)


# --- PLY --------------------------------------------------------------------------------------------------------


def _ply(path: Path, data: bytes) -> Cloud:
    mark = data.find(b"end_header")
    start = data.find(b"\n", mark) + 1
    if not data.startswith(b"ply") or mark < 0 or start == 0:
        raise VisionError(f"{path}: is no PLY file (no 'ply' ... 'end_header' at its start)")
    lines = [line.split() for line in data[:mark].decode("latin-1").splitlines()]
    forms = [line[1] for line in lines if line[:1] == ["format"] and len(line) > 1]
    if len(forms) != 1 or forms[0] not in _PLY_FORMATS:
        raise VisionError(f"{path}: has no PLY format that is known; expected one of {', '.join(_PLY_FORMATS)}")
    elements = [line for line in lines if line[:1] == ["element"]]
    if not elements or elements[0][1:2] != ["vertex"] or len(elements[0]) != 3:
        raise VisionError(f"{path}: does not begin with its points ('element vertex N'); write it as a plain cloud")
    points = _count(path, "element vertex", elements[0][2])
    fields: Fields = []
    for line in lines[lines.index(elements[0]) + 1 :]:
        if line[:1] == ["element"]:
            break
        if line[:1] == ["property"]:
            if len(line) != 3 or line[1] not in _PLY_TYPES:
                raise VisionError(f"{path}: a point has a property '{' '.join(line[1:])}'; write it as a plain cloud")
            fields.append((line[2], np.dtype((_PLY_FORMATS[forms[0]] or "<") + _PLY_TYPES[line[1]])))
    _check_fields(path, [name for name, _ in fields], points)
    rows = _rows(path, data[start:], fields, points, ascii_form=forms[0] == "ascii")
    return Cloud(_points(rows), _ply_colors(rows), points, 1)


def _ply_colors(rows: dict[str, NDArray[np.generic]]) -> NDArray[np.uint8] | None:
    if not {"red", "green", "blue"} <= set(rows):
        return None
    channels = np.stack([rows[name] for name in ("blue", "green", "red")], axis=-1)
    # Whole numbers are 0 to 255; some writers give parts of one.
    scale = 255.0 if np.issubdtype(channels.dtype, np.floating) and channels.max(initial=0) <= 1 else 1.0
    return np.clip(np.rint(np.nan_to_num(channels.astype(np.float64)) * scale), 0, 255).astype(np.uint8)


# --- PCD --------------------------------------------------------------------------------------------------------


def _pcd(path: Path, data: bytes) -> Cloud:
    head, start = _pcd_head(path, data)
    form = head["DATA"][0]
    if form not in _PCD_DATA:
        raise VisionError(f"{path}: DATA is {form!r}; expected one of {', '.join(_PCD_DATA)}")
    width, height = _count(path, "WIDTH", head["WIDTH"][0]), _count(path, "HEIGHT", head["HEIGHT"][0])
    points = _count(path, "POINTS", head["POINTS"][0]) if head.get("POINTS") else width * height
    if points != width * height:
        raise VisionError(f"{path}: POINTS {points} is not WIDTH x HEIGHT = {width * height}; write the file again")
    fields = _pcd_fields(path, head)
    _check_fields(path, [name for name, _ in fields], points)
    body = data[start:]
    if form == "binary_compressed":
        body = _regrouped(_unpacked(path, body, points * sum(kind.itemsize for _, kind in fields)), fields, points)
    rows = _rows(path, body, fields, points, ascii_form=form == "ascii")
    return Cloud(_points(rows), _pcd_colors(rows), width, height)


def _pcd_head(path: Path, data: bytes) -> tuple[dict[str, list[str]], int]:
    """The header's words by their key, and where the data begin."""
    head: dict[str, list[str]] = {}
    at = 0
    while "DATA" not in head:
        end = data.find(b"\n", at)
        line = data[at:end].decode("latin-1").split() if end >= 0 else []
        if end < 0 or (line and not line[0].startswith("#") and not line[0].isalpha()):
            raise VisionError(f"{path}: is no PCD file (no header with a DATA line)")
        if line and not line[0].startswith("#"):
            head[line[0].upper()] = line[1:]
        at = end + 1
    missing = [key for key in ("FIELDS", "SIZE", "TYPE", "WIDTH", "HEIGHT", "DATA") if not head.get(key)]
    if missing:
        raise VisionError(f"{path}: the PCD header has no {missing[0]} line; write the file again")
    return head, at


def _pcd_fields(path: Path, head: dict[str, list[str]]) -> Fields:
    names, kinds = head["FIELDS"], head["TYPE"]
    sizes = [_count(path, "SIZE", text) for text in head["SIZE"]]
    counts = [_count(path, "COUNT", text) for text in head.get("COUNT", ["1"] * len(names))]
    if not len(names) == len(kinds) == len(sizes) == len(counts):
        raise VisionError(f"{path}: FIELDS, SIZE, TYPE and COUNT of the PCD header have different lengths")
    fields: Fields = []
    for name, kind, size, count in zip(names, kinds, sizes, counts, strict=True):
        if size not in _PCD_TYPES.get(kind, ()) or not 1 <= count <= _MAX_PCD_COUNT:
            raise VisionError(
                f"{path}: field {name} of type {kind}, size {size}, count {count} can't be; write it again"
            )
        one = np.dtype(f"<{kind.lower()}{size}")
        fields += [(name if count == 1 else f"{name}[{i}]", one) for i in range(count)]
    return fields


def _pcd_colors(rows: dict[str, NDArray[np.generic]]) -> NDArray[np.uint8] | None:
    """Colours are packed into the four bytes of one number, whatever its type says."""
    packed = rows.get("rgb", rows.get("rgba"))
    if packed is None or packed.dtype.itemsize != 4:
        return None
    return np.ascontiguousarray(packed).view(np.uint8).reshape(-1, 4)[:, :3].copy()


def _unpacked(path: Path, body: bytes, expected: int) -> bytes:
    """Undo LZF: runs of plain bytes, and references (length, distance) to what was written before."""
    packed, unpacked = (int.from_bytes(body[i : i + 4], "little") for i in (0, 4))
    if len(body) < 8 or packed > len(body) - 8:
        raise VisionError(f"{path}: is cut short; copy or record it again")
    damaged = VisionError(f"{path}: is damaged (its compressed data do not give what its header says); record it again")
    if unpacked != expected:
        raise damaged
    source, at, out = body[8 : 8 + packed], 0, bytearray()
    try:
        while at < packed:
            control = source[at]
            at += 1
            if control < 32:
                out += source[at : at + control + 1]
                at += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += source[at]
                at += 1
            begin = len(out) - ((control & 31) << 8) - source[at] - 1
            at += 1
            length += 2
            if begin < 0 or len(out) + length > expected:
                raise damaged
            run = out[begin : begin + length]
            out += (run * (length // len(run) + 1))[:length]  # a reference may reach into what it writes
    except IndexError:
        raise damaged from None
    if len(out) != expected:
        raise damaged
    return bytes(out)


def _regrouped(body: bytes, fields: Fields, points: int) -> bytes:
    """From field by field, as compressed data are, to point by point."""
    rows = np.zeros(points, dtype=np.dtype(fields))
    at = 0
    for name, kind in fields:
        rows[name] = np.frombuffer(body, dtype=kind, count=points, offset=at)
        at += points * kind.itemsize
    return rows.tobytes()


# --- both -------------------------------------------------------------------------------------------------------


def _rows(path: Path, body: bytes, fields: Fields, points: int, *, ascii_form: bool) -> dict[str, NDArray[np.generic]]:
    """The columns of the table of points, by name."""
    names = [name for name, _ in fields]
    if len(set(names)) != len(names):
        raise VisionError(f"{path}: a point has two properties of one name ({', '.join(names)}); write it again")
    short = VisionError(f"{path}: is cut short (its header promises {points} points); copy or record it again")
    if not ascii_form:
        kind = np.dtype(fields)
        if points * kind.itemsize > len(body):
            raise short
        table = np.frombuffer(body, dtype=kind, count=points)
        return {name: table[name] for name in names}
    if points * len(fields) * 2 > len(body) + 1:  # at least a digit and a blank for each number
        raise short
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "no data": said below
            values = np.loadtxt(io.BytesIO(body), dtype=np.float64, max_rows=points, comments=None, ndmin=2)
    except ValueError as error:
        reason = " ".join(str(error).split(";")[0].split())
        raise VisionError(f"{path}: a point can't be read ({reason}); copy or record it again") from error
    if values.shape != (points, len(fields)):
        raise short
    # In the field's own type: a packed colour is the bits of a number.
    return {name: values[:, i].astype(kind) for i, (name, kind) in enumerate(fields)}


def _points(rows: dict[str, NDArray[np.generic]]) -> Array:
    points = np.stack([rows[axis].astype(np.float64) for axis in "xyz"], axis=-1)
    points[~np.isfinite(points).all(axis=1)] = np.nan
    return points


def _count(path: Path, key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise VisionError(f"{path}: {key} is {text!r}; expected a whole number")
    return int(text)


def _check_fields(path: Path, names: list[str], points: int) -> None:
    if not {"x", "y", "z"} <= set(names):
        raise VisionError(f"{path}: its points have no x, y, z (found: {', '.join(names) or 'nothing'})")
    if points == 0:
        raise VisionError(f"{path}: holds no points; record it again")
