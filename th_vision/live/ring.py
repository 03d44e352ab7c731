"""Frames in memory that two processes share: a ring of slots, each with a counter that tells whether it is whole.

The writer makes a slot's counter odd, fills it, and makes it even again. The reader copies and looks at the counter
before and after: a slot that was written over meanwhile is not taken. The memory has no name where the system allows
it, so that nothing is left behind, however the processes end.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from th_vision.live.tolerances import RING_SLOTS, SLOT_BYTES

_COUNTER = struct.Struct("<Q")
_HEAD = 64  # bytes before a slot's pixels: the counter, and its own line of the processor's cache


class Ring:
    """Slots of shared memory. One process writes, another reads."""

    def __init__(self, memory: mmap.mmap, slots: int, slot_bytes: int, handle: str, fd: int | None) -> None:
        self._memory, self._slots, self._slot_bytes, self._fd = memory, slots, slot_bytes, fd
        self.handle = handle

    @classmethod
    def create(cls, slots: int = RING_SLOTS, slot_bytes: int = SLOT_BYTES) -> Ring:
        """New memory; pass ``handle`` and (where it is not None) ``fd`` on to the other process."""
        size = slots * slot_bytes
        if sys.platform == "win32":  # a named mapping, gone with its last user
            tag = f"th-vision-{os.getpid()}-{os.urandom(4).hex()}"
            return cls(mmap.mmap(-1, size, tagname=tag), slots, slot_bytes, f"tag:{tag}:{slots}:{slot_bytes}", None)
        if sys.platform == "linux":
            fd = os.memfd_create("th-vision-frames")
        else:
            with tempfile.TemporaryFile() as file:
                fd = os.dup(file.fileno())
        os.ftruncate(fd, size)
        return cls(mmap.mmap(fd, size), slots, slot_bytes, f"fd:{fd}:{slots}:{slot_bytes}", fd)

    @classmethod
    def attach(cls, handle: str) -> Ring:
        """The memory that another process created."""
        kind, where, slots, slot_bytes = handle.split(":")
        size = int(slots) * int(slot_bytes)
        if kind == "tag" and sys.platform == "win32":
            return cls(mmap.mmap(-1, size, tagname=where), int(slots), int(slot_bytes), handle, None)
        return cls(mmap.mmap(int(where), size), int(slots), int(slot_bytes), handle, int(where))

    @property
    def fd(self) -> int | None:
        """The file descriptor that the other process must inherit, or None."""
        return self._fd

    @property
    def slots(self) -> int:
        """How many frames it holds."""
        return self._slots

    def write(self, count: int, arrays: list[NDArray[Any]]) -> int:
        """Copy ``arrays`` one after the other into the slot of frame ``count`` (1, 2, ...); gives the slot.

        Raises:
            ValueError: they are larger than a slot.
        """
        slot = count % self._slots
        at = slot * self._slot_bytes
        if sum(array.nbytes for array in arrays) > self._slot_bytes - _HEAD:
            raise ValueError(f"a frame of {sum(a.nbytes for a in arrays)} bytes does not fit into {self._slot_bytes}")
        _COUNTER.pack_into(self._memory, at, 2 * count - 1)
        begin = at + _HEAD
        for array in arrays:
            room = np.frombuffer(self._memory, array.dtype, array.size, begin).reshape(array.shape)
            np.copyto(room, array)
            begin += array.nbytes
        _COUNTER.pack_into(self._memory, at, 2 * count)
        return slot

    def read(self, count: int, kinds: list[tuple[tuple[int, ...], str]]) -> list[NDArray[Any]] | None:
        """Copies of the arrays (shape, dtype) of frame ``count``, or None where it was written over meanwhile."""
        at = (count % self._slots) * self._slot_bytes
        if self._memory.closed or _COUNTER.unpack_from(self._memory, at)[0] != 2 * count:
            return None
        begin, copies = at + _HEAD, []
        for shape, kind in kinds:
            dtype = np.dtype(kind)
            size = int(np.prod(shape))
            if begin + size * dtype.itemsize > at + self._slot_bytes:
                return None
            copies.append(np.frombuffer(self._memory, dtype, size, begin).reshape(shape).copy())
            begin += size * dtype.itemsize
        return copies if _COUNTER.unpack_from(self._memory, at)[0] == 2 * count else None

    def close(self) -> None:
        """Let go of the memory."""
        try:
            self._memory.close()
        except BufferError:  # an array of a frame that is just being read: freed with it
            return
        finally:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None
