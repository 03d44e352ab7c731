"""The few sizes in the rule book's arithmetic that no rule text gives, each with its reason."""

from __future__ import annotations

from typing import Final

DUST_MM: Final = 1e-6
"""Rounding of floating point. Values closer than this to a limit are on the limit: exact input stays exact."""

REST_GAP_MM: Final = 5.0
"""An end whose underside is further than this from what should carry it isn't resting there. Half a disc: a stick on
the edge of a disc, on a card or on another stick's end is well below, one level or a tree under it is well above."""

RAMP_DISTANCE_SHARE: Final = 0.1
"""Players measure the distance of the ramps with a stick held by hand: a tenth of a stick either way passes."""

JOINT_REACH_WIDTHS: Final = 2.0
"""Two roads that share a column may touch over the disc and this many stick widths around it: there their ends lie
over or beside one another, which the rules allow. Sticks that part at 20 degrees or more are apart two widths out."""

MIN_CROSSING_SINE: Final = 0.05
"""Below this sine of the angle two sticks are taken as parallel when sigma is propagated: the crossing point of
nearly parallel lines is anywhere along them, which no first-order propagation can say."""

GRID_CELL_MM: Final = 60.0
"""Side of the cells of the spatial index, about half a stick: few cells a piece, few pieces a cell."""

GRID_MAX_CELLS: Final = 4096
"""A piece over more cells than this (a record with absurd sizes) is kept in the list that every query looks at."""

TABLE_SURFACE_Z_MM: Final = 0.0
"""The table top in the table frame."""

RECORD_ROUNDING: Final = 0.051
"""Numbers of two rulings that differ by no more are the same: records by hand or by others are rounded to a tenth."""

WORTH_TELLING_MM: Final = 10.0
"""What is clear of its limit by more than this (a disc's height) is left out of a ruling's explanation."""
