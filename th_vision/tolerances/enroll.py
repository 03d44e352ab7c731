"""Measuring a set's pieces (``th_vision/enroll``)."""

from __future__ import annotations

# How far every edge in colour may lie off together, pixels: blur that isn't even, the camera's gamma, sharpening.
ENROLL_EDGE_PX = 0.15
# Blur of the lens and of demosaicing, pixels (sigma).
ENROLL_BLUR_PX = 0.7
# Sides of a piece that show less than this have no light of their own.
ENROLL_LEAST_SIDE_MM = 0.3
# Weight of an edge below which the piece's side shows: rounded rims and shades blur it.
ENROLL_SIDE_TRUST = 0.1
# Light on faces and places in parts of the full light, usual value, spread, least and most: a top of one
# colour, faces of a car, sides, a shadow next to the piece, the table beyond it.
ENROLL_LIGHTS = {
    "top": (1.0, 0.03, 0.85, 1.15),
    "face": (1.0, 0.15, 0.6, 1.3),
    "side": (0.7, 0.4, 0.1, 1.25),
    "shadow": (0.6, 0.3, 0.1, 0.95),
    "table": (1.0, 0.25, 0.35, 1.1),
}
# How well such a picture describes what is seen, linear light.
ENROLL_LIGHT_SIGMA = 0.01
# One profile counts at most so much when the picture's heights are compared.
ENROLL_COST_BOUND = 20.0
# A shadow whose colour differs by less than this (share of squared light) from the piece's is part of the piece.
ENROLL_ALIKE = 0.12
# A narrow shadow beside the piece must fit this much better than none.
ENROLL_STRIP_COST = 1.25
# A shadow is the same over about so many points of an outline.
ENROLL_SHADOW_POINTS = 4.0
# An edge is clear when moving it away costs this many times what misfit there is.
ENROLL_CLEAR_RISE = 2.0
# Least share of an outline that must be clear, how far a fit may stray from where it began, and bound of a misfit.
ENROLL_LEAST_SEEN = 0.35
ENROLL_STRAY_MM = 8.0
ENROLL_MISFIT_MM = 1.0
# The kernel's width is known to this part. Table around a thing that its height is measured against, and the least
# height that is fitted.
ENROLL_KERNEL_SIGMA = 0.1
ENROLL_AROUND_MM = 25.0
ENROLL_LEAST_HEIGHT_MM = 0.2
# Ripple moves with disparity: a height over the empty table's map errs by this part of it.
ENROLL_RIPPLE_SHARE = 0.012
# Disparities are drawn to whole pixels: a low height errs by this part of it.
ENROLL_LOCKING_SHARE = 0.06

# Finding what was laid out: cell of the plan pictures, and their smoothing.
ENROLL_PITCH_MM = 0.6
# Colour against the empty table's, as logarithm: of chroma, of brightness, and darker than shadows make it.
ENROLL_CHROMA = 0.07
ENROLL_BRIGHT = 0.12
ENROLL_BLACK = 0.9
# Raised: this high (mm) and so many sigmas of a pixel.
ENROLL_RAISED_MM = 2.8
ENROLL_RAISED_SIGMAS = 3.5
# Least area of a thing, of a change of colour that is looked at, and the gap that is closed inside of one.
ENROLL_THING_MM2 = 40.0
ENROLL_FLAT_MM2 = 250.0
ENROLL_CLOSE_MM = 2.0
# A flat thing stands this many sigmas over the table, or this share of it has a colour that no shadow makes. Things so
# near to the rim of the field are not looked at.
ENROLL_FLAT_SIGMAS = 2.0
ENROLL_SOLID_SHARE = 0.6
# What looks like a shadow and isn't shaped like a stick must stand so many sigmas over the table.
ENROLL_SHADOW_SIGMAS = 4.5
ENROLL_RIM_MM = 6.0
# A stick as it may be: length and width (mm), length in widths, and nothing thicker.
ENROLL_STICK_LENGTH_MM = (60.0, 260.0)
ENROLL_STICK_WIDTH_MM = (5.0, 25.0)
ENROLL_STICK_WIDTHS = 4.5
ENROLL_STICK_THICK_MM = 6.0
# Pieces of one row lie this near to its line; rows are this far apart.
ENROLL_ROW_MM = 20.0
# A stick lies askew in its row by up to this (mm a mm).
ENROLL_ASKEW = 0.08
ENROLL_ROW_GAP_MM = 18.0
# With more of the picture new than this, light or camera are others.
ENROLL_MOST_NEW = 0.4
# A stack is higher than this. A disc is yellow from this chroma on.
ENROLL_STACK_MM = 24.0
ENROLL_YELLOW = 0.12
# So far inside its rim the top of something high is flat in depth; a card is, beside what stands on it.
ENROLL_TOP_INSET_MM = 3.0
ENROLL_CARD_INSET_MM = 9.0
# One kind of ends must fit so many times better than the other; misfits below this tell nothing.
ENROLL_ENDS_SURE = 1.5
ENROLL_ENDS_LEAST_MM = 0.05
# How a stick bows: its volume then holds air.
ENROLL_BOW_MM = 0.06
# What part of its box a car fills, with the spread of that; heights of faces, and how far outlines of cars, of cards
# and buildings may be off beside what is seen: round corners, prints, shadows.
ENROLL_CAR_FILL = (0.86, 0.08)
ENROLL_COST_SPREAD = 0.3
ENROLL_CAR_MM = 0.2
ENROLL_CITY_MM = 0.4
ENROLL_ROOF_MM = 1.5
# A side of a city object with less of it clear was not seen.
ENROLL_LEAST_SIDE = 0.6
# A side whose place is only known to this was not seen. The table's own colour keeps its tint to this (logarithm).
ENROLL_UNSEEN_MM = 2.0
ENROLL_TABLE_TINT = 0.008
# What is this near to a top's colour (logarithm) belongs to it.
ENROLL_PATCH_COLOR = 0.13
# Colours nearer to each other in chroma than this are taken for one another.
ENROLL_COLORS_APART = 0.06
# Sigmas up to which a size is good enough to be used (mm): plan sizes, a stick's thickness, a disc's height, heights of
# cars and of city objects.
ENROLL_GOOD_PLAN_MM = 0.6
ENROLL_GOOD_BOX_MM = 1.2
ENROLL_GOOD_THICK_MM = 0.5
ENROLL_GOOD_DISC_MM = 0.4
ENROLL_GOOD_CAR_MM = 2.0
ENROLL_GOOD_CITY_MM = 2.0
# Single discs, and the stack, must tell the same height of a disc to so many sigmas; a size must be this near to what
# game sets have (share of the usual), to be believed without a word.
ENROLL_AGREE_SIGMAS = 3.0
ENROLL_USUAL_SHARE = 0.4
# A recording's still moments: frames that are fused at most, and how near (mm) the same layout lies in two of them.
ENROLL_FRAMES = 36
ENROLL_SAME_MM = 3.0
# A live layout from which a disc is missing is taken when it has stood so long.
ENROLL_WAIT_S = 20.0
