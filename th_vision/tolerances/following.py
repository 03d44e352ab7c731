"""Following the game: what is believed, and from when on."""

from __future__ import annotations

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
# Two pictures of one table at rest are alike by 0.96 and more on wood, and by 0.9 where a lamp throws other shadows;
# by 0.05 at most once it was pushed by some millimetres. Where they are no more alike than this at rest, texture
# tells nothing.
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
