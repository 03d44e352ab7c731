"""A spatial index: square cells over the plan view, each with the pieces whose bounding box reaches into it."""

from __future__ import annotations

import math

from rules.tolerances import GRID_CELL_MM, GRID_MAX_CELLS

Box_mm = tuple[float, float, float, float]
"""Bounding box in plan view: min x, min y, max x, max y (mm, table frame)."""


_EMPTY: dict[str, None] = {}


class Grid:
    """Pieces by where they are; adding, removing and asking cost the cells touched, not the pieces on the table."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], dict[str, None]] = {}
        self._huge: dict[str, None] = {}

    @staticmethod
    def _span(box: Box_mm) -> tuple[int, int, int, int]:
        return (
            math.floor(box[0] / GRID_CELL_MM),
            math.floor(box[1] / GRID_CELL_MM),
            math.floor(box[2] / GRID_CELL_MM),
            math.floor(box[3] / GRID_CELL_MM),
        )

    def add(self, piece: str, box: Box_mm) -> None:
        """Put a piece into all cells that its box touches."""
        x0, y0, x1, y1 = self._span(box)
        if (x1 - x0 + 1) * (y1 - y0 + 1) > GRID_MAX_CELLS:
            self._huge[piece] = None
            return
        for column in range(x0, x1 + 1):
            for row in range(y0, y1 + 1):
                self._cells.setdefault((column, row), {})[piece] = None

    def remove(self, piece: str, box: Box_mm) -> None:
        """Take a piece out again; `box` as it was given to `add`."""
        if piece in self._huge:
            del self._huge[piece]
            return
        x0, y0, x1, y1 = self._span(box)
        for column in range(x0, x1 + 1):
            for row in range(y0, y1 + 1):
                cell = self._cells.get((column, row))
                if cell is not None:
                    cell.pop(piece, None)
                    if not cell:
                        del self._cells[(column, row)]

    def near(self, box: Box_mm) -> list[str]:
        """The pieces of all cells that `box` touches, each once, in no promised order."""
        x0, y0, x1, y1 = self._span(box)
        found: dict[str, None] = dict(self._huge)
        if (x1 - x0 + 1) * (y1 - y0 + 1) > max(GRID_MAX_CELLS, len(self._cells)):
            for (column, row), cell in self._cells.items():
                if x0 <= column <= x1 and y0 <= row <= y1:
                    found.update(cell)
            return list(found)
        for column in range(x0, x1 + 1):
            for row in range(y0, y1 + 1):
                found.update(self._cells.get((column, row), _EMPTY))
        return list(found)
