"""Rendering moment after moment: what stands as it stood is not looked at again.

A hand over a table, or one column more, changes a small part of the picture: where the bodies that came or went are
seen, and where their shadows fall. Both are bounded from outside (convex hulls, wider by a rim) and looked at anew;
the rest is what it was. The pictures are those of ``render_moment``.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Intrinsics
from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.render import (
    NOTHING,
    Array,
    Caster,
    Change,
    CleanRender,
    ColorView,
    Ids,
    color_pose,
    lamp_directions,
    pixel_rays,
    view_color,
)
from th_vision.virtual_table.scene import Scene
from th_vision.virtual_table.shapes import Part, parts
from th_vision.virtual_table.surfaces import Floats

_RIM_PX = 4  # about a hull: rounding, and the sub-rays of the pixels beside it
_NEAR_MM = 50.0  # nothing nearer to a camera than this can be bounded in its picture
_LOW_LAMP = 0.1  # z of a unit direction: below it shadows are too long to be bounded
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class _Look:
    """One finished look: under which conditions, and what was seen."""

    conditions: tuple[Any, ...]
    meshes: list[Part]
    marks: list[bytes]
    t: Floats
    ids: Ids
    color: ColorView


class Renderer:
    """Renders scenes one after the other, each by what differs from the last one that was kept."""

    def __init__(self) -> None:
        self._kept: _Look | None = None

    def render(self, scene: Scene, camera: VirtualCamera, *, keep: bool = True) -> CleanRender:
        """``render_moment``; ``keep``: later scenes are likely to be like this one."""
        meshes = parts(scene)
        marks = [_mark(part) for part in meshes]
        conditions = (
            camera.depth,
            camera.color,
            camera.T_depth_table.tobytes(),
            color_pose(camera).tobytes(),
            scene.table,
            scene.light,
        )
        caster = Caster(meshes)
        rays = pixel_rays(camera.depth, camera.T_depth_table)
        old = self._kept
        changes = None
        if old is not None and old.conditions == conditions and scene.board is None:
            changes = _changes(old, meshes, marks, scene, camera)
        if old is None or changes is None:
            t, ids, _ = caster.cast(rays)
            color = view_color(scene, camera, caster, meshes)
        else:
            in_depth, in_color = changes
            at = np.flatnonzero(in_depth.bodies)
            t, ids = old.t.copy(), in_depth.renumber[old.ids]
            t[at], ids[at], _ = caster.cast(rays[at])
            color = view_color(scene, camera, caster, meshes, old.color, in_color)
        if keep:
            self._kept = _Look(conditions, meshes, marks, t, ids, color)
        shape = (camera.depth.height, camera.depth.width)
        return CleanRender(
            depth_mm=t.reshape(shape).astype(np.float32),
            labels=ids.reshape(shape),
            color_linear=color.image,
            color_labels=color.ids.reshape(color.image.shape[:2]),
            parts=tuple(meshes),
            surface=scene.table.surface,
            scene=scene,
        )


def _mark(part: Part) -> bytes:
    """A digest that two parts share only if they look the same and are at the same place."""
    digest = blake2b(digest_size=16)
    digest.update(repr((part.kind, part.key, part.color, part.grain, part.shade)).encode())
    for array in (part.mesh.vertices, part.mesh.triangles, part.uv):
        digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.digest()


def _changes(
    old: _Look, meshes: list[Part], marks: list[bytes], scene: Scene, camera: VirtualCamera
) -> tuple[Change, Change] | None:
    """The change in the depth and in the colour picture; None: it can't be bounded."""
    new = {mark: k for k, mark in enumerate(marks)}
    if len(new) < len(marks) or len(set(old.marks)) < len(old.marks) or any(camera.color.distortion):
        return None
    low = float(meshes[0].mesh.vertices[:, 2].min()) - 1.0  # under the table top
    beyond = [k for k, part in enumerate(old.meshes) if part.kind == "floor"]
    if np.isin(old.color.ids, [*beyond, NOTHING]).any():
        return None  # shadows fall far below
    directions = lamp_directions(scene.light).astype(np.float64)
    if (directions[:, 2] / np.linalg.norm(directions, axis=1)).min() < _LOW_LAMP:
        return None
    renumber = np.array([*(new.get(mark, NOTHING) for mark in old.marks), NOTHING], dtype=np.int32)
    gone = [part for part, mark in zip(old.meshes, old.marks, strict=True) if mark not in new]
    came = [part for part, mark in zip(meshes, marks, strict=True) if mark not in set(old.marks)]
    bodies = [part.mesh.vertices for part in (*gone, *came)]
    shadows = [_with_shadow(vertices, directions, low) for vertices in bodies]
    in_depth = _hulls(bodies, camera.depth, camera.T_depth_table)
    in_color = _hulls(bodies, camera.color, color_pose(camera))
    shaded = _hulls(shadows, camera.color, color_pose(camera))
    if in_depth is None or in_color is None or shaded is None:
        return None
    return Change(renumber, in_depth, np.zeros_like(in_depth)), Change(renumber, in_color, shaded)


def _with_shadow(vertices: Array, directions: Array, low_mm: float) -> Array:
    """A body's vertices, and where each direction of the lamp throws them down to the height ``low_mm``."""
    fall = (vertices[:, 2] - low_mm)[:, None, None]
    thrown = vertices[:, None] - directions / directions[:, 2:3] * np.maximum(fall, 0)
    return np.concatenate([vertices, thrown.reshape(-1, 3)])


def _hulls(bodies: list[Array], K: Intrinsics, T_camera_table: Array) -> Mask | None:
    """(h, w) inside the convex hull of any of the bodies, each of points (n, 3), and a rim about it; None: too near."""
    out = np.zeros((K.height, K.width), dtype=np.uint8)
    for points in bodies:
        seen = points @ T_camera_table[:3, :3].T + T_camera_table[:3, 3]
        if seen[:, 2].min() < _NEAR_MM:
            return None
        pixels = seen[:, :2] / seen[:, 2:] * [K.fx, K.fy] + [K.cx, K.cy]
        hull = cv2.convexHull(np.rint(pixels).astype(np.int32))
        cv2.fillConvexPoly(out, hull, 1)
    rim = cv2.getStructuringElement(cv2.MORPH_RECT, (2 * _RIM_PX + 1, 2 * _RIM_PX + 1))
    return np.asarray(cv2.dilate(out, rim) > 0, dtype=np.bool_)
