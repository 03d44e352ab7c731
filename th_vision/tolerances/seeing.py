"""Columns and roads: where they are searched, how they are measured and chosen, and the sigmas of what comes out."""

from __future__ import annotations

# --- searching pieces ---------------------------------------------------------------------------------------------
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
# Sigma of a tip that shows a clear edge in colour; and how far from the middle of where its columns allow it a stick
# whose tips are not seen lies: players lay both ends about equally far over (each scatters by 3 mm).
TIP_SIGMA_MM = 0.5
TIPS_UNSEEN_MM = 2.1

# No more places than this are looked at as columns, best first: five times as many as a full game has.
MOST_CANDIDATES = 300

# --- measuring ----------------------------------------------------------------------------------------------------
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

# Edge points along a road are independent only this far from each other (they are smoothed over it).
AXIS_CORRELATION_MM = 3.0
# How colour is smoothed along and across an axis before its edges are looked for (sigma).
AXIS_SMOOTH_MM = 0.75
AXIS_SMOOTH_ACROSS_MM = 0.3
# How far from where it is expected an axis is looked for: first roughly, then closely.
AXIS_REACH_MM = (4.0, 2.0)

# --- choosing -----------------------------------------------------------------------------------------------------
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
# One of whose rim less than this is seen is not where it seems to be to a tenth of its width.
HARDLY_SEEN_RIM = 0.2
# Step in which a road's ends are shifted sideways in the coarse search, and at how many places along it is asked.
ROAD_SEARCH_STEP_MM = 1.0
ROAD_SEARCH_ROWS = 28
# What has fewer edges in the coarse search, or lies where a road was measured whose coarse score is better by this, is
# not measured.
ROAD_COARSE_EDGES = 0.4
ROAD_COARSE_BETTER = 0.15

# --- sigmas of what comes out -------------------------------------------------------------------------------------
# Centre of a column whose whole rim is seen; grows as less of the rim is.
RIM_SIGMA_MM = 0.1
# Heights of discs scatter by this; beside it the top of a column is known to the second (pads, the table itself).
DISC_HEIGHT_SIGMA_MM = 0.1
TOP_SIGMA_MM = 0.15
# A road's height when it is known what it rests on: tolerances of discs, thickness, bow, its own place in plan.
RESTING_SIGMA_MM = 0.2

# --- pieces known before ------------------------------------------------------------------------------------------
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
# An outline inside another is asked no nearer to that one than this (its own blurred edge is there), and says nothing
# where less of it than this is left.
T_JUNCTION_BAND_MM = 2.0
T_JUNCTION_LEAST_MM = 3.0
# Tips are not looked for this near to a rim or to the outline of a road above: it would be taken for one.
RIM_BLIND_MM = 2.0
# ... nor this near to the outline of a road that it is known to lie on; that one's colour, which is nearly its own,
# counts so much against a tip in front of it.
BELOW_BLIND_MM = 0.7
TIP_ON_STICK = 0.3
