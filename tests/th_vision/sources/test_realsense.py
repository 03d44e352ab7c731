"""``realsense`` as SOURCE: what may be said, and what is answered where there is no camera."""

from __future__ import annotations

import pytest

from th_vision.errors import VisionError
from th_vision.live.backend import Request
from th_vision.sources import open_source
from th_vision.sources.realsense import request_of


@pytest.mark.parametrize(
    ("spec", "request_"),
    [
        ("realsense", Request()),
        ("realsense:", Request()),
        ("realsense:0123", Request(serial="0123")),
        ("realsense:fps=30", Request(fps=30)),
        ("realsense:0123,fps=6,depth=848x480, color=1280x720", Request("0123", (848, 480), (1280, 720), 6)),
    ],
)
def test_what_may_be_asked_for(spec: str, request_: Request) -> None:
    assert request_of(spec) == request_


@pytest.mark.parametrize(
    "spec",
    ["realsense:a b", "realsense:1,2", "realsense:fps=0", "realsense:fps=x", "realsense:depth=big", "realsense:x=1"],
)
def test_what_can_not_be_is_refused_with_the_form(spec: str) -> None:
    with pytest.raises(VisionError, match="write realsense, realsense:SERIAL"):
        open_source(spec)


def test_where_no_camera_is_one_line_says_so() -> None:
    with pytest.raises(
        VisionError, match=r"^realsense:F00D: (no camera with the serial|pyrealsense2 is not installed)"
    ):
        open_source("realsense:F00D")
