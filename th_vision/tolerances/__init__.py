"""Every tolerance of seeing and following, each with its reason, by what it is for.

Sizes of pieces are not here: they come from ``pieces.toml``. Units are in the names: ``_px`` native depth pixels or
disparity pixels, ``_mm`` millimetres.
"""

from th_vision.tolerances.cars import *
from th_vision.tolerances.city import *
from th_vision.tolerances.depth import *
from th_vision.tolerances.enroll import *
from th_vision.tolerances.following import *
from th_vision.tolerances.looking import *
from th_vision.tolerances.seeing import *
from th_vision.tolerances.sensor import *
from th_vision.tolerances.things import *
from th_vision.tolerances.watching import *
