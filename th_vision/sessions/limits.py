"""How much, how often, how long: every number of recording, with its reason."""

from __future__ import annotations

from th_vision import tolerances as tol

# --- not losing anything ------------------------------------------------------------------------------------------
# After `kill -9` everything older than a second is in the file: a chunk stays open so long at most ...
FLUSH_S = 0.3
# ... or until it holds so many bytes (one 1280x720 depth picture is 1.8 MB; larger chunks make seeking slow).
CHUNK_BYTES = 1_000_000
# Against a power cut the disk itself is told to write at least this often.
SYNC_S = 2.0
# Frames that wait to be packed: two thirds of a second at 15 frames/s, so that with the open chunk it is no more than
# one; 8 MB each with 1080p colour. A computer that is slower than that drops frames, with a count.
QUEUE_FRAMES = 10
# Packed bytes that wait for a slow disk: some 15 s of everything, minutes of what is usually kept.
PENDING_BYTES = 192_000_000
# Lines of the game and scenes are small and are kept before any frame.
QUEUE_LINES = 10_000
# Where frames have no room any more, lines still have so many bytes: those of a hundred games.
LINES_BYTES = 16_000_000
# A full disk is asked again so often.
RETRY_S = 1.0
# At the end, a disk that takes nothing for so long is given up.
CLOSE_PATIENCE_S = 5.0

# --- what is kept of a live game ----------------------------------------------------------------------------------
# A game of two hours stays below 4 GB: so many bytes a second on average ...
BYTES_PER_S = 4e9 / 7200 * 0.75  # what a frame will need is known only roughly
# ... of which a busy while may use up what a quiet while before it has left.
SAVED_UP_BYTES = 150e6
# Hands and motion are watched at this rate (s between two frames) while there is room for it, ...
MOTION_EVERY_S = 0.5
# ... and with this share of the room left to the still frames, which rulings are made from.
MOTION_LEAVES = 0.25
# After a change so many still frames are kept: as many as a long look uses, and two more.
STILL_KEPT = tol.STILL_LONGER_FRAMES + 2
# And one frame in so many seconds whatever happens: it shows that nothing did, and how the camera drifts.
BASE_EVERY_S = 5.0
# A frame that can't be afforded at all is kept when nothing was for so long, room or not.
AT_LEAST_EVERY_S = 30.0
# What a frame is taken to need until the first ones were packed, bytes per pixel of depth and of colour.
DEPTH_BYTES_PER_PX, COLOR_BYTES_PER_PX = 0.45, 0.25
