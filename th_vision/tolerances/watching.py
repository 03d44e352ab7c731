"""Whether anything moves, and what changed from one still moment to the next."""

from __future__ import annotations

# --- stillness ----------------------------------------------------------------------------------------------------
# Depth frames are compared in blocks of this many native pixels: about one independent sample each.
STILL_DEPTH_BLOCK_PX = 8
# Of its pixels every so many-th in each direction is looked at.
STILL_DEPTH_EVERY_PX = 2
# Colour images are compared at this width, pixels: a block is then 3 to 5 mm on the table.
STILL_COLOR_WIDTH_PX = 320
# Medians of a whole picture are taken from every so many of its places.
STILL_MEDIAN_EVERY = 3
# The mean of 3 x 3 depth blocks differs between two frames of the same scene by 0.06 px at most (noise 0.13 px).
STILL_DISPARITY_PX = 0.35
# Grey values of a colour block: noise and JPEG stay below 4, a stick on wood differs by 10 or more.
STILL_COLOR_LEVELS = 9.0
# Never below this many robust sigmas of the difference itself, whatever the numbers above say.
STILL_SIGMAS = 6.0
# Area that must have changed: a car covers 128 mm2 in plan view, a flicker of an edge less.
STILL_DEPTH_AREA_MM2 = 250.0
STILL_COLOR_AREA_MM2 = 50.0
# A still moment needs this many frames, and is read with so many: 0.4 s at 15 frames a second. Where something is open
# then, a longer look at the last so many of those frames follows; still more bring little (a fixed pattern remains).
STILL_FRAMES = 2
STILL_ENOUGH_FRAMES = 6
STILL_LONGER_FRAMES = 18
STILL_KEPT_FRAMES = 12
# So many frames in a row from before the last one are no stragglers: the source's clock was set.
LATE_FRAMES = 8
# A hand: what stands this much higher than the table as it last stood still ...
HAND_RISE_MM = 22.0
# ... and is wider than any piece can look (a stick of 10 mm fattened by 8 px is 27 mm wide), and so large ...
HAND_WIDTH_MM = 34.0
HAND_AREA_MM2 = 1500.0
# ... or comes in from the rim of the picture with this area.
HAND_RIM_AREA_MM2 = 900.0
# Something large that doesn't move for so long is no hand but part of the table (a supply pile, a bag).
HAND_FROZEN_S = 4.0
HAND_FROZEN_FRAMES = 8
# A frame with depth on less than this share of what the empty table shows can't be used ...
FRAME_SEEN_SHARE = 0.55
# ... nor one whose colour is darker than this (mean grey value).
FRAME_DARK_LEVELS = 12.0
# A still view with depth on less than this share of the table says nothing of what stands there.
VIEW_LEAST_SHARE = 0.02
# With 30 roads on it, 95 % of the table has depth; where much less has, something is wrong.
VIEW_USUAL_SHARE = 0.8
# Two frames show other things where so many squares of this side differ by more than this on the mean: of one scene by
# 5 levels at most, real pictures too; a car or an end of a stick by 30 in six squares. Depth by 0.3 px, a car by 1 px,
# but on real frames 60 squares at edges flicker by 2 px: where there is colour, depth has to tell of a hand only.
OTHER_SQUARE_PX = 8
OTHER_SQUARES = 4
OTHER_LEVELS = 12.0
OTHER_DEPTH_PX = 0.7
HAND_SQUARES = 60
HAND_DEPTH_PX = 3.0
# What is nearer to its limit than so many sigmas is marked as a doubt in the picture of one look.
DOUBT_SIGMAS = 2.0

# --- change from one still moment to the next ---------------------------------------------------------------------
# A piece has moved when its shift is more than this and more than some sigmas; less is the same piece read anew.
MOVED_MM = 3.0
MOVED_SIGMAS = 4.0
# The tips of a stick are less certain along it, and heights are read in whole levels.
MOVED_ALONG_MM = 6.0
MOVED_HEIGHT_MM = 6.0
# A road went along with the column below it where its end went by this share of the column's way.
WENT_ALONG = 0.5
# Readings of one road: tips this far apart at most (mm) are tried as the same stick before anything else.
SAME_ROAD_MM = 14.0
# A piece that is gone and one of its kind that is new this near are one piece that was pushed ...
PUSHED_MM = 40.0
# ... or, if the new one lies flat on the table, one that fell this far.
FALLEN_MM = 160.0
# Readings of the same piece share most of their error (fixed pattern, calibration): their correlation.
READING_CORRELATION = 0.75
# Readings of one column's levels count as so many independent ones: n / (1 + (n - 1) * correlation).
# A piece that one reading misses, while all around stands as it stood, is believed this many readings.
BELIEVED_UNSEEN = 2
# ... if it misses no more than so many.
MISSED_AT_ONCE = 3
# A player's seat is believed after so many hands that came from one side (length of their mean direction), and a hand
# is a player's within this angle of the seat, where all other seats are further than the second one.
SEAT_SEEN = 2
SEAT_STEADY = 0.85
SEAT_WITHIN_DEG = 40.0
SEAT_APART_DEG = 60.0
# So many columns at least, and of them this share, that all went one way leaving less than this: the table was moved.
TOGETHER_COLUMNS = 4
TOGETHER_SHARE = 0.75
TOGETHER_LEFT_MM = 2.0
# A move taken back is told though a reading misses so many other pieces with it.
MISSED_BESIDE = 1
# Two columns, or two cars, nearer to each other than this share of their size are one, read twice.
TWIN_SHARE = 0.6
# Two roads whose tips are this near to each other, both of them, are one, read twice.
TWIN_ROADS_MM = 8.0
# A new road of which so much lies along another one, and that leads to no column, is a reading gone wrong.
WITHIN_SHARE = 0.5
# A road's tip may be this far outside a column's rim, plan view, to be taken as lying on it ...
RESTS_XY_MM = 8.0
# ... and this far from the column's top in height (about a level and a half).
RESTS_Z_MM = 16.0

# --- asking the images whether a missed piece still stands --------------------------------------------------------
# Places that rose less than this before (disparity px) say nothing.
STANDS_LEAST_PX = 0.25
# A place is as it was when it keeps this share of its rise, or its colour within so many grey values ...
STANDS_SHARE = 0.7
STANDS_COLOR_LEVELS = 18.0
# ... and the piece stands when so many of its places are as they were (is gone when so many are not).
STANDS_SURE = 0.7
# A column was pushed when so many of the places so far inside and outside its rim, at so many angles, changed colour.
STIRRED_ANGLES = 24
STIRRED_MM = 2.0
STIRRED_SHARE = 0.2
# A stick's colour along its length is even to this (8-bit steps) beside what it scatters itself.
OWN_COLOR_STEP = 8.0
# Lengths of sticks scatter by this.
STICK_LENGTH_SIGMA_MM = 0.8
# Tips are looked for this far past where they could rest: an end that sticks out must be seen as such.
TIP_BEYOND_MM = 6.0
# An outline is only told from another one beside it from this distance on.
RIM_BAND_MM = 1.3
