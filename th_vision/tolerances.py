"""Every tolerance of seeing, each with its reason. Sizes of pieces are not here: they come from ``pieces.toml``.

Units are in the names: ``_px`` native depth pixels or disparity pixels, ``_mm`` millimetres.
"""

from __future__ import annotations

# --- the sensor -------------------------------------------------------------------------------------------------
# One matching kernel shows in noise and edges of D400 depth: about Gaussian, this wide in native pixels.
KERNEL_SIGMA_U_PX = 5.0
KERNEL_SIGMA_V_PX = 4.0
# Neighbouring pixels are correlated: one independent sample to about this many native pixels.
INDEPENDENT_NATIVE_PX = 230.0
# A pattern in disparity that frames don't average away and that is redrawn where the surface changes.
FIXED_PATTERN_PX = 0.065
# Least believable noise of one frame; a recording that shows less is too clean to be trusted.
FRAME_NOISE_FLOOR_PX = 0.02
# A disparity step up to about one pixel is blended by the kernel; from about three it is seen in full height
# (and fattened). Between, the share of the height goes over in an S: its middle and its width.
FATTENING_MIDDLE_PX = 2.0
FATTENING_WIDTH_PX = 0.5
# How well the share of a height that the kernel leaves is known, as a part of the height.
SHARE_SIGMA = 0.035

# --- the still view ---------------------------------------------------------------------------------------------
# A pixel counts as seen when at least this share of the frames has depth there.
SEEN_SHARE = 0.5
# Frames of a pixel may differ by this many sigmas of the frame noise before the pixel counts as restless.
RESTLESS_SIGMAS = 6.0
# Free table: within this many robust sigmas of the mode of the rise.
FREE_TABLE_SIGMAS = 3.0

# --- stillness --------------------------------------------------------------------------------------------------
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

# --- sources ----------------------------------------------------------------------------------------------------
# A recorded rotation is written with about 6 decimals; R R^T may differ from the identity by this much.
ROTATION_TOLERANCE = 1e-3
# Points of a cloud that share a pixel are one surface when they lie within this of the nearest; their mean counts.
CLOUD_SURFACE_MM = 4.0
# Holes between the points of a cloud get the colour (never the depth) of the nearest point within this.
CLOUD_COLOR_FILL_PX = 3.0
# An organised cloud is a pinhole camera's when its pixels fit one within this (largest residual).
ORGANISED_FIT_PX = 0.25

# --- change from one still moment to the next -------------------------------------------------------------------
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

# --- following the game -----------------------------------------------------------------------------------------
# A city object of the same kind this near to a known one is that one; beyond the second figure it was moved.
CITY_SAME_MM = 45.0
CITY_MOVED_MM = 4.0
# A new one is told when its kind is so probable; one that was seen is gone when so many readings in a row miss it.
CITY_KIND_SURE = 0.8
CITY_MISSED = 2
# Pieces that fit no move and lie this near to the edge of what is seen are supplies, not the game.
RIM_MM = 60.0
# The field's outline is taken from every so many-th pixel of the empty-table map.
RIM_STEP_PX = 16
# Cars still due are called to mind when nothing stirs for so long.
REMIND_S = 8.0
# Frames that can't be used for so long are told.
BLIND_S = 2.0
# So often a still picture is held against the one that the table was last read from, and so soon after something moved;
# so many looks in a row must agree.
STEADY_EVERY_S = 0.8
STEADY_SOON_S = 0.2
BUMP_LOOKS = 2
# Phase correlation of two pictures of one table scatters by 0.4 px (0.25 mm) at most while pieces come and go.
BUMP_MM = 1.0
BUMP_SIGMAS = 4.0
# A pose measured anew is gone on with up to so large a shift, where it is known so well at the picture's corners.
BUMP_MOST_MM = 150.0
BUMP_SIGMA_MM = 0.8
# Two pictures of one table at rest are alike by 0.96 and more on wood, and by 0.9 where a lamp throws other shadows; by
# 0.05 at most once it was pushed by some millimetres. Where they are no more alike than this at rest, texture tells nothing.
TEXTURE_TELLS = 0.6
BUMP_ALIKE = 0.4
# Of the picture so much differs where it is another picture as a whole.
BUMP_SHARE = 0.5
# Light that changed by more than this factor may change colours, too.
LIGHT_GAIN = 1.6
# Depth that drifted by more than this since calibration: time to calibrate again.
DRIFT_MM = 8.0
# What players said of a column's discs outweighs any reading (log-odds).
PLAYERS_SURE = 60.0
# A column whose road lies so many levels higher or lower than players say is not that column.
RECOUNT_LEVELS = 2

# --- searching pieces -------------------------------------------------------------------------------------------
# Cell of the plan grids in which places are searched; what is found is refined without a grid.
SEARCH_PITCH_MM = 1.0
# Nothing higher than this is searched as a column; what is higher is a hand or something foreign.
HIGHEST_COLUMN_MM = 140.0
# A column's middle may read this far from what its level would show: noise, and a part of its height (the kernel).
COLUMN_READING_SLACK_MM = 5.0
COLUMN_READING_SLACK = 0.08
# Candidates below this score (0 to 2) are not looked at; cheap, generous.
COLUMN_LEAST_SCORE = 0.75
# Contrast (8-bit steps per cell) at which an edge counts half.
EDGE_CONTRAST = 3.0
# Sticks are up to this much longer or shorter than pieces.toml says.
STICK_LENGTH_SLACK_MM = 2.5
# Pitch of the samples along and across a road.
STRIP_PITCH_MM = 0.5
# A road counts as present where depth shows its height less this much (or so many sigmas of a pixel, whichever is
# more): noise, and a part (kernel, bow).
ROAD_HEIGHT_SLACK_MM = 2.0
ROAD_HEIGHT_SIGMAS = 3.0
ROAD_HEIGHT_SLACK = 0.15
# Least share of its length that a road must be present in depth to be looked at.
ROAD_LEAST_PRESENCE = 0.75
# Roads down to the table are looked for from columns up to this level (the rules allow 1; a fault must be seen too).
OFFRAMP_HIGHEST_LEVEL = 2
RAMP_SEARCH_STEP_DEG = 4.0
RAMP_LEAST_PRESENCE = 0.8
# Sigma of a tip that shows a clear edge in colour.
TIP_SIGMA_MM = 0.5

# --- measuring --------------------------------------------------------------------------------------------------
# A colour counts as new against the empty table from this difference (8-bit steps, strongest channel).
NEW_COLOR = 28.0
# Something counts as raised when its height is this many of its sigmas.
RAISED_SIGMAS = 3.0
# How well one edge can be placed in colour, pixels: blur, demosaicing, the lens model and the camera's own pose.
COLOR_EDGE_SIGMA_PX = 0.4
# Neighbouring rim points are not independent: so many to one.
RIM_CORRELATION = 6.0
# A fit that scatters less than expected is not believed to be better than this share of the expectation.
LEAST_CHI2 = 0.5
# A road's end that lies on no column is on the table (or a thin area) when its top is no higher than this part of a
# disc above the stick's thickness; higher up there must be a column that wasn't seen.
ON_TABLE_DISCS = 0.7
# What lies higher hides a car whose middle is so near to its own, plan view.
HIDES_MM = 12.0
# A column whose roads lie still is not believed to have gone, if it seems to be no further off than this.
HELD_COLUMN_MM = 9.0
# A shift is told as a knock from here on; below, it is only followed.
KNOCK_MM = 3.2
# An earlier count of discs is mended when later readings are so sure of another one.
MENDED_CERTAIN = 0.99
# A road's end this far (in discs) above or below what its column's count says speaks against that count.
LIFTED_DISCS = 0.4
# Believed pieces: a colour of a car is trusted against the order of turns from this probability on.
OWNER_CERTAIN = 0.9
# Widths of sticks scatter by this.
STICK_WIDTH_SIGMA_MM = 0.4
# An end edge counts as clear from this strength (0 to 1).
TIP_CLEAR = 0.35
# Where only one of a stick's tips is clear, it must be as clear as this: a shadow can look like a tip.
LONE_TIP_CLEAR = 0.6
# How well a road's height is known when whole levels give it: it moves what is seen at an angle.
ROAD_HEIGHT_SIGMA_MM = 0.5

# --- asking the images whether a missed piece still stands -------------------------------------------------------
# Places that rose less than this before (disparity px) say nothing.
STANDS_LEAST_PX = 0.25
# A place is as it was when it keeps this share of its rise, or its colour within so many grey values ...
STANDS_SHARE = 0.7
STANDS_COLOR_LEVELS = 18.0
# ... and the piece stands when so many of its places are as they were (is gone when so many are not).
STANDS_SURE = 0.7
# A stick's colour along its length is even to this (8-bit steps) beside what it scatters itself.
OWN_COLOR_STEP = 8.0
# Lengths of sticks scatter by this.
STICK_LENGTH_SIGMA_MM = 0.8
# Tips are looked for this far past where they could rest: an end that sticks out must be seen as such.
TIP_BEYOND_MM = 6.0
# An outline is only told from another one beside it from this distance on.
RIM_BAND_MM = 1.3

# --- forward model ----------------------------------------------------------------------------------------------
# One sample's squared residual (in sigmas) is bounded near this, so that cars and foreign things don't decide.
MISFIT_BOUND = 16.0
# Pitch at which a rim is placed before the sub-cell step.
RIM_PITCH_MM = 0.5

# --- choosing ---------------------------------------------------------------------------------------------------
# A road is accepted from this presence in depth, these edges in colour, and not lower by more than this.
ROAD_ACCEPT_PRESENCE = 0.88
ROAD_ACCEPT_EDGES = 0.45
ROAD_ACCEPT_LOW_MM = 4.0
# Where both long edges and both tips are as clear as this, that presence will do.
ROAD_CLEAR_EDGES = 0.75
ROAD_CLEAR_TIPS = 0.6
ROAD_CLEAR_PRESENCE = 0.75
# What speaks for a road altogether (its presence, edges, tips and columns, about 0 to 4) must come to this.
ROAD_ACCEPT_SCORE = 0.6
# What is taken off that where a column that is clearly seen would stand in the road.
ROAD_THROUGH_COLUMN = 1.0
# New roads between the same columns whose tips are nearer to each other than this are one, measured twice.
ROAD_TWICE_MM = 1.0
# Roads that lie over each other for more than this share are one road seen twice.
ROAD_OVERLAP_SHARE = 0.3
# A column without a road needs a rim seen at least to this share.
LONE_COLUMN_RIM = 0.5
# Step in which a road's ends are shifted sideways in the coarse search, and at how many places along it is asked.
ROAD_SEARCH_STEP_MM = 1.0
ROAD_SEARCH_ROWS = 28
# What has fewer edges in the coarse search, or lies where a road was measured whose coarse score is better by this, is
# not measured.
ROAD_COARSE_EDGES = 0.4
ROAD_COARSE_BETTER = 0.15

# --- colour -----------------------------------------------------------------------------------------------------
# A sample has a piece's colour when its chroma is nearer than this share of that colour's own saturation.
COLOR_NEAR = 0.55
# A column is a junction when this share of the visible part of its top is yellow; below the second it isn't.
JUNCTION_YELLOW = 0.45
JUNCTION_GRAY = 0.2
# Two readings whose places in the picture are nearer than this share of a car's width are of one car (two that are both
# seen are a width apart); it stands on the road whose middle it is nearer to, the higher road being given this much
# (mm), for it hides what is below.
CAR_TWIN_WIDTHS = 0.85
CAR_UPPER_MM = 1.5
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

# --- sigmas of what comes out -----------------------------------------------------------------------------------
# Centre of a column whose whole rim is seen; grows as less of the rim is.
RIM_SIGMA_MM = 0.1
# Heights of discs scatter by this; beside it the top of a column is known to the second (pads, the table itself).
DISC_HEIGHT_SIGMA_MM = 0.1
TOP_SIGMA_MM = 0.15
# A road's height when it rests on columns of known level: tolerances of discs, thickness, bow.
RESTING_SIGMA_MM = 0.4

# --- pieces known before ----------------------------------------------------------------------------------------
# A known piece is looked for this far around its old place; what moved further is searched as something new.
KNOWN_REACH_MM = 6.0
# A rim elsewhere must be seen better by this share before a known column counts as shifted.
RIM_BETTER = 0.12
# A known road that rests within this of where it was measured needs no second measurement at its resting height.
KNOWN_HEIGHT_MM = 0.5
# Known roads come before all new ones.
KNOWN_SCORE = 100.0
# Hidden tips are believed to be where they were unless what is seen disagrees by so many sigmas.
KNOWN_SIGMAS = 3.0
# What rises by more than this (mm) over what known pieces show, further than this from them in plan (mm), is open:
# something new may stand there. It needs at least this area (mm2), and a new piece this share of what it covers.
OPEN_MM = 3.0
OPEN_RIM_MM = 2.5
OPEN_LEAST_MM2 = 40.0
OPEN_COLUMN_SHARE = 0.2
OPEN_ROAD_SHARE = 0.3
# A known column's level is not asked again from this probability on, while nothing around it changes.
LEVELS_CERTAIN = 0.99
# On a known road only a candidate with at least this share of a rim can be a column.
ON_ROAD_RIM = 0.4
# One road's outline must be seen better by this (0 to 1) before it counts as lying on the other.
# Where a third one covers both, that counts only so much.
ON_TOP_CLEAR = 0.2
ON_TOP_BELOW_ANOTHER = 0.3
# Tips are not looked for this near to a rim or to the outline of a road above: it would be taken for one.
RIM_BLIND_MM = 2.0

# --- depth alone ------------------------------------------------------------------------------------------------
# Grid on which depth is compared with its model: finer cells say nothing new (the kernel is wider).
DEPTH_GRID_MM = 1.3
# Sides of large steps grow by about this (native pixels; 2-8 sideways, 1-4 up and down were measured).
FATTENING_U_PX = 5.0
FATTENING_V_PX = 2.0
# Steps below the first (disparity px) are blended, from the second on they are two surfaces.
BLENDED_STEP_PX = 1.0
SPLIT_STEP_PX = 3.0
# The kernel's window reaches so many of its sigmas.
KERNEL_REACH_SIGMAS = 2.5
# How far the model itself may be off: everywhere, and as a part of the height (bow, leaning discs, scale).
DEPTH_MODEL_MM = 0.4
DEPTH_MODEL_SHARE = 0.02
# Putting two columns wholly into each other costs this much.
DEPTH_COLLISION = 400.0
# Ends are laid about so far past the middle of a column, and scatter by this along and across.
DEPTH_OVERHANG_MM = 3.5
DEPTH_OVERHANG_SIGMA_MM = 3.0
# Times each step of a coordinate descent is tried at most.
DEPTH_SWEEPS = 3
# Least gain (chi-square) for which a road is believed, what each new column under it adds, and for a column alone.
DEPTH_ROAD_GAIN = 15.0
DEPTH_NEW_POST_GAIN = 5.0
DEPTH_POST_GAIN = 12.0
# A piece already put in stays only while taking it out costs this share of those gains.
DEPTH_KEEP_SHARE = 0.6
# New columns nearer than this part of a diameter to one that stands are that one.
DEPTH_SAME_POST = 0.8
# Hypotheses are looked at from this share of those gains before they are moved; so many of the best are moved at once.
DEPTH_LOOK_SHARE = 0.3
DEPTH_LOOK_AT = 4
# Sticks below an end, on average, and how they scatter (with discs' heights and bow), in sticks.
DEPTH_USUAL_STICKS_BELOW = 0.25
DEPTH_LIFT_SIGMA_STICKS = 0.6
# Each further end on a column lifts them by so many on average, and they scatter by so many more: sloping ends lie askew
# on each other.
DEPTH_STICKS_AN_END = 0.65
# Step in height for a step in plan.
DEPTH_LIFT_STEP = 0.5
# Which of two roads lies on top is sure from this difference in energy on.
DEPTH_ORDER_SURE = 10.0
# Step at which it is looked how steeply the energy rises; how the sigma follows from it; a place nothing holds.
DEPTH_STIFFNESS_STEP_MM = 1.5
DEPTH_SIGMA_GAIN = 0.75
DEPTH_LEAST_STIFFNESS = 0.02
# What depth leaves unknown in plan beside that: the camera's own pose and ragged edges' common part.
DEPTH_COLUMN_XY_MM = 0.5
DEPTH_ROAD_ACROSS_MM = 0.5
DEPTH_ROAD_ALONG_MM = 1.6
# ... and this part of it where edges are sharp.
DEPTH_SHARP_SIGMA_SHARE = 0.6
# Differences of energy count this much as evidence for a level (model errors are common to neighbours).
DEPTH_EVIDENCE = 0.4
# A place that shows this much less of a rim (0 to 1) than the best one may still be the true one.
RIM_RIVAL = 0.06
# Rims are weighed against each other that lie at least so far apart and are seen as well as the best but for this share;
# the outline of its foot speaks for one with this weight, where it appears further than this from the rim.
RIM_PEAKS_MM = 2.5
RIM_PEAK_SHARE = 0.35
FOOT_WEIGHT = 0.5
FOOT_LEAST_MM = 2.0
# A known column that was not touched is seen within this of its old place.
RIM_STAYS_MM = 1.0
# One that is seen there as clearly as this is looked for nowhere else.
RIM_STANDS = 0.42
# Hypotheses whose ends are nearer to each other than this say the same.
DEPTH_SAME_MM = 7.0
# What a whole rim in colour says for a level, as the logarithm of its odds.
RIM_EVIDENCE = 12.0
# A column may stand into a road that it doesn't carry by this part of their reach before that speaks against both.
DEPTH_PIERCED_SLACK = 0.25
# Places for cars on a road, how many at most, and the least gain for which one is believed.
DEPTH_CAR_STEP_MM = 3.0
DEPTH_MOST_CARS = 4
DEPTH_CAR_GAIN = 10.0
# A new road or lone column must lower the misfit to depth by this (chi-square of independent samples) to be believed.
# The clearer a road's long edges are seen (0 to 1, from the first to the second share), the less depth must say.
ROAD_LEAST_GAIN = 10.0
ROAD_CLEAR_GAIN = 2.5
ROAD_GAIN_EDGES = (0.55, 0.74)
COLUMN_LEAST_GAIN = 4.0
# A road from a standing column down to the table is tried where depth shows this share of its height.
DEPTH_RAMP_SHARE = 0.35
# How often what was chosen is looked through for ghosts and chosen anew without them.
GHOST_ROUNDS = 14
# A column must be placed to this for its colour to be believed in full.
JUNCTION_PLACE_MM = 0.8

# --- things that are no pieces -----------------------------------------------------------------------------------
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

# --- depth alone: looking again ---------------------------------------------------------------------------------
# How often a first choice is mended at most.
DEPTH_REPAIRS = 4
# A road that was kept out is tried again when this share of its axis stands out by this much over what is explained.
DEPTH_UNEXPLAINED_SHARE = 0.25
DEPTH_UNEXPLAINED_MM = 4.0

# --- sticks that fell flat on the table --------------------------------------------------------------------------
# Plan view for them, mm a pixel, and how far from the origin a table is looked at.
FALLEN_PLAN_MM = 1.0
TABLE_HALF_MM = 700.0
# Round standing pieces so much is left out: shadows, and what is seen askew.
FALLEN_MARGIN_MM = 5.0
# What shows of a fallen stick is at least this share of its length, and at most this; its width at most this share.
FALLEN_LENGTH_SHARE = 0.55
FALLEN_LENGTH_MOST = 1.2
FALLEN_WIDTH_SHARE = 2.0
# A road's end is moved from a column that explains nothing to another one this near.
DEPTH_BESIDE_DIAMETERS = 1.8

# --- sharp or soft edges ----------------------------------------------------------------------------------------
# Free table that scatters less than this was seen by no stereo matcher (a few dozen frames averaged leave 0.015).
SHARP_SD_PX = 0.008
# A matching window narrower than this part of the usual is none; within the second band it is the usual one.
SHARP_BELOW = 0.25
SOFTNESS_USUAL = (0.78, 1.3)
SHARP_LEAST_PIXELS = 500
# What is left of the kernel where edges are sharp: the pixel itself.
SHARP_KERNEL_SHARE = 0.1
# Residuals of sharp views are the model's: still this share of a stereo camera's area to one independent sample.
SHARP_INDEPENDENT_SHARE = 0.3
# Levels less probable than this are tried again with what lies on them.
DEPTH_LEVEL_SURE = 0.9
# No more places than this are looked at as columns, best first: five times as many as a full game has.
MOST_CANDIDATES = 300

# Edge points along a road are independent only this far from each other (they are smoothed over it).
AXIS_CORRELATION_MM = 3.0
# How colour is smoothed along and across an axis before its edges are looked for (sigma).
AXIS_SMOOTH_MM = 0.75
AXIS_SMOOTH_ACROSS_MM = 0.3
# How far from where it is expected an axis is looked for: first roughly, then closely.
AXIS_REACH_MM = (4.0, 2.0)
# A car's place on its road: both ends are seen at an angle.
CAR_SIGMA_MM = 0.4
# Of what type a car is (th_vision/detect/car_types.py). One that was told so surely and stands within this keeps it.
CAR_TYPE_SURE = 0.98
CAR_STAYS_MM = 2.0
# An end of it this near to what lies between it and the camera may be hidden; then its brightness counts so much.
CAR_HIDDEN_MM = 1.5
CAR_HIDDEN_TRUST = 0.2
# A road is looked at so far to either side; a car's colour so far from its middle; it is there from this share of it on.
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
# Depth shows cars lower than they are by this share of the kernel's width, with this sigma; what is odd about a height counts no more than this.
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

# --- measuring a set's pieces (th_vision/enroll) ------------------------------------------------------------------
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

# --- city objects -------------------------------------------------------------------------------------------------
# Cell of the plan pictures in which they are looked for first, and in which their outlines are placed, mm.
CITY_COARSE_MM = 3.0
CITY_PITCH_MM = 1.5
CITY_FINE_MM = 0.75
CITY_ROOM_MM = 6.0
# Change of colour against the empty table that no shadow makes, as logarithm: of tint, lighter, darker.
CITY_TINT = 0.06
CITY_LIGHT = 0.09
CITY_DARK = 0.95
# Such changes as 8-bit steps, for the edges between them: at most so many a logarithm, and what is noise so few.
CITY_CHANGE_LEVELS = 300.0
CITY_NOISE_LEVELS = 1.0
# Any change of colour beyond so many times its scatter counts, in full from here; so far from a rim it is asked, and counts so much beside the edges.
CITY_FAINT = 0.05
CITY_FAINT_NOISE = 1.5
CITY_NEXT_MM = 1.0
# A rim is asked every so many mm along it, in so many steps of this size in and out. Turns are tried down to this.
# At the end what is next to it counts only so much beside the edges: shadows are next to it, too.
CITY_ALONG_MM = 2.0
CITY_STEP_MM = 0.25
CITY_STEPS = 12
# A frame may be printed so many steps inside a rim (at most, at least); each mm costs so much of the rim's share.
CITY_INSET_STEPS = 12
CITY_INSET_LEAST = 4
CITY_INSET_COST = 0.06
CITY_LEAST_TURN_DEG = 0.1
CITY_FIRST_WEIGHT = 0.3
CITY_NEXT_WEIGHT = 0.0
# A card fills a window of this share of the smallest card's side: it rises there by most of its height, and by so many
# sigmas of the mean (depth), or this share of it has another colour; so much of the window must be free to be seen.
# Where more of the table than the last looks new, colour says nothing.
CITY_WINDOW = 0.6
CITY_LOW_SIGMAS = 5.0
CITY_SOLID = 0.85
CITY_FREE = 0.35
CITY_MOST_NEW = 0.5
# What rises by more than this over a card is no part of the card.
CITY_LOW_MM = 4.0
# Turns at which a card is tried, degrees, and how it is moved to fit better: mm and degrees.
CITY_TURN_DEG = 5.0
# A card is worth moving to where it fits from this coarse score on (about 1: all of its rim), and from this share of
# the best one at its place: no further off than this.
CITY_GUESS_SCORE = 0.55
CITY_GUESS_SHARE = 0.7
CITY_ONE_PLACE_MM = 30.0
# So far to either side of a rim it is asked what looks new. Depth is blurred over so much.
CITY_BESIDE_MM = 2.5
CITY_BLUR_MM = 6.0
# Least score of a card (rim 1, new 0.5, depth 0.5) and least of its rim; two cards share no more than this.
CITY_LEAST_SCORE = 1.0
CITY_LEAST_RIM = 0.45
# Of two cards at one place the larger one is given this for each e-fold of area.
CITY_LARGER = 0.3
CITY_OVERLAP = 0.06
# Odds between two kinds at one place: e to this times the difference of their scores.
CITY_KIND_SHARPNESS = 30.0
# ... of rim and this part of what is new beside it.
CITY_KIND_NEW = 1.0
# How far a card's colour just inside its rim may differ from side to side: counts so much, up to so much (logarithm).
CITY_UNEVEN = 3.0
CITY_UNEVEN_MOST = 0.15
# What a card's sides differ in tint counts so much when it is asked whether its rim is seen or a frame inside of it;
# odds of that: e to this times the difference.
CITY_UNTINTED = 20.0
CITY_FRAME_SHARPNESS = 6.0
# A card with this score is as probably none; odds of that: e to this times the difference.
CITY_DOUBTED_SCORE = 1.35
CITY_SCORE_SHARPNESS = 12.0
# A corner's place, each coordinate.
CITY_SIGMA_MM = 0.35
# How much cards of one kind differ in height.
CITY_CARD_HEIGHT_MM = 0.2
# Connected parts of a view smaller than this are noise. A part is looked at as a building from this share of its height.
CITY_PART_MM2 = 60.0
CITY_SOLID_SHARE = 0.4
# A roof is what is higher than this share, its outline what is higher than this part of its own top; sides may read so much longer or shorter than they are by depth.
CITY_ROOF_SHARE = 0.75
CITY_ROOF_PART = 0.9
# A building is wider than a column by this part of what their sizes differ.
CITY_WIDER = 0.25
# Its corners are filled at this share of their distance, but for one perhaps. No other card lies this near to it.
CITY_FILLED = 0.65
CITY_BUILT_MM = 10.0
CITY_SOLID_SLACK_MM = 8.0
# Ragged rims narrower than this are no part of a roof.
CITY_RAGS_MM = 9.0
# How well depth shows a height: everywhere, and as a part of it; how many sigmas a thing may be off to be of a kind; how
# alike the pieces of one kind are.
CITY_HEIGHT_MM = 0.8
CITY_HEIGHT_SHARE = 0.02
CITY_HEIGHT_SIGMAS = 4.0
CITY_OWN_HEIGHT_MM = 0.5
# A roof's outline counts as seen from this share; its corners' sigma then, and where only depth says where it is.
CITY_ROOF_RIM = 0.35
# Below the first it is looked for further off, and believed there where it is clearer by the second
# and no further off than the third.
CITY_ROOF_CLEAR = 0.65
CITY_ROOF_BETTER = 0.15
CITY_ROOF_FAR_MM = 6.0
CITY_ROOF_SIGMA_MM = 0.5
CITY_DEPTH_SIGMA_MM = 2.5
# A tower is no column: less than this share of what is a disc wide about its middle lies within this of its top. Its
# foot has another tint than what it stands on; sigmas of its corners and of its height (a mast is too thin for depth).
CITY_FLAT_MM = 4.0
CITY_FLAT_SHARE = 0.7
CITY_FOOT_TINT = 0.12
CITY_TOWER_SIGMA_MM = 1.2
CITY_TOWER_HEIGHT_MM = 1.0
# What rises from a card by this, and of which this share lies over it or so near to it, stands on it.
CITY_OBSTACLE_MM = 5.0
CITY_INSIDE_MM = 3.0
CITY_WITHIN_SHARE = 0.95
# An arch: at least so high, its bow so thick and so deep; its feet may stand so far outside the card.
CITY_ARCH_LEAST_MM = 30.0
CITY_ARCH_BAND_MM = 9.6
CITY_ARCH_DEPTH_MM = 6.0
CITY_ARCH_OUT_MM = 8.0
# A harbor adjoins what lies so near to it.
CITY_ADJOINS_MM = 3.0
# A known card lies where it lay: by how much more its colour differs from the table's inside than outside of a side, the
# clearest side at least, and the others in parts of that; where no side is clear, by this share of its height. Around
# what stands in the city so much more of depth is not believed.
CITY_STILL_CHANGE = 0.04
CITY_STILL_SHARE = 0.3
CITY_STILL_RISE = 0.7
CITY_MASK_MM = 1.5
