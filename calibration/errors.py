"""What can be wrong with a calibration or with what it is made from."""


class CalibrationError(ValueError):
    """A calibration that can't be made, read or used. The text is one line: what, where, what to do."""
