"""The sensor, the still view that is made of its frames, and what sources may bring."""

from __future__ import annotations

# --- the sensor ---------------------------------------------------------------------------------------------------
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

# --- the still view -----------------------------------------------------------------------------------------------
# A pixel counts as seen when at least this share of the frames has depth there.
SEEN_SHARE = 0.5
# Frames of a pixel may differ by this many sigmas of the frame noise before the pixel counts as restless.
RESTLESS_SIGMAS = 6.0
# Free table: within this many robust sigmas of the mode of the rise.
FREE_TABLE_SIGMAS = 3.0

# --- sources ------------------------------------------------------------------------------------------------------
# A recorded rotation is written with about 6 decimals; R R^T may differ from the identity by this much.
ROTATION_TOLERANCE = 1e-3
# Points of a cloud that share a pixel are one surface when they lie within this of the nearest; their mean counts.
CLOUD_SURFACE_MM = 4.0
# Holes between the points of a cloud get the colour (never the depth) of the nearest point within this.
CLOUD_COLOR_FILL_PX = 3.0
# An organised cloud is a pinhole camera's when its pixels fit one within this (largest residual).
ORGANISED_FIT_PX = 0.25

# --- sharp or soft edges ------------------------------------------------------------------------------------------
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

# --- sessions of other programs -----------------------------------------------------------------------------------
# Depth and colour of one moment are no further apart than this share of the time from one depth picture to the next,
# which is no longer than that (s); so many colour pictures are kept to choose from.
MCAP_SAME_MOMENT = 0.6
MCAP_USUAL_GAP_S = 0.1
MCAP_COLORS_KEPT = 8
