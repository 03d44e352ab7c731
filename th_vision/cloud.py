"""A still view as a point cloud in the table frame, and its PLY file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.table import transform
from th_vision.still_view import StillView

Array = NDArray[np.float64]
Colors = NDArray[np.uint8]


def table_cloud(view: StillView) -> tuple[Array, Colors | None]:
    """(n, 3) points of what was seen, table frame, mm; and their (n, 3) BGR colours where there is a colour picture.

    The drift of the view is taken out, as in ``rise_px``: the bare table lies where the calibration saw it.
    """
    camera = view.table.camera
    disparity = view.table.empty.disparity_px + view.rise_px
    v, u = np.nonzero(np.isfinite(disparity) & (disparity > 0))
    rays = camera.depth.rays(np.stack([u, v], axis=1).astype(np.float64))
    seen = rays * (camera.disparity_gain / disparity[v, u].astype(np.float64))[:, None]
    points = transform(view.table.T_table_depth, seen)
    if view.color_bgr is None or camera.color is None:
        return points, None
    pixels = np.rint(camera.color.project(transform(camera.T_color_depth, seen))).astype(np.int64)
    height, width = view.color_bgr.shape[:2]
    inside = (pixels >= 0).all(axis=1) & (pixels[:, 0] < width) & (pixels[:, 1] < height)
    colors = np.zeros((len(points), 3), np.uint8)
    colors[inside] = view.color_bgr[pixels[inside, 1], pixels[inside, 0]]
    return points, colors


def ply_bytes(points: Array, bgr: Colors | None) -> bytes:
    """A binary PLY of (n, 3) points and, where given, their (n, 3) BGR colours."""
    fields: list[tuple[str, str]] = [("x", "<f4"), ("y", "<f4"), ("z", "<f4")]
    names = {"<f4": "float", "u1": "uchar"}
    if bgr is not None:
        fields += [("red", "u1"), ("green", "u1"), ("blue", "u1")]
    rows = np.zeros(len(points), dtype=fields)
    for i, axis in enumerate("xyz"):
        rows[axis] = points[:, i]
    if bgr is not None:
        for i, channel in enumerate(("blue", "green", "red")):
            rows[channel] = bgr[:, i]
    properties = "".join(f"property {names[kind]} {name}\n" for name, kind in fields)
    header = (
        "ply\nformat binary_little_endian 1.0\ncomment th-vision, table frame, mm\n"
        f"element vertex {len(points)}\n{properties}end_header\n"
    )
    return header.encode() + rows.tobytes()
