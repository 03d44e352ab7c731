"""Looking again: what differs from the view before, and what of it is worth measuring anew."""

from __future__ import annotations

# Means over blocks of so many native pixels differ between two views of a table at rest by up to 2.1 of their sigmas,
# on any cloth, and by 0.2 px; a stick's kernel shows by 0.5 px and more, and by 16 sigmas.
CHANGE_DEPTH_BLOCK_PX = 8
CHANGE_DEPTH_PX = 0.15
CHANGE_DEPTH_SIGMAS = 2.6
CHANGE_DEPTH_BLOCKS = 3
# A block of which less was seen in either view says nothing.
CHANGE_SEEN_SHARE = 0.4
# Colour is compared at about this width, in blocks of so many pixels. Usually the largest difference in a block is 1.5
# levels, and 3 somewhere; along the outline of a stick that was pushed by 1.5 mm it is 50 on wood and white.
CHANGE_COLOR_WIDTH_PX = 960
CHANGE_COLOR_CELLS = 4
CHANGE_COLOR_LEVELS = 6.0
CHANGE_COLOR_USUAL = 3.5
# Where more of a picture changed, or more of the table would be looked at, all of it is.
CHANGE_MOST_SHARE = 0.3
LOOK_MOST_SHARE = 0.6
# So much of the table around what changed is looked at, mm; so far from its rim nothing new may lie.
LOOK_ROOM_MM = 16.0
LOOK_RIM_MM = 4.0
# What changed may rise by this much more than is seen of it, mm.
LOOK_RISE_MM = 20.0
# Pieces that were measured within this of where they are known to stand are the same.
LOOK_SAME_MM = 3.0
LOOK_SAME_ALONG_MM = 6.0
