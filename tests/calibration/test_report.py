"""The report in words: good enough or not, and what to do about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.pose import Rejected
from calibration.report import Report

GOOD = Report(
    board_frames=6,
    empty_frames=20,
    rejected=(),
    corners=24,
    corner_residual_px=0.08,
    square_px=75.0,
    board_white=210.0,
    board_black=25.0,
    saturated_share=0.0,
    distance_mm=580.0,
    sigma_height_mm=0.05,
    tilt_deg=2.0,
    sigma_tilt_deg=0.02,
    sigma_origin_mm=0.02,
    sigma_rotation_deg=0.01,
    plane_residual_mm=1.5,
    ripple_mm=2.2,
    noise_mm=0.7,
    no_depth_share=0.01,
    field_mm=(720.0, 430.0),
    color_field_mm=(715.0, 430.0),
    scale_ratio=1.002,
    sigma_scale=0.0005,
    board_tilt_deg=0.1,
    disc_px=1.5,
)


def test_a_good_calibration_says_so_and_asks_for_nothing() -> None:
    assert GOOD.good
    lines = GOOD.lines()
    assert lines[0] == "table calibration: good enough to play"
    assert not any(line.startswith(("improve", "note")) for line in lines)
    text = "\n".join(lines)
    assert "580.0 mm above the table" in text
    assert "720 x 430 mm mapped" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"corner_residual_px": 0.9}, "lay the board flat"),
        ({"plane_residual_mm": 6.0}, "rough in depth"),
        ({"tilt_deg": 14.0}, "point it straight down"),
        ({"no_depth_share": 0.3}, "30% of the table has no depth"),
        ({"noise_mm": 2.6}, "move closer, more light"),
        ({"scale_ratio": 0.97}, "check the ruler"),
        ({"square_px": 12.0}, "only 12 pixels in colour"),
        ({"board_white": 60.0}, "more light"),
        ({"saturated_share": 0.2}, "less light"),
        ({"bump_mm": 3.0}, "the camera moved"),
        ({"bump_px": 2.5, "bump_mm": 0.2}, "the camera moved"),
    ],
)
def test_each_weakness_is_named_with_what_to_do(change: dict[str, float], words: str) -> None:
    report = replace(GOOD, **change)  # type: ignore[arg-type]  # the fields vary in type
    assert not report.good
    lines = report.lines()
    assert lines[0] == "table calibration: not good enough"
    assert any(line.startswith("improve:") and words in line for line in lines)


def test_what_is_only_a_pity_is_a_note_and_the_verdict_stays() -> None:
    report = replace(GOOD, empty_frames=0, color_field_mm=(500.0, 300.0), board_tilt_deg=1.6, disc_px=0.4)
    assert report.good
    notes = [line for line in report.lines() if line.startswith("note:")]
    assert len(notes) == 4


def test_a_doubtful_ratio_within_its_own_sigma_is_not_blamed_on_the_print() -> None:
    assert replace(GOOD, scale_ratio=1.014, sigma_scale=0.003).good


def test_reasons_for_frames_left_out_are_counted_by_kind() -> None:
    rejected = (
        Rejected(2, "only 6 corners of the board seen, 8 are needed"),
        Rejected(3, "only 7 corners of the board seen, 8 are needed"),
        Rejected(9, "board or camera moved: 25.6 px from where it lies in most frames"),
    )
    lines = replace(GOOD, rejected=rejected).lines()
    assert "frames: 6 with the board, 20 of the empty table, 3 left out" in lines
    assert "left out: frame 2 and 1 more: only 6 corners of the board seen, 8 are needed" in lines
    assert any("frame 9: board or camera moved" in line for line in lines)


def test_figures_for_the_file_have_units_in_their_names() -> None:
    figures = GOOD.residuals()
    assert figures["plane_residual_mm"] == 1.5
    assert figures["empty_frames"] == 20.0
    assert all(key.endswith(("_mm", "_px", "_deg", "_share", "_frames", "_ratio", "scale")) for key in figures)
    assert "noise_mm" not in replace(GOOD, noise_mm=None).residuals()


def test_a_camera_within_what_its_maker_states_is_good_enough_and_the_print_is_asked_about() -> None:
    report = replace(GOOD, scale_ratio=0.9827, sigma_scale=0.0003)
    assert report.good
    assert any("check the ruler" in hint for hint in report.hints)
    assert not any("check the ruler" in hint for hint in GOOD.hints)
