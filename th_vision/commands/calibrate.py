"""``th-vision board`` and ``th-vision calibrate table``."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from calibration.board import Board
from calibration.errors import CalibrationError
from rules.outcome import Outcome
from th_vision.errors import VisionError
from th_vision.output import STDOUT, check_outputs, refuse_stdout
from th_vision.sources import is_cloud, open_source


def make_board(squares: str, square_mm: float, marker_mm: float, dictionary: str, thickness_mm: float) -> Board:
    """The board that the options describe; ``squares`` is written ``7x5``.

    Raises:
        CalibrationError: no such board can be.
    """
    found = re.fullmatch(r"(\d{1,3})\s*[x×]\s*(\d{1,3})", squares.strip().lower())  # noqa: RUF001 - people write it
    if found is None:
        raise CalibrationError(f"--squares {squares}: can't be read; write it like 7x5")
    return Board(int(found[1]), int(found[2]), square_mm, marker_mm, dictionary, thickness_mm)


def write_board(output: Path, paper: str, board: Board, emit: Callable[[bytes], None], language: str = "en") -> Outcome:
    """Write the board as PDF; ``emit`` puts it out where ``output`` is ``-``. ``language``: of the words on the sheet.

    Raises:
        CalibrationError: it does not fit the paper, or the place can't be written.
    """
    from calibration.board_pdf import SheetWords, board_pdf, run_board
    from th_vision.phrases import SHEET
    from th_vision.words import words_in

    said = words_in(language)
    words = SheetWords(**{name: said.text(text) for name, text in SHEET.items()})
    if output == STDOUT:
        emit(board_pdf(board, paper, words))
        return Outcome("")
    return Outcome("".join(f"{line}\n" for line in run_board(output, board=board, paper=paper, words=words)))


def calibrate_table(spec: str, output: Path, board: Board, made_at: str, tell: Callable[[str], None]) -> Outcome:
    """Calibrate the table from one recording and write it. Status 1: written, but not good enough.

    Raises:
        VisionError, CalibrationError: the source or the calibration can't be.
    """
    from calibration.calibrate import run_calibrate_table
    from th_vision.live.takes import for_table

    refuse_stdout(output, "a calibration, which is two files,")
    check_outputs((output,), (spec,))
    if output.exists() and not output.is_file():
        raise VisionError(f"{output}: can't hold a calibration, which is two files; name a file like table.toml")
    if is_cloud(spec):
        raise VisionError(f"{spec}: a point cloud does not show the board; calibrate from a recording with colour")
    source = open_source(spec)
    pictures = ((frame.depth, frame.color) for frame in for_table(source, board, tell))
    status, lines = run_calibrate_table(source.camera, pictures, output, board=board, made_at=made_at, tell=tell)
    return Outcome("".join(f"{line}\n" for line in lines), (), status)


def check_calibration(spec: str, calibration: Path, board: Board, height_mm: float) -> Outcome:
    """Measure the board back on the calibrated table. Status 1: something does not hold.

    Raises:
        VisionError, CalibrationError: the source or the calibration can't be used.
    """
    from calibration.check import run_check
    from calibration.table_file import load_table
    from th_vision.live.takes import some_of
    from th_vision.live.tolerances import LOOK_FRAMES

    if is_cloud(spec):
        raise VisionError(f"{spec}: a point cloud does not show the board; check with a recording with colour")
    table = load_table(calibration)
    source = open_source(spec)
    pictures = ((frame.depth, frame.color) for frame in some_of(source, LOOK_FRAMES))
    status, lines = run_check(table, source.camera, pictures, board=board, height_mm=height_mm)
    return Outcome("".join(f"{line}\n" for line in lines), (), status)
