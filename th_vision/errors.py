"""What can be wrong with a source of frames or with what is asked of them."""


class VisionError(ValueError):
    """A source, frame or request that can't be used. The text is one line: what, where, what to do."""
