"""What is none of the pieces, and sticks that fell."""

from __future__ import annotations

# --- things that are no pieces ------------------------------------------------------------------------------------
# Something is taller than the pieces explain from this on (mm), over this area; strips thinner than this are rims.
FOREIGN_TALL_MM = 10.0
FOREIGN_AREA_MM2 = 250.0
FOREIGN_THIN_MM = 8.0
# Something flat counts from this height, and from so many sigmas of the table's own scatter ...
FOREIGN_FLAT_MM = 3.5
FOREIGN_FLAT_SIGMAS = 4.0
# ... where all is this part as high as the highest around, and wider than pieces can look (a fattened stick is 27 mm
# wide, ends side by side on a column up to 36).
FOREIGN_SHARE = 0.55
FOREIGN_WIDTH_MM = 48.0
# Noise is smoothed over this before that is asked.
FOREIGN_SMOOTH_MM = 2.5
FOREIGN_FLAT_AREA_MM2 = 1500.0
# Gaps up to this are closed; rims may be seen this far off.
FOREIGN_CLOSE_MM = 6.0
FOREIGN_RIM_MM = 7.0
# A road with this share of its length in something wide was read into it.
FOREIGN_ROAD_SHARE = 0.5
# Colour against the empty table: cell, distance of chroma, and brightness beyond what shadows and lamps do.
FOREIGN_PITCH_MM = 2.0
FOREIGN_HUE = 0.06
FOREIGN_DARK = 0.35
FOREIGN_BRIGHT = 1.5
# Room around pieces in colour.
FOREIGN_ROOM_MM = 5.0

# --- sticks that fell flat on the table ---------------------------------------------------------------------------
# Plan view for them, mm a pixel, and how far from the origin a table is looked at.
FALLEN_PLAN_MM = 1.0
TABLE_HALF_MM = 700.0
# Round standing pieces so much is left out: shadows, and what is seen askew.
FALLEN_MARGIN_MM = 5.0
# What shows of a fallen stick is at least this share of its length, and at most this; its width at most this share.
FALLEN_LENGTH_SHARE = 0.55
FALLEN_LENGTH_MOST = 1.2
FALLEN_WIDTH_SHARE = 2.0
# Parts of at least this share of a stick, with standing pieces over at least this share of what parts them, are one.
FALLEN_PART_SHARE = 0.1
FALLEN_HIDDEN_SHARE = 0.8
# A road's end is moved from a column that explains nothing to another one this near.
DEPTH_BESIDE_DIAMETERS = 1.8
