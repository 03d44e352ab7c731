"""Every tolerance of the calibration, in one place, with where it comes from.

The sensor's figures were measured on real D400 frames (temporal noise 0.03-0.13 px of disparity, ripple of a flat
surface 0.5-1.2 % of the distance peak to peak, one independent sample per 215-245 pixels).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerances:
    """Limits and figures of the calibration. Change them here, nowhere else."""

    # --- board in colour
    min_corners: int = 8
    """A view of the board with fewer corners is rejected: its pose is too weak."""
    max_corner_residual_px: float = 1.0
    """A view whose corners fit a flat board worse than this is blurred, bent or misread."""
    max_board_shift_px: float = 1.5
    """Corners further than this from their median place belong to a view in which the board (or camera) moved."""
    min_corner_sigma_px: float = 0.03
    """No corner is trusted better than this: cornerSubPix on clean pictures scatters by 0.04-0.06 px."""

    joint_corner_sigma_px: float = 0.06
    """The same in the joint fit with depth: what is left of the lens after its factory calibration comes on top."""

    board_rise_mm: float = 1.0
    """Where depth sees the board's face this much higher or lower than its thickness says, depth is believed."""

    # --- table plane from depth
    min_plane_sigma_px: float = 0.012
    """No plane's disparity at the rim is known better than this, however many pixels: drift, pixel locking."""
    depth_scale_sigma: float = 0.007
    """Usual error of a D400's depth scale (stated limit 2 %, typical units 0.2-1 %)."""
    max_depth_scale: float = 0.025
    """A camera's depth isn't off by more: then the print has another size than given, and depth is left alone."""
    ripple_share: float = 0.006
    """Half of the worst peak to peak ripple of a flat surface, as a share of the distance."""
    step_px: float = 1.0 / 32.0
    """Disparity step of the D400 stereo matcher."""
    min_shift_response: float = 0.3
    """Height of the phase correlation's peak (0 to 1) below which texture can't say whether the picture moved."""
    max_shift_px: float = 24.0
    """Larger shifts of the picture are chance, or so large that nobody overlooks them."""
    max_bump_px: float = 1.0
    """Shift of the colour picture between board and empty table above which the camera was moved."""
    max_bump_mm: float = 1.5
    """The same for the distance from depth (drift within a session is up to 1 mm)."""
    bump_iterations: int = 60
    """Steps in which two pictures are laid one upon the other."""
    min_bump_likeness: float = 0.25
    """Two pictures of one table, noise and new pieces included, agree at least so well (1: they are the same)."""
    bump_cell_response: float = 0.06
    """Height of a cell's correlation peak below which it says nothing."""
    bump_cell_px: float = 1.0
    """A cell that is left further apart than this (half-size pixels) shows something else."""
    min_bump_cells: int = 8
    """So many of the 16 cells must agree."""
    fixed_pattern_px: float = 0.06
    """Fixed pattern that averaging over frames doesn't remove (0.04-0.09 px measured)."""
    ripple_cell_mm: float = 140.0
    """Ripple has wavelengths of 100-250 mm: residuals within a cell of this size count as one sample."""
    plane_gate_mm: float = 12.0
    """Pixels further from the plane than this (or three times the ripple) never take part in its fit."""
    min_plane_px: int = 2000
    """Fewer table pixels than this give no plane worth the name."""

    min_plane_share: float = 0.12
    """A plane must hold at least this share of the pixels with depth; pure noise gives 0.06."""

    # --- which frames are empty
    raised_mm: float = 4.0
    """A patch of a frame that stands this far above the table (ripple taken out) is a raised thing. The lowest piece,
    one 10 mm disc, shows at least half its height."""
    raised_sigmas: float = 5.0
    """And this many times the temporal noise there: the largest of some thousand independent samples is about 4."""
    block_frames: int = 5
    """Frames averaged to look once more for low things that one frame's noise hides."""
    raised_area_mm2: float = 80.0
    """Patches smaller than this are noise: a disc of 19 mm covers 284 mm2."""
    max_lost_share: float = 0.15
    """Share of the table that may be without depth in an empty frame, of what the board's frames measured."""
    changed_levels: float = 14.0
    """Grey levels by which a patch of the colour picture must change to count as something flat put down."""
    changed_area_mm2: float = 300.0
    """Colour changes smaller than this are noise, compression or a crumb."""
    min_empty_frames: int = 5
    """Fewer empty frames than this make the map noisier than the views measured against it: the report says so."""
    patience_frames: int = 1500
    """Frames read without finding the empty table, after the board was last seen, before giving up on it."""
    max_frames: int = 40
    """Frames kept of each kind. Averaging more gains nothing over the fixed pattern."""

    # --- good enough?
    good_corner_residual_px: float = 0.5
    good_plane_residual_mm: float = 4.0
    good_tilt_deg: float = 10.0
    good_no_depth_share: float = 0.10
    good_scale: float = 0.01
    """Board and depth may disagree about lengths by this share before the report says so."""
    stated_scale: float = 0.02
    """A camera's depth may be off by this share, as its maker states; by more the print is wrong, or the camera."""
    good_board_pixels: float = 20.0
    """Colour pixels to one square of the board below which corners get coarse."""
    good_noise_mm: float = 1.6
    """Temporal noise of one frame and pixel, at the table: above this a 2 mm gap can't be judged."""
    good_contrast: float = 60.0
    """Grey levels between the board's white and black, of 255."""
    good_board_tilt_deg: float = 1.0
    """Board by colour and plane by depth may differ by this: a small board's own tilt is weak."""
    good_disc_px: float = 0.6
    """Disparity of a 10 mm step below which the sensor's kernel blends it to half: D435 at 1280 and 0.7 m has 0.66."""
    good_field_mm: tuple[float, float] = (600.0, 380.0)
    """Sides of the table that a game takes: a D415 sees 620 x 400 mm from 0.55-0.60 m."""
    max_saturated_share: float = 0.02
    """Share of white-clipped pixels on the board above which the light is too bright."""

    # --- self-test before a game
    check_length_share: float = 0.003
    """Lengths in plan must come back to this share: 0.3 mm of a stick."""
    check_height_mm: float = 1.0
    """Heights must come back to this, less than half of what a wrong level would need, and to ..."""
    check_height_share: float = 0.02
    """... this share of the height."""
    check_drift_mm: float = 2.0
    """The table may have drifted by this since its calibration (1 mm a session is usual; views take it out)."""
    check_tilt_deg: float = 0.15
    """And tilted by this."""

    # --- is it the same camera?
    focal_share: float = 0.002
    centre_px: float = 1.0
    distortion: float = 0.01
    extrinsic_mm: float = 1.0
    extrinsic_deg: float = 0.3
    depth_unit_share: float = 1e-4


TOLERANCES = Tolerances()
