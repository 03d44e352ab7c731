"""The forward model of depth, and what is read by it."""

from __future__ import annotations

# --- forward model ------------------------------------------------------------------------------------------------
# One sample's squared residual (in sigmas) is bounded near this, so that cars and foreign things don't decide.
MISFIT_BOUND = 16.0
# Pitch at which a rim is placed before the sub-cell step.
RIM_PITCH_MM = 0.5

# --- depth alone --------------------------------------------------------------------------------------------------
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
# A column under one end alone is asked against the table where less of its rim than this is seen; what is seen of a rim
# where there is none; levels that are tried under an end that lies on the table, and the odds (logarithm) they need.
GROUND_RIM = 0.4
GROUND_RIM_USUAL = 0.3
GROUND_LEVELS = 2
GROUND_COLUMN_SURE = 2.0
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
# Where it is known what an end lies on, it lies that high within this (bow, plan errors of depth alone).
DEPTH_RESTS_SIGMA_MM = 0.4
# Each further end on a column lifts them by so many on average, and they scatter by so many more: sloping ends lie
# askew on each other.
DEPTH_STICKS_AN_END = 0.65
# Step in height for a step in plan.
DEPTH_LIFT_STEP = 0.5
# Which of two roads lies on top is sure from this difference in energy on.
DEPTH_ORDER_SURE = 10.0
# The same where colour is asked as well: of each column so often at most, all orders of so many ends, in cells so many
# pixels wide (the kernel is wider), around sticks that moved by this. Less than the last is no move.
STACK_ROUNDS = 3
STACK_ALL_ORDERS = 3
STACK_CELL_PX = 2.0
STACK_REACH_MM = 3.0
STACK_SAME_MM = 0.2
# What a unit of misfit to depth counts as evidence (half of it, less what is common to neighbours: the model, the
# fixed pattern), and a unit of the T-junction in colour; colour says no more than the last: an edge may be a shadow's.
STACK_DEPTH_EVIDENCE = 0.42
STACK_COLOR_ODDS = 22.0
STACK_COLOR_MOST = 5.0
# From this probability on the other order counts as one that is possible; and both columns of a road are asked together
# where either leaves so much open.
STACK_DOUBT = 0.1
STACK_TOGETHER = 0.003
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
# Places whose rim and foot are seen as well but for this share, and that lie at least so far apart and at most so far
# from the best one, are held against depth.
RIVAL_SHARE = 0.3
RIVAL_LEAST_MM = 1.2
RIVAL_REACH_MM = 6.0
# A rim is looked for where the picture shows this much of its surroundings: what lies outside of it is no edge.
RIM_PICTURE_SHARE = 0.5
# A column of whose rim the picture shows less than this is placed by depth, in such steps; a disc's centre by depth
# alone is known to this (0.9-2.3 mm was measured: its sides are ragged, and one of them lies in the sensor's shadow).
PICTURE_SHOWS = 0.75
OUTSIDE_STEPS_MM = (4.0, 2.0, 1.0, 0.5)
OUTSIDE_XY_MM = 2.0
# Rims are weighed against each other that lie at least so far apart and are seen as well as the best but for this
# share; the outline of its foot speaks for one with this weight, where it appears further than this from the rim.
RIM_PEAKS_MM = 1.5
# So far around a rim, votes nearly as good as its own say how widely it may lie: no peaks, but one broad top.
RIM_AROUND_MM = 2.5
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

# --- looking again ------------------------------------------------------------------------------------------------
# How often a first choice is mended at most.
DEPTH_REPAIRS = 4
# A road that was kept out is tried again when this share of its axis stands out by this much over what is explained.
DEPTH_UNEXPLAINED_SHARE = 0.25
DEPTH_UNEXPLAINED_MM = 4.0
