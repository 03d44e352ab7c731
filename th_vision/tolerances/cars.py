"""Colours, cars and their types."""

from __future__ import annotations

# --- colour -------------------------------------------------------------------------------------------------------
# A sample has a piece's colour when its chroma is nearer than this share of that colour's own saturation.
COLOR_NEAR = 0.55
# A column is a junction when more than this share of what is seen of its top is yellow; sure when it is so much more or
# less, and when at least so much is seen.
JUNCTION_YELLOW = 0.4
JUNCTION_CLEAR = 0.35
JUNCTION_SEEN_MM2 = 12.0
# What was so sure of a column stays while it stands.
JUNCTION_SURE = 0.99
# Two readings whose places in the picture are nearer than this share of a car's width are of one car (two that are both
# seen are a width apart); it stands on the road whose middle it is nearer to, the higher road being given this much
# (mm), for it hides what is below.
CAR_TWIN_WIDTHS = 0.85
CAR_UPPER_MM = 1.5
# So near to the middle of the upper road, in stick widths, nothing of a car on a lower one is seen: what is seen beside
# the stick has its middle further out, at the field's edge, too, where a car's top is seen 4 mm beside its foot.
CAR_WITHIN_WIDTHS = 0.3
# What lies no further than this past a car's end in the picture is that car, read from another road.
CAR_ROOM_MM = 4.0
# Nothing lower than this is taken for a car on a road; what a car lifts in depth reaches this many kernel sigmas out.
CAR_LEAST_RISE_MM = 5.0
CAR_SPREAD_SIGMAS = 1.5
# The sticks' colour under this light is taken from the best so many roads.
COLOR_FROM_ROADS = 12
# Where so few places a road, so far apart, have a player's colour, no car stands.
CAR_ROUGH_MM = 1.5
CAR_ROUGH_PLACES = 5
# A car must show at least this share of the smallest car's top.
CAR_LEAST_AREA = 0.4

# --- cars ---------------------------------------------------------------------------------------------------------
# A car's place on its road: both ends are seen at an angle.
CAR_SIGMA_MM = 0.4
# Of what type a car is (th_vision/detect/car_types.py). One that was told so surely and stands within this keeps it.
CAR_TYPE_SURE = 0.98
CAR_STAYS_MM = 2.0
# An end of it this near to what lies between it and the camera may be hidden; then its brightness counts so much.
CAR_HIDDEN_MM = 1.5
CAR_HIDDEN_TRUST = 0.2
# A car whose end is hidden is longer than what shows by no more than what hides it and this.
CAR_HIDDEN_SLACK_MM = 3.0
# A road is looked at so far to either side; a car's colour so far from its middle; it is there from this share of it
# on.
CAR_STRIP_MM = 9.0
CAR_CORE_MM = 2.5
CAR_LEAST_COLOUR = 0.25
# A colour seems longer than it is by this (chroma is blurred, and its half is nearer to gray); sigma of a length then.
CAR_COLOUR_GROWS_MM = 0.27
CAR_LENGTH_SIGMA_MM = 0.15
# The far end's edge that is seen lies at this share of a car's height, with this spread, and so much of its box is
# filled, where its cabin is not known; where it is, shares are known to the second spread. Cabins are narrower.
CAR_EDGE_SHARE = 0.6
CAR_EDGE_SPREAD = 0.2
CAR_FILL = (0.77, 0.1)
CAR_KNOWN_SPREAD = 0.05
CAR_CABIN_WIDTH = 0.88
# Depth shows cars lower than they are by this share of the kernel's width, with this sigma; what is odd about a
# height counts no more than this.
CAR_READS_LOW_SHARE = 0.17
CAR_HEIGHT_SIGMA_MM = 0.8
CAR_HEIGHT_MOST = 9.0
# Brightness along a car: ends left out, blur, how far faces differ from one brightness (logarithm), independent samples
# to a mm, and how firmly the faces' levels are held together.
CAR_END_MM = 0.7
CAR_TONE_BLUR_MM = 0.45
CAR_TONE_SIGMA = 0.03
CAR_TONE_SAMPLE_MM = 1.5
CAR_TONE_HELD = 0.05
# A type that fits worse than this (chi-square) is no more probable than a car like none of them.
CAR_LIKE_NONE = 40.0
