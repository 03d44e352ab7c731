"""Every figure of live capture, each with its reason. Seconds, unless the name says otherwise."""

from __future__ import annotations

# --- the child process ------------------------------------------------------------------------------------------
# One wait for a frame. Stopping a pipeline waits for a running wait, so it is short.
WAIT_MS = 200
# After so many waits without a frame it is looked whether the camera is still plugged in.
IDLE_WAITS = 3
# The child says that it lives this often, with frames or without.
BEAT_S = 0.5
# Temperature and projector are asked for this often: each is a transfer on USB, and they change slowly.
READINGS_S = 2.0
# A child that was opened and is silent for so long hangs in the driver: it is ended.
HUNG_S = 4.0
# Opening may hold everything up while firmware and USB settle: 2 s as a rule, 15 s is the SDK's own longest wait.
OPENING_S = 20.0
# After loading its libraries (0.4 s; slow disks and cold caches more) the child must have said hello.
HELLO_S = 30.0
# An old .bag is converted first: so fast at least (96 MB take 1 s here).
CONVERTED_BYTES_PER_S = 20e6
# An orderly stop takes as long as one wait; after this it is ended by force.
STOPPING_S = 2.0
# A camera that gives no frame for so long, the child being well, is started anew (the slowest rate is 6 a second).
NO_FRAMES_S = 3.0
# A camera that is gone is looked for this often ...
POLL_S = 0.25
# ... and at the first start this long: a cable just plugged in takes 1 to 2 s to be known.
GRACE_S = 3.0
# After a hardware reset the camera is gone from USB and back within about 3 s, 6 s at most.
RESET_S = 8.0
# One that is not gone after this was not reset.
RESET_GONE_S = 3.0
# Plain start, plain restart, hardware reset. Then a pause before the next three, the game going on.
TRIES = 3
PAUSE_S = 2.0
# A run that gave so many good frames was a good one: the next trouble has its three tries again.
GOOD_RUN_FRAMES = 15

# --- shared memory ----------------------------------------------------------------------------------------------
# Frames that may wait to be taken; at 30 a second 6 are 0.2 s. The memory is used only as far as frames fill it.
RING_SLOTS = 6
# The largest frame: depth 1280x800 (2 bytes) and colour 1920x1080 (3 bytes) are 8.3 MB; larger cameras fit as well.
SLOT_BYTES = 16 * 2**20

# --- frames -----------------------------------------------------------------------------------------------------
# What is asked of the camera: see docs/camera.md for why these sizes.
DEPTH_SIZE = (1280, 720)
COLOR_SIZE = (1920, 1080)
FPS = 15
DEPTH_UNIT_MM = 0.1
# A depth unit read back within this share of the wish is the wish (it is kept as a float32).
DEPTH_UNIT_SHARE = 1e-3
# Depth and colour of one moment lie at most this part of a frame's time apart.
PAIR_FRAMES = 0.75
# The camera's clock is 32 bits of microseconds: it begins anew every 71.6 minutes.
CLOCK_WRAP_S = 2**32 / 1e6
# So many frames in a row that run backwards, but in order among themselves: the camera's clock began anew.
BACK_FRAMES = 5
# The camera's clock may run ahead of the time that passed here by this (frames held up on their way).
CLOCK_AHEAD_S = 2.0
# The least delay between the camera's clock and ours is taken over this long: the clocks drift by 50 ppm.
DELAY_WINDOW_S = 20.0

# --- exposure ---------------------------------------------------------------------------------------------------
# Exposure has settled when over this long neither it nor the picture changed by more than these.
SETTLE_S = 1.0
SETTLE_SHARE = 0.03
SETTLE_LEVELS = 2.0
# A table under a flickering lamp never settles: after this it is fixed as it is, and said.
SETTLE_LONGEST_S = 8.0

# --- warming up -------------------------------------------------------------------------------------------------
# Depth is looked at in a grid of this many tiles; the median over the tiles leaves out hands and pieces.
WARM_TILES = (6, 8)
# One look this often, the drift fitted over this long.
WARM_EVERY_S = 1.0
WARM_WINDOW_S = 60.0
# A drift below this is warm: over a turn of two minutes it stays below the fixed pattern's part of a height (0.3 mm).
WARM_MM_PER_MIN = 0.15
# A fit needs this many looks, and its sigma must be smaller than the limit to be believed.
WARM_LEAST = 20

# --- temperature ------------------------------------------------------------------------------------------------
# The maker's limit of the sensor's working temperature is 65 degrees at its case; drift grows before.
HOT_C = 60.0

# --- taking frames for a calibration ----------------------------------------------------------------------------
# Frames with the board: its corners average to a few hundredths of a pixel. Of the empty table: docs/calibration.md.
BOARD_FRAMES = 15
EMPTY_FRAMES = 30
# The table is empty when the board has been gone and the picture has stood still for so long: mean grey levels
# between two frames, of every so many-th pixel (noise is 1 to 2).
GONE_S = 2.0
STILL_LEVELS = 4.0
STILL_EVERY_PX = 8
# The longest wait for a camera to get warm, and how often it is said why one waits.
WARM_LONGEST_S = 900.0
TELL_EVERY_S = 10.0
# Frames for a look at what stands still: a check of the calibration, the pieces laid out.
LOOK_FRAMES = 30
# A command that only looks at the table gives up on a camera that gives nothing for so long (three tries take 12 s).
LOOK_LONGEST_S = 20.0
