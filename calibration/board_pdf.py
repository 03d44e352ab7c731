"""The calibration board as a PDF to print: vectors, true to scale, with a ruler to check the print.

The file is written by hand: one page, filled rectangles and a few words in a font every viewer has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.board import Board
from calibration.errors import CalibrationError
from calibration.files import write_aside

PAPERS_MM = {"a4": (297.0, 210.0), "letter": (279.4, 215.9), "a3": (420.0, 297.0), "tabloid": (431.8, 279.4)}
"""Sheets, landscape: width, height in mm."""

MM = 72.0 / 25.4  # PDF points to one mm
INCH_MM = 25.4
EDGE_MM = 4.5  # printers leave about this much of the sheet's rim white
RULER_ROOM_MM = 14.0  # below the board: gap, mm ticks and numbers, line, inch ticks and numbers
RULER_LINE_MM = 8.8  # height of the ruler's line above the lower edge of the sheet
_STROKE_MM = 0.12


@dataclass(frozen=True)
class SheetWords:
    """What stands beside the ruler; letters of Western Europe only, others have no place in the sheet's font."""

    to_print: str = "print at 100 % (actual size)"
    check: str = "check"
    square: str = "square"
    marker: str = "marker"

    @property
    def printable(self) -> bool:
        """Whether the font has all its letters."""
        words = self.to_print + self.check + self.square + self.marker
        return all(letter.isascii() or "\xa1" <= letter <= "\xff" for letter in words)


ENGLISH = SheetWords()
Rectangle = tuple[float, float, float, float]  # x, y of the lower left corner, width, height; mm


def board_rectangles(board: Board) -> list[Rectangle]:
    """Everything black of the board, as rectangles in mm from its lower left corner; none overlap.

    Cells of one row of a marker that touch are one rectangle.
    """
    out: list[Rectangle] = []
    side, height = board.square_mm, board.height_mm
    for row in range(board.squares_y):
        for column in range(board.squares_x):
            if (row + column) % 2 == 0:
                out.append((column * side, height - (row + 1) * side, side, side))
    detail = board.opencv()
    dictionary = detail.getDictionary()
    cells = dictionary.markerSize + 2
    for number, corners in zip(np.asarray(detail.getIds()).ravel(), detail.getObjPoints(), strict=True):
        left, top = (float(value) for value in np.asarray(corners)[0, :2])
        bits = cv2.aruco.generateImageMarker(dictionary, int(number), cells, borderBits=1)
        cell = board.marker_mm / cells
        for row in range(cells):
            for first, last in _runs(np.asarray(bits)[row] == 0):
                out.append((left + first * cell, height - top - (row + 1) * cell, (last - first) * cell, cell))
    return out


def board_pdf(board: Board, paper: str = "a4", words: SheetWords = ENGLISH) -> bytes:
    """The board on one sheet, as a PDF file's bytes. Raises CalibrationError where it doesn't fit the paper."""
    if paper.lower() not in PAPERS_MM:
        raise CalibrationError(f"paper {paper!r} is unknown; use one of {', '.join(PAPERS_MM)}")
    width, height = PAPERS_MM[paper.lower()]
    spare = height - board.height_mm - RULER_ROOM_MM
    if board.width_mm > width - 2 * EDGE_MM or spare < EDGE_MM:
        raise CalibrationError(
            f"board of {board.width_mm:g} x {board.height_mm:g} mm doesn't fit {paper} ({width:g} x {height:g} mm) "
            f"with its ruler; take smaller squares or larger paper ({', '.join(PAPERS_MM)})"
        )
    left = (width - board.width_mm) / 2
    bottom = RULER_ROOM_MM + max(0.0, spare - EDGE_MM) / 2
    drawing = [f"{MM:.9f} 0 0 {MM:.9f} 0 0 cm", "0 g"]
    drawing += _fill((left + x, bottom + y, w, h) for x, y, w, h in board_rectangles(board))
    drawing += _ruler(left, board, words if words.printable else ENGLISH)
    return _pdf("\n".join(drawing), width * MM, height * MM)


def run_board(
    output: str | Path, *, board: Board | None = None, paper: str = "a4", words: SheetWords = ENGLISH
) -> list[str]:
    """``th-vision board``: write the PDF, return the lines to print. Raises CalibrationError."""
    board = board or Board()
    target = Path(output)
    blob = board_pdf(board, paper, words)
    try:
        write_aside(target, blob)
    except OSError as error:
        raise CalibrationError(f"{target}: can't be written ({error.strerror}); choose another place") from error
    return [
        f"{target}: ChArUco board, {board.squares_x} x {board.squares_y} squares of {board.square_mm:g} mm, "
        f"markers {board.marker_mm:g} mm, {board.dictionary}, on {paper}",
        "print at 100 % (actual size, no fitting to the page), check the ruler on the print, glue it to something flat",
    ]


def ruler_length_mm(board: Board) -> float:
    """Length of the printed ruler: whole centimetres, within the board's width, room left for the words."""
    return max(50.0, float(np.floor((board.width_mm - 62.0) / 10.0)) * 10.0)


def _ruler(left: float, board: Board, say: SheetWords) -> list[str]:
    """Millimetres above the line, inches below it, and what to do with them."""
    length, line = ruler_length_mm(board), RULER_LINE_MM
    half = _STROKE_MM / 2
    marks: list[Rectangle] = [(left - half, line - half, length + _STROKE_MM, _STROKE_MM)]
    words = []
    for mm in range(int(length) + 1):
        tall = 2.2 if mm % 10 == 0 else 1.6 if mm % 5 == 0 else 1.0
        marks.append((left + mm - half, line, _STROKE_MM, tall))
        if mm % 10 == 0:
            words.append(_text(left + mm, line + 2.5, 1.7, str(mm), centred=True))
    for sixteenth in range(int(length / INCH_MM * 16) + 1):
        tall = 2.2 if sixteenth % 16 == 0 else 1.6 if sixteenth % 8 == 0 else 1.0
        marks.append((left + sixteenth * INCH_MM / 16 - half, line - tall, _STROKE_MM, tall))
        if sixteenth % 16 == 0:
            words.append(_text(left + sixteenth * INCH_MM / 16, line - 3.8, 1.7, str(sixteenth // 16), centred=True))
    beside = left + length + 4.0
    words += [
        _text(beside, line + 2.0, 2.1, f"mm    {say.to_print},"),
        _text(beside, line - 1.2, 2.1, f"           {say.check}: {length:g} mm = {length / INCH_MM:.2f} in,"),
        _text(
            beside,
            line - 4.0,
            2.1,
            f"in      {say.square} {board.square_mm:g} mm, {say.marker} {board.marker_mm:g} mm, {board.dictionary[5:]}",
        ),
    ]
    return [*_fill(marks), "BT", *words, "ET"]


def _fill(rectangles: Iterable[Rectangle]) -> list[str]:
    """One path for all rectangles: touching ones show no seam."""
    return [*(f"{x:.4f} {y:.4f} {w:.4f} {h:.4f} re" for x, y, w, h in rectangles), "f"]


def _text(x: float, y: float, size: float, words: str, centred: bool = False) -> str:
    """Words in Helvetica, ``size`` and places in mm; digits are 0.556 of the size wide."""
    if centred:
        x -= 0.556 * size * len(words) / 2
    escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"/F {size:.2f} Tf 1 0 0 1 {x:.3f} {y:.3f} Tm ({escaped}) Tj"


def _runs(cells: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """First and one past the last index of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], cells.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _pdf(drawing: str, width_pt: float, height_pt: float) -> bytes:
    """A PDF of one page. /PrintScaling /None asks viewers not to shrink it to the printer's margins."""
    content = drawing.encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width_pt:.4f} {height_pt:.4f}] /Contents 4 0 R "
        "/Resources << /Font << /F 5 0 R >> >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
