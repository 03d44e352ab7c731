"""The board's PDF: true to scale, the same board that is looked for, with a ruler that tells the truth."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import Board, detect_board
from calibration.board_pdf import PAPERS_MM, SheetWords, board_pdf, board_rectangles, ruler_length_mm, run_board
from calibration.errors import CalibrationError


def _rectangles_mm(pdf: bytes) -> np.ndarray:
    """All rectangles of the page in mm from the lower left corner of the sheet."""
    content = pdf.split(b"stream\n")[1].split(b"\nendstream")[0].decode()
    scale = float(content.split()[0])
    assert scale == pytest.approx(72 / 25.4, rel=1e-9)  # one unit of the drawing is one millimetre of paper
    found = re.findall(r"^([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re$", content, flags=re.M)
    return np.array(found, dtype=float)


def test_rectangles_are_the_very_board_that_is_looked_for() -> None:
    board = Board()
    per_mm = 4
    drawn = np.full((round(board.height_mm * per_mm), round(board.width_mm * per_mm)), 255, dtype=np.uint8)
    for x, y, width, height in board_rectangles(board):
        rows = slice(round((board.height_mm - y - height) * per_mm), round((board.height_mm - y) * per_mm))
        drawn[rows, round(x * per_mm) : round((x + width) * per_mm)] = 0
    assert (drawn != board.image(per_mm)).mean() < 1e-3


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_sheet_has_its_size_and_everything_is_on_it(paper: str) -> None:
    pdf = board_pdf(Board(), paper)
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert box is not None
    width, height = PAPERS_MM[paper]
    assert [float(side) * 25.4 / 72 for side in box.groups()] == pytest.approx([width, height], abs=0.01)
    x, y, w, h = _rectangles_mm(pdf).T
    assert x.min() > 4
    assert (x + w).max() < width - 4
    assert y.min() > 4
    assert (y + h).max() < height - 4


def test_ruler_has_a_mark_every_millimetre_and_every_sixteenth_of_an_inch() -> None:
    board = Board()
    marks = _rectangles_mm(board_pdf(board))
    thin = marks[marks[:, 2] < 0.2]
    line = 8.8
    up, down = thin[thin[:, 1] >= line - 1e-3], thin[thin[:, 1] < line - 1e-3]
    length = ruler_length_mm(board)
    assert np.allclose(np.diff(np.sort(up[:, 0])), 1.0, atol=1e-3)
    assert np.ptp(up[:, 0]) == pytest.approx(length, abs=1e-3)
    assert np.allclose(np.diff(np.sort(down[:, 0])), 25.4 / 16, atol=1e-3)


def test_every_object_is_where_the_cross_reference_says() -> None:
    pdf = board_pdf(Board())
    start = int(pdf.rsplit(b"startxref\n", 1)[1].split()[0])
    assert pdf[start:].startswith(b"xref")
    places = [int(line.split()[0]) for line in pdf[start:].split(b"\n")[3:8]]
    for number, place in enumerate(places, start=1):
        assert pdf[place:].startswith(b"%d 0 obj" % number)


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm (poppler-utils) is not installed")
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_rendered_page_shows_the_board_true_to_scale(paper: str, tmp_path: Path) -> None:
    out = tmp_path / "board.pdf"
    run_board(out, paper=paper)
    dots_per_mm = 6
    subprocess.run(
        ["pdftoppm", "-r", str(dots_per_mm * 25.4), "-gray", "-png", "-singlefile", str(out), str(tmp_path / "page")],
        check=True,
    )
    page = cv2.imread(str(tmp_path / "page.png"), cv2.IMREAD_GRAYSCALE)
    assert page is not None
    view = detect_board(np.asarray(page, dtype=np.uint8), Board())
    assert view is not None
    assert len(view) == 24
    mm = Board().corners_mm(view.ids)[:, :2] * [1, -1]
    measured = view.pixels - view.pixels.mean(axis=0)
    assert np.abs(measured / dots_per_mm - mm).max() < 0.03


def test_a_board_too_large_for_the_paper_is_refused_and_larger_paper_takes_it(tmp_path: Path) -> None:
    large = Board(square_mm=50, marker_mm=37)
    with pytest.raises(CalibrationError, match=r"350 x 250 mm doesn't fit a4 .* larger paper"):
        run_board(tmp_path / "board.pdf", board=large)
    assert not (tmp_path / "board.pdf").exists()
    assert "on a3" in run_board(tmp_path / "board.pdf", board=large, paper="a3")[0]


def test_unknown_paper_and_unwritable_places_are_one_line_each(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="paper 'a5' is unknown"):
        board_pdf(Board(), "a5")
    with pytest.raises(CalibrationError, match="can't be written"):
        run_board(tmp_path / "missing" / "board.pdf")


def test_the_words_on_the_sheet_are_the_callers_where_the_font_has_their_letters() -> None:
    spanish = board_pdf(Board(), words=SheetWords("imprimir al 100 % (tamaño real)", "comprueba", "cuadro", "marca"))
    assert "imprimir al 100 % \\(tamaño real\\)".encode("latin-1") in spanish
    assert b"cuadro 38 mm, marca 28 mm" in spanish
    assert b"/WinAnsiEncoding" in spanish
    assert board_pdf(Board(), words=SheetWords("請以 100% 列印", "檢查", "方格", "標記")) == board_pdf(Board())
