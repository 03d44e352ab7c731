"""What a calibration is worth, in words: good enough or not, and what to improve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from calibration.pose import Rejected
from calibration.tolerances import TOLERANCES


@dataclass(frozen=True)
class Report:
    """Figures of one table calibration. Lengths mm, angles degrees, shares 0 to 1.

    ``scale_ratio``: length of the board as depth sees it over its printed length; ``depth_scale``: factor that the
    camera's depth was corrected by. ``field_mm``: sides of the mapped table, ``color_field_mm``: of the part that
    colour sees too, where the game can be refereed. ``no_depth_share``: of the table in view, pixels without depth.
    ``noise_mm``: temporal noise of one pixel in one frame at the table, None where fewer than three frames were
    averaged. ``bump_mm``, ``bump_px``: how far the camera moved between board and empty table, None where unknown.
    ``disc_px``: disparity of a 10 mm step at the table, in pixels.
    """

    board_frames: int
    empty_frames: int
    rejected: tuple[Rejected, ...]
    corners: int
    corner_residual_px: float
    square_px: float
    board_white: float
    board_black: float
    saturated_share: float
    distance_mm: float
    sigma_height_mm: float
    tilt_deg: float
    sigma_tilt_deg: float
    sigma_origin_mm: float
    sigma_rotation_deg: float
    plane_residual_mm: float
    ripple_mm: float
    noise_mm: float | None
    no_depth_share: float
    field_mm: tuple[float, float]
    color_field_mm: tuple[float, float]
    scale_ratio: float
    sigma_scale: float
    board_tilt_deg: float
    disc_px: float
    depth_scale: float = 1.0
    board_thickness_mm: float = 0.1
    bump_mm: float | None = None
    bump_px: float | None = None

    @property
    def problems(self) -> list[str]:
        """What makes this calibration not good enough, each with what to do about it."""
        t = TOLERANCES
        found = []
        if self.corner_residual_px > t.good_corner_residual_px:
            found.append(
                f"the board's corners are off by {self.corner_residual_px:.2f} px (good: "
                f"{t.good_corner_residual_px:g}): lay the board flat, keep it still, more light or a sharper picture"
            )
        if self.plane_residual_mm > max(t.good_plane_residual_mm, t.ripple_share * self.distance_mm):
            found.append(
                f"the table is {self.plane_residual_mm:.1f} mm rough in depth (good: "
                f"{max(t.good_plane_residual_mm, t.ripple_share * self.distance_mm):.1f}): is it flat, is the "
                "projector on, does it shine? Move the camera closer"
            )
        if self.tilt_deg > t.good_tilt_deg:
            found.append(
                f"the camera is tilted by {self.tilt_deg:.1f} deg (good: {t.good_tilt_deg:g}): point it straight down"
            )
        bump_mm, bump_px = self.bump_mm or 0.0, self.bump_px or 0.0
        if bump_mm > t.max_bump_mm or bump_px > t.max_bump_px:
            found.append(
                f"the camera moved between board and empty table ({bump_mm:.1f} mm in depth, {bump_px:.1f} px in "
                "colour): fasten it and record both again"
            )
        if self.no_depth_share > t.good_no_depth_share:
            found.append(
                f"{self.no_depth_share:.0%} of the table has no depth: less glare, projector on, no glossy cloth"
            )
        if self.noise_mm is not None and self.noise_mm > t.good_noise_mm:
            found.append(
                f"depth is noisy, {self.noise_mm:.1f} mm a frame (good: {t.good_noise_mm:g}): move closer, more light"
            )
        if self._scale_off > t.stated_scale:
            found.append(self._print_or_depth)
        if self.square_px < t.good_board_pixels:
            found.append(
                f"a square of the board has only {self.square_px:.0f} pixels in colour (good: "
                f"{t.good_board_pixels:g}): higher colour resolution or closer"
            )
        if self.board_white - self.board_black < t.good_contrast:
            found.append(
                f"the board is dim: white {self.board_white:.0f}, black {self.board_black:.0f} of 255: more light"
            )
        if self.saturated_share > t.max_saturated_share:
            found.append(f"{self.saturated_share:.0%} of the board is clipped to white: less light or exposure")
        return found

    @property
    def _scale_off(self) -> float:
        """By what share print and depth differ beyond doubt."""
        return abs(self.scale_ratio - 1) - 2 * self.sigma_scale

    @property
    def _print_or_depth(self) -> str:
        return (
            f"the board is {self.scale_ratio:.4f} times its printed size in depth: check the ruler on the print, "
            "print at 100 % or give the true size of a square; if the ruler is right, calibrate the camera"
        )

    @property
    def hints(self) -> list[str]:
        """What could be better, though the calibration holds."""
        found = []
        if TOLERANCES.good_scale < self._scale_off <= TOLERANCES.stated_scale:
            found.append(self._print_or_depth)
        if self.empty_frames == 0:
            found.append(
                "no frames of the empty table: the map is the free table around the board, smoothed beneath it; take "
                "the board away and record some seconds more"
            )
        elif self.empty_frames < TOLERANCES.min_empty_frames:
            found.append(
                f"only {self.empty_frames} frames of the empty table: {TOLERANCES.min_empty_frames} or more are better"
            )
        if self.disc_px < TOLERANCES.good_disc_px:
            found.append(
                f"a 10 mm step is only {self.disc_px:.2f} px of disparity (good: {TOLERANCES.good_disc_px:g}): heights "
                "will often be too close to call; take depth at 1280 x 720, or move closer"
            )
        long, short = self.color_field_mm
        if long < TOLERANCES.good_field_mm[0] or short < TOLERANCES.good_field_mm[1]:
            found.append(
                f"depth and colour together see only {long:.0f} x {short:.0f} mm of the table: a game takes "
                f"{TOLERANCES.good_field_mm[0]:.0f} x {TOLERANCES.good_field_mm[1]:.0f} mm; raise the camera"
            )
        if self.board_tilt_deg > TOLERANCES.good_board_tilt_deg:
            found.append(
                f"board and depth disagree about the tilt by {self.board_tilt_deg:.1f} deg: does the board lie flat?"
            )
        return found

    @property
    def good(self) -> bool:
        """True where nothing speaks against playing with it."""
        return not self.problems

    def residuals(self) -> dict[str, float]:
        """The figures that go into table.toml, keys with units."""
        out = {
            "corner_residual_px": self.corner_residual_px,
            "plane_residual_mm": self.plane_residual_mm,
            "ripple_mm": self.ripple_mm,
            "sigma_height_mm": self.sigma_height_mm,
            "sigma_origin_mm": self.sigma_origin_mm,
            "sigma_rotation_deg": self.sigma_rotation_deg,
            "sigma_tilt_deg": self.sigma_tilt_deg,
            "tilt_deg": self.tilt_deg,
            "disc_px": self.disc_px,
            "scale_ratio": self.scale_ratio,
            "sigma_scale": self.sigma_scale,
            "depth_scale": self.depth_scale,
            "no_depth_share": self.no_depth_share,
            "empty_frames": float(self.empty_frames),
        }
        if self.noise_mm is not None:
            out["noise_mm"] = self.noise_mm
        return out

    def lines(self) -> list[str]:
        """The report in plain words, one thought a line."""
        verdict = "good enough to play" if self.good else "not good enough"
        noise = "" if self.noise_mm is None else f", noise {self.noise_mm:.2f} mm a frame"
        out = [
            f"table calibration: {verdict}",
            f"frames: {self.board_frames} with the board, {self.empty_frames} of the empty table"
            + (f", {len(self.rejected)} left out" if self.rejected else ""),
            *_reasons(self.rejected),
            f"camera: {self.distance_mm:.1f} mm above the table (sigma {self.sigma_height_mm:.2f}), tilted "
            f"{self.tilt_deg:.2f} deg (sigma {self.sigma_tilt_deg:.2f})",
            f"board: {self.corners} corners, residual {self.corner_residual_px:.2f} px; origin known to "
            f"{self.sigma_origin_mm:.2f} mm, turn to {self.sigma_rotation_deg:.3f} deg",
            f"board: its face lies {self.board_thickness_mm:.1f} mm above the table",
            f"print: depth sees the board at {self.scale_ratio:.4f} of its printed size (sigma {self.sigma_scale:.4f})",
            f"depth: plane residual {self.plane_residual_mm:.2f} mm, ripple +-{self.ripple_mm:.1f} mm{noise}, "
            f"{self.no_depth_share:.1%} of the table without depth, a 10 mm step is {self.disc_px:.2f} px",
            f"field: {self.field_mm[0]:.0f} x {self.field_mm[1]:.0f} mm mapped, "
            f"{self.color_field_mm[0]:.0f} x {self.color_field_mm[1]:.0f} mm of it seen in colour too",
        ]
        if self.depth_scale != 1.0:
            out.append(f"depth: lengths corrected by {self.depth_scale:.4f} to agree with the board")
        out += [f"improve: {text}" for text in self.problems]
        out += [f"note: {text}" for text in self.hints]
        return out


def _reasons(rejected: Sequence[Rejected]) -> list[str]:
    """One line a kind of reason, with the first frame it met."""
    kinds = Counter(_kind(one.reason) for one in rejected)
    out = []
    for kind, count in kinds.most_common(4):
        first = next(one for one in rejected if _kind(one.reason) == kind)
        more = f" and {count - 1} more" if count > 1 else ""
        out.append(f"left out: frame {first.frame}{more}: {first.reason}")
    return out


def _kind(reason: str) -> str:
    return "".join(letter for letter in reason.split("(")[0] if not letter.isdigit() and letter not in ".%")
