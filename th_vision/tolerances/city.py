"""City objects."""

from __future__ import annotations

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
# Any change of colour beyond so many times its scatter counts, in full from here; so far from a rim it is asked, and
# counts so much beside the edges.
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
# Connected parts of a view smaller than this are noise. A part is looked at as a building from this share of its
# height.
CITY_PART_MM2 = 60.0
CITY_SOLID_SHARE = 0.4
# A roof is what is higher than this share, its outline what is higher than this part of its own top; sides may read
# so much longer or shorter than they are by depth.
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
# How well depth shows a height: everywhere, and as a part of it; how many sigmas a thing may be off to be of a kind;
# how alike the pieces of one kind are.
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
# A known card lies where it lay: by how much more its colour differs from the table's inside than outside of a side,
# the clearest side at least, and the others in parts of that; where no side is clear, by this share of its height.
# Around what stands in the city so much more of depth is not believed.
CITY_STILL_CHANGE = 0.04
CITY_STILL_SHARE = 0.3
CITY_STILL_RISE = 0.7
CITY_MASK_MM = 1.5
